import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import { readJsonText } from '../../declarations/json-text.ts';
import type { Finder, Loads, Looking, Source, Unchecked } from './types.ts';
import { nothing, together } from './types.ts';

/** Scripts of a package.json: those that run, each as the command line that it is. */
export const packageScripts: Finder = async (source, looking) => {
  return await ofScripts(stringsOf(jsonOf(source.text), 'scripts'), source, looking);
};

/** Tasks of a deno.json. */
export const denoTasks: Finder = async (source, looking) => {
  return await ofScripts(stringsOf(jsonOf(source.text), 'tasks'), source, looking);
};

/** A Makefile: every recipe and every line that is run while it is read, with what it includes. */
export const makefile: Finder = async (source, looking) => {
  const { text, uses, unchecked } = await withIncludes(source, looking);
  const variables = makeVariables(text);
  const lines = text.split('\n').map((line) => ({ line, recipe: /^\t/.test(line) }));
  const commands = lines.filter(({ recipe }) => recipe).map(({ line }) => line.replace(/^\t[@+-]*/, ''));
  // A rule's recipe may stand behind it.
  for (const { line, recipe } of lines) {
    const inline = recipe ? undefined : /^[^#=\n]*:[^=\n;]*;([^\n]*)$/.exec(line)?.[1];
    if (inline !== undefined) commands.push(inline);
  }
  commands.push(...[...text.matchAll(/\$\(shell ([^\n)]*)\)/g)].map(([, line = '']) => line));
  const loads = await ofLines(
    commands.map((line) => expanded(line, variables)),
    source,
    looking,
  );
  return together([loads, { uses, unchecked }]);
};

/** Makefiles that one includes, and those in turn. */
const MOST_INCLUDED = 50;

