import { builtinModules } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Finder, Loads, Looking, Source, Unchecked, Use } from './types.ts';

/**
 * Imports, `require` and what else names a file: every text of the script that is a path counts, so that workers, forks
 * and hooks of the loader are found as well.
 */
export const javascript: Finder = async (source, looking) => {
  // A line that is a comment as a whole names nothing; others are read, rather one too many.
  const text = source.text.replace(/^[ \t]*\/\/.*$/gm, '');
  const unchecked: Unchecked[] = [...computed(text)];
  const uses: Use[] = [];
  for (const specifier of specifiers(text)) {
    const loads = await ofSpecifier(specifier, source, looking);
    uses.push(...loads.uses);
    unchecked.push(...loads.unchecked);
  }
  for (const path of pathsInTexts(text)) uses.push(...(await ofText(path, source, looking)));
  return { uses, unchecked };
};

const ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.jsx', '.json', '.node'];
const STARTS_PROGRAMS = new Set(['child_process', 'cluster']);

// Texts are written ones: without escapes and placeholders. No pattern looks at a place twice, whatever a file holds.
const CALL = /(?<![\w$.])([A-Za-z_$][\w$.]*)\s*\(\s*(?:\/\*[^*]*\*\/\s*)?(["'`])((?:(?!\2)[^\\\n$]|\$(?!\{))*)\2/g;
const FROM = /\b(?:from|import)\s*(["'])((?:(?!\1)[^\\\n])*)\1/g;
const ANY_TEXT = /(["'`])((?:(?!\1)[^\\\n$]|\$(?!\{))*)\1/g;

/** The name in `import … from`, `export … from`, `import x`, `import(x)`, `require(x)` and what stands for it. */
function specifiers(text: string): ReadonlySet<string> {
  const loaders = new Set(['require', 'require.resolve', 'module.require', 'import', 'import.meta.resolve']);
  // `const load = createRequire(import.meta.url)`
  for (const [, name = ''] of text.matchAll(/(?<![\w$])([\w$]+)\s*=\s*(?:[\w$]+\.)?createRequire\s*\(/g)) {
    loaders.add(name).add(`${name}.resolve`);
  }
  return new Set([
    ...[...text.matchAll(CALL)].flatMap(([, name = '', , of]) => (loaders.has(name) && of ? [of] : [])),
    ...[...text.matchAll(FROM)].flatMap(([, , of]) => of || []),
  ]);
}

const COMPUTED: readonly RegExp[] = [
  /(?<![\w$.])(?:import|require(?:\.resolve)?)\s*\(\s*(?:\/\*[^*]*\*\/\s*)?(?![\s)"'`/])[^\n]{0,80}/g,
  /(?<![\w$.])(?:import|require)\s*\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*[+.][^\n]{0,80}/g,
  /(?<![\w$.])(?:import|require)\s*\(\s*`[^`]*(?:\$\{|\\)[^\n]{0,80}/g,
  /(?<![\w$.])(?:import|require)\s*\(\s*(?:"[^"\n]*\\|'[^'\n]*\\)[^\n]{0,80}/g,
  /\bfrom\s*["'][^"'\n]*\\[^\n]{0,80}/g,
  /(?<![\w$.])(?:eval|Function)\s*\([^\n]{0,80}/g,
  /\bvm\.(?:run|compile|Script|SourceText)\w*[^\n]{0,80}/g,
];

function* computed(text: string): Generator<Unchecked> {
  for (const pattern of COMPUTED) {
    for (const [line] of text.matchAll(pattern)) {
      // A declaration of that name, as bundles have it.
      if (!/^(?:eval|Function)\s*\(\s*\)/.test(line)) yield { code: 'computed', of: line.trim() };
    }
  }
}

async function ofSpecifier(name: string, source: Source, looking: Looking): Promise<Loads> {
  const use = (path: string): Use => ({ path, cwd: source.cwd });
  const path = pathOf(name, source.path);
  if (path !== undefined) {
    const found = await modulesAt(path, looking);
    // One that is not there yet will run once it is.
    return { uses: (found.length > 0 ? found : [path]).map(use), unchecked: [] };
  }
  if (name.startsWith('#')) return await ofInternal(name, source, looking);
  const bare = name.replace(/^node:/, '');
  if (builtinModules.includes(bare) || name.startsWith('node:')) {
    const starts = STARTS_PROGRAMS.has(bare.split('/')[0] ?? '');
    return { uses: [], unchecked: starts ? [{ code: 'programs', of: source.path }] : [] };
  }
  if (/^(?:https?|data|npm|jsr):/.test(name)) return { uses: [], unchecked: [{ code: 'package', of: name }] };
  return (await isOwnPackage(name, source, looking))
    ? { uses: [], unchecked: [] }
    : { uses: [], unchecked: [{ code: 'package', of: name }] };
}

function pathOf(name: string, from: string): string | undefined {
  if (name.startsWith('file:')) {
    try {
      return fileURLToPath(name);
    } catch {
      return undefined;
    }
  }
  const bare = name.replace(/[?#].*$/, '');
  if (/^\.\.?(?:\/|$)/.test(name)) return resolve(dirname(from), bare);
  return isAbsolute(name) ? bare : undefined;
}

/** What a loader takes for that path, whichever it is: a file that comes to stand before another one counts. */
async function modulesAt(path: string, { probe }: Looking): Promise<readonly string[]> {
  // TypeScript is imported by the name of what it becomes.
  const typed = path.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
  const found = typed !== path && (await probe.isFile(typed)) ? [typed] : [];
  if (await probe.isFile(path)) return [path, ...found];
  for (const ending of ENDINGS) if (await probe.isFile(path + ending)) found.push(path + ending);
  if (!(await probe.isFolder(path))) return found;
  const manifest = join(path, 'package.json');
  const main = await mainOf(manifest, { probe });
  if (main !== undefined) {
    found.push(manifest);
    for (const one of [main, ...ENDINGS.map((ending) => main + ending)]) if (await probe.isFile(one)) found.push(one);
  }
  for (const ending of ENDINGS) {
    const index = join(path, `index${ending}`);
    if (await probe.isFile(index)) found.push(index);
  }
  return found;
}

const manifestSchema = z.looseObject({ main: z.string().exactOptional(), imports: z.unknown().optional() });

async function mainOf(manifest: string, { probe }: Pick<Looking, 'probe'>): Promise<string | undefined> {
  const { main } = readManifest(await probe.text(manifest)) ?? {};
  return main === undefined ? undefined : resolve(dirname(manifest), main);
}

function readManifest(text: string | undefined): z.infer<typeof manifestSchema> | undefined {
  try {
    return manifestSchema.safeParse(JSON.parse(text ?? '')).data;
  } catch {
    return undefined;
  }
}

/** `#name`, by the `imports` of the nearest package: every file that they name for it, whatever the condition. */
async function ofInternal(name: string, source: Source, looking: Looking): Promise<Loads> {
  for (let folder = dirname(source.path); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    const read = readManifest(await looking.probe.text(manifest));
    if (read) {
      const imports = z.record(z.string(), z.unknown()).catch({}).parse(read.imports);
      const targets = Object.entries(imports).flatMap(([key, value]) => targetsOf(key, value, name));
      const files = await Promise.all(
        targets.filter((to) => to.startsWith('./')).map((to) => modulesAt(resolve(folder, to), looking)),
      );
      const uses = [manifest, ...files.flat()].map((path) => ({ path, cwd: source.cwd }));
      const isFound = targets.length > 0 && targets.every((to) => to.startsWith('./'));
      return { uses, unchecked: isFound ? [] : [{ code: 'package', of: name }] };
    }
    if (folder === dirname(folder)) return { uses: [], unchecked: [{ code: 'package', of: name }] };
  }
}

function targetsOf(key: string, value: unknown, name: string): readonly string[] {
  const [start = '', end] = key.split('*');
  const fits = end === undefined ? key === name : name.startsWith(start) && name.endsWith(end);
  if (!fits) return [];
  const star = end === undefined ? '' : name.slice(start.length, name.length - end.length);
  return stringsIn(value).map((target) => target.replaceAll('*', star));
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** A package below the folder whose files all belong to the thing. */
async function isOwnPackage(name: string, source: Source, { probe, within }: Looking): Promise<boolean> {
  if (within === undefined) return false;
  const own = name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  for (let folder = dirname(source.path); folder.startsWith(within); folder = dirname(folder)) {
    if (await probe.isFolder(join(folder, 'node_modules', own))) return true;
    if (folder === within) break;
  }
  return false;
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|sh|bash|py|rb|pl|php|lua|ps1|node|wasm)$/i;

function pathsInTexts(text: string): ReadonlySet<string> {
  const all = [...text.matchAll(ANY_TEXT)].map(([, , inner = '']) => inner);
  return new Set(all.filter((inner) => SCRIPT.test(inner) && !/[\s*?<>|]/.test(inner) && !/^\w+:\/\//.test(inner)));
}

/** Beside the script, and from the folder that it runs in: what is there counts. */
async function ofText(path: string, source: Source, { probe }: Looking): Promise<readonly Use[]> {
  const places = [...new Set([resolve(dirname(source.path), path), resolve(source.cwd, path)])];
  const there = await Promise.all(places.map(async (one) => ((await probe.isFile(one)) ? [one] : [])));
  return there.flat().map((one) => ({ path: one, cwd: source.cwd }));
}