/** What is included counts as if it stood there: its variables are known in all of it. */
async function withIncludes({ path, text, cwd }: Source, { probe }: Looking) {
  const texts: string[] = [];
  const paths = new Set([path]);
  const unchecked: Unchecked[] = [];
  const next = [text];
  for (let one = next.shift(); one !== undefined && paths.size < MOST_INCLUDED; one = next.shift()) {
    const read = one.replaceAll('\r\n', '\n').replace(/\\\n[ \t]*/g, ' ');
    texts.push(read);
    const variables = makeVariables(texts.join('\n'));
    for (const [, list = ''] of read.matchAll(/^ *(?:-|s)?include +([^\n#]*)/gm)) {
      for (const name of expanded(list, variables).trim().split(/\s+/)) {
        if (/[$*?%{]/.test(name)) unchecked.push({ code: 'computed', of: name, folders: [dirname(path)] });
        const at = resolve(cwd, name);
        if (/[$*?%{]/.test(name) || paths.has(at)) continue;
        paths.add(at);
        next.push((await probe.text(at)) ?? '');
      }
    }
  }
  paths.delete(path);
  return { text: texts.join('\n'), uses: [...paths].map((at) => ({ path: at, cwd })), unchecked };
}

function makeVariables(text: string): ReadonlyMap<string, string> {
  return assignedIn(text, /^ *(?:export +|override +)?([\w.-]+) *(?:::?:?|\?|\+)?= *([^\n#]*)$/gm);
}

/** A justfile: its recipes, whatever runs them, and what it imports. */
export const justfile: Finder = async (source, looking) => {
  const text = source.text.replaceAll('\r\n', '\n').replace(/\\\n[ \t]*/g, ' ');
  const variables = assignedIn(text, /^(?:export +)?([\w-]+) *:= *["']([^"'\n]*)["']/gm);
  const filled = text.replace(/\{\{ *([\w-]+) *\}\}/g, (whole, name: string) => variables.get(name) ?? whole);
  const commands = filled.split('\n').flatMap((line) => (/^[ \t]/.test(line) ? [line.replace(/^\s+[@-]*/, '')] : []));
  commands.push(...[...filled.matchAll(/`([^`\n]*)`/g)].map(([, line = '']) => line));
  const loads = await ofLines(commands, source, looking);
  const imported = [...text.matchAll(/^ *import\?? +["']([^"'\n]+)["']/gm)].map(([, path = '']) => path);
  const modules = [...text.matchAll(/^ *mod\?? +([\w-]+)(?: +["']([^"'\n]+)["'])?/gm)].flatMap(([, name = '', path]) =>
    path === undefined ? [`${name}.just`, `${name}/mod.just`, `${name}/justfile`] : [path],
  );
  return together([loads, files(imported, source), await there(modules, source, 'justfile', looking)]);
};

/** A Taskfile: every text in it may be a command. */
export const taskfile: Finder = async (source, looking) => {
  const lines = source.text.replaceAll('\r\n', '\n').split('\n');
  const commands = lines.map((line) =>
    line
      .replace(/^\s*(?:- +)?(?:(?:cmd|sh|cmds|deps|default|preconditions|status) *: *)?[|>]?/, '')
      .replace(/^["'](.*)["']$/, '$1'),
  );
  const loads = await ofLines(
    commands.filter((line) => line.trim() !== '' && !line.startsWith('#')),
    source,
    looking,
  );
  const included = lines.flatMap(
    (line) =>
      /^\s*(?:taskfile|[\w-]+) *: *["']?(\.{0,2}\/?[^"'\s#]+\.ya?ml|\.\.?\/[^"'\s#]+)["']?\s*$/.exec(line)?.[1] ?? [],
  );
  return together([
    loads,
    await there(
      included.flatMap((path) => [path, `${path}/Taskfile.yml`, `${path}/Taskfile.yaml`]),
      source,
      'taskfile',
      looking,
    ),
  ]);
};

function jsonOf(text: string): unknown {
  const read = readJsonText(text);
  return typeof read === 'string' ? undefined : read.value;
}

/** Names with their texts; a task of deno.json may be an object with its command. */
function stringsOf(value: unknown, field: string): Readonly<Record<string, string>> {
  const all = z.looseObject({ [field]: z.record(z.string(), z.unknown()) }).safeParse(value).data?.[field] ?? {};
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, of]) => {
      const line = typeof of === 'string' ? of : z.looseObject({ command: z.string() }).safeParse(of).data?.command;
      return line === undefined ? [] : [[name, line]];
    }),
  );
}

async function ofScripts(
  scripts: Readonly<Record<string, string>>,
  { path, only }: Source,
  looking: Looking,
): Promise<Loads> {
  const names = only ?? Object.keys(scripts);
  const lines = names.flatMap((name) => (Object.hasOwn(scripts, name) ? [scripts[name] ?? ''] : []));
  return together(await Promise.all(lines.map((command) => looking.ofCommand({ command }, dirname(path)))));
}

/** One text for all, so that it is read once. */
async function ofLines(lines: readonly string[], { path, cwd }: Source, looking: Looking): Promise<Loads> {
  if (lines.length === 0) return nothing;
  const command = lines.join('\n');
  const folders = [...new Set([cwd, dirname(path)])];
  return together(await Promise.all(folders.map((folder) => looking.ofCommand({ command }, folder))));
}

function files(names: readonly string[], { path, cwd }: Source): Loads {
  return { uses: names.map((name) => ({ path: resolve(dirname(path), name), as: 'justfile', cwd })), unchecked: [] };
}

async function there(
  names: readonly string[],
  { path, cwd }: Source,
  as: 'justfile' | 'taskfile',
  { probe }: Looking,
): Promise<Loads> {
  const paths = [...new Set(names.map((name) => resolve(dirname(path), name)))];
  const found = await Promise.all(
    paths.map(async (one) => ((await probe.isFile(one)) ? [{ path: one, as, cwd }] : [])),
  );
  return { uses: found.flat(), unchecked: [] };
}

function assignedIn(text: string, pattern: RegExp): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const several = new Set<string>();
  for (const [, name = '', value = ''] of text.matchAll(pattern)) {
    if (values.has(name) && values.get(name) !== value.trim()) several.add(name);
    values.set(name, value.trim());
  }
  for (const name of several) values.delete(name);
  return values;
}

/** Make's own variables; the shell's are written with two dollars. */
function expanded(line: string, variables: ReadonlyMap<string, string>): string {
  let text = line;
  for (let depth = 0; depth < 3; depth++) {
    text = text.replace(/(?<!\$)\$[({]([\w.-]+)[)}]/g, (whole, name: string) =>
      name === 'MAKE' ? 'make' : name === 'CURDIR' ? '.' : (variables.get(name) ?? whole),
    );
    if (text.length > 100_000) return line;
  }
  return text.replace(/(?<!\$)\$\(([\w.-]+)\)/g, (_, name: string) => `\${${name}}`).replaceAll('$$', '$');
}
