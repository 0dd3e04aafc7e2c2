import { basename, join, resolve } from 'node:path';
import type { Language, Loads, Looking, Unchecked, Use } from './types.ts';
import { nothing, together } from './types.ts';

/** One simple command: its words, and the folders that it may run in. */
export interface RunCommand {
  readonly words: readonly string[];
  readonly folders: readonly string[];
}

/**
 * What a program runs that is named by no path in its words: scripts of a package, targets of a Makefile, packages, what
 * is found when it runs.
 */
export async function ofRunner({ words, folders }: RunCommand, looking: Looking): Promise<Loads> {
  const all: Loads[] = [];
  // `env`, `exec`, `time` and the like come before what is run.
  for (const [index, word] of words.entries()) {
    const name = basename(word).replace(/\.(?:exe|cmd|bat)$/i, '');
    const rest = words.slice(index + 1);
    const runner = Object.hasOwn(runners, name) ? runners[name] : undefined;
    const isFirst = words.slice(0, index).every((before) => PREFIX.test(before));
    if (runner && (isFirst || (index > 0 && /^(?:-exec|-execdir|xargs)$/.test(words[index - 1] ?? ''))))
      for (const folder of folders)
        all.push(await runner({ name, rest, folder, line: shortLine(name, rest) }, looking));
    if (isFirst && !PREFIX.test(word)) {
      all.push(await ofProgram(word, folders, looking));
      if (!runner) break;
    }
  }
  return together(all);
}

/** For people: without options and their values, which may hold what nobody should see. */
function shortLine(name: string, rest: readonly string[]): string {
  const first = rest.find((word) => !word.startsWith('-') && !word.includes('='));
  return first === undefined ? name : `${name} ${first}`;
}

const PREFIX = /^(?:env|exec|command|time|nohup|nice|sudo|timeout|xvfb-run|then|do|else|!|-.*|\d+[smh]?|\w+=.*)$/;

interface Run {
  readonly name: string;
  readonly rest: readonly string[];
  readonly folder: string;
  readonly line: string;
}

type Runner = (run: Run, looking: Looking) => Promise<Loads> | Loads;

const runners: Readonly<Record<string, Runner>> = {
  ...named('npm pnpm yarn bun', packageManager),
  ...named('node nodejs', nodeRun),
  ...named('python python2 python3 pypy pypy3', (run, looking) => inline(run, 'python', /^-\w*c$/, looking)),
  ruby: (run, looking) => inline(run, 'ruby', /^-\w*e$/, looking),
  perl: (run, looking) => inline(run, 'perl', /^-\w*[eE]$/, looking),
  php: (run, looking) => inline(run, 'php', /^-r$/, looking),
  lua: (run, looking) => inline(run, 'lua', /^-e$/, looking),
  ...named('npx pnpx bunx uvx pipx corepack docker podman nerdctl docker-compose nix nix-shell devbox', ({ line }) =>
    unchecked('package', line),
  ),
  deno: ({ rest, folder, line }, looking) =>
    rest[0] === 'task'
      ? denoTask(folder, rest.slice(1), looking)
      : rest[0] === 'run'
        ? nothing
        : unchecked('tool', line, [folder]),
  ...named('make gmake', ({ rest, folder }, looking) =>
    inFolder(rest, folder, '-C', '--directory', (at) =>
      file(
        'makefile',
        at,
        option(rest, '-f', '--file', '--makefile'),
        ['GNUmakefile', 'makefile', 'Makefile'],
        looking,
      ),
    ),
  ),
  just: ({ rest, folder }, looking) =>
    inFolder(rest, folder, '-d', '--working-directory', (at) =>
      file('justfile', at, option(rest, '-f', '--justfile'), ['justfile', 'Justfile', '.justfile'], looking),
    ),
  task: ({ rest, folder }, looking) =>
    inFolder(rest, folder, '-d', '--dir', (at) =>
      file('taskfile', at, option(rest, '-t', '--taskfile'), TASKFILES, looking),
    ),
  find: ({ rest, folder, line }) =>
    /^-(?:exec|ok)(?:dir)?$/m.test(rest.join('\n')) ? unchecked('computed', line, foldersIn(rest, folder)) : nothing,
  ...named('xargs parallel', ({ rest, folder, line }) =>
    rest.some((word) => INTERPRETER.test(word)) ? unchecked('computed', line, [folder]) : nothing,
  ),
  'run-parts': ({ rest, folder, line }) => unchecked('computed', line, foldersIn(rest, folder)),
  // Each builds, tests or loads what is in the folder, by settings of its own.
  ...named(
    `cargo go dotnet mvn mvnw gradle gradlew bazel bazelisk cmake ctest ninja meson rake bundle tox nox pytest poetry pdm uv hatch
    rye pre-commit lefthook husky mix lein sbt stack cabal dune swift xcodebuild zig composer phpunit ant buck2 pants waf scons
    tsx ts-node tsc eslint prettier biome jest vitest mocha ava playwright cypress webpack vite rollup esbuild turbo nx lerna
    gulp grunt rubocop rspec flake8 pylint mypy ruff black isort golangci-lint direnv mise asdf terraform ansible-playbook
    vagrant act dagger earthly lua-language-server`,
    ({ line, folder }) => unchecked('tool', line, [folder]),
  ),
};

const INTERPRETER = /^(?:.*\/)?(?:(?:ba|da|z|k|a|fi)?sh|node|python[\d.]*|ruby|perl|php|env)$/;
const TASKFILES = ['Taskfile', 'taskfile'].flatMap((name) =>
  ['.yml', '.yaml', '.dist.yml', '.dist.yaml'].map((ending) => name + ending),
);

function named(names: string, runner: Runner): Record<string, Runner> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, runner]));
}

function unchecked(code: Unchecked['code'], of: string, folders?: readonly string[]): Loads {
  return { uses: [], unchecked: [{ code, of, ...(folders === undefined ? {} : { folders }) }] };
}

/** A program that lies in the workspace's packages, by its path or because a script of the package finds it there. */
async function ofProgram(word: string, folders: readonly string[], { probe }: Looking): Promise<Loads> {
  if (/node_modules[\\/]|(?:^|[\\/])(?:\.?venv|env)[\\/](?:bin|Scripts)[\\/]/.test(word))
    return unchecked('package', word);
  if (/[\\/]/.test(word) || word === '') return nothing;
  for (const folder of folders) {
    if (await probe.isFile(join(folder, 'node_modules/.bin', word))) return unchecked('package', word);
  }
  return nothing;
}

/** Of npm and its like, what stands before the name of the script. */
const WITH_VALUE = /^(?:--prefix|-C|--dir|--cwd|--filter|-F|-w|--workspace|--loglevel)$/;
const RUN = /^(?:run|run-script|rum|urn|rb|rb-run)$/;
const LIFECYCLE = /^(?:test|tst|t|start|stop|restart)$/;

async function packageManager({ name, rest, folder, line }: Run, looking: Looking): Promise<Loads> {
  let at = folder;
  let index = 0;
  for (; rest[index]?.startsWith('-'); index++) {
    const [option = '', value] = (rest[index] ?? '').split('=', 2);
    if (/^(?:-w|--workspaces?|--filter|-F|-r|--recursive|-ws)$/.test(option))
      return unchecked('computed', line, [folder]);
    if (!WITH_VALUE.test(option)) continue;
    const given = value ?? rest[++index] ?? '.';
    if (/^(?:--prefix|-C|--dir|--cwd)$/.test(option)) at = resolve(folder, given);
  }
  const [verb = '', ...words] = rest.slice(index);
  const options = words.filter((word) =>
    /^(?:-w|--workspaces?|-ws|--filter|--prefix|--dir|--cwd|-C)(?:=|$)/.test(word),
  );
  if (options.length > 0) return unchecked('computed', line, [folder]);
  if (RUN.test(verb)) {
    const script = words.find((word) => !word.startsWith('-'));
    return script === undefined ? nothing : await scripts([script], at, name, line, looking);
  }
  if (LIFECYCLE.test(verb)) return await scripts([/^t/.test(verb) ? 'test' : verb], at, name, line, looking);
  // `yarn lint`, `pnpm lint`; npm has no such form, and its verbs start no script of this package by its name.
  const isVerb = VERBS.test(verb);
  if (name !== 'npm' && !isVerb && verb !== '') return await scripts([verb], at, name, line, looking);
  return QUIET.test(verb) || verb === '' ? nothing : unchecked('package', line);
}

const VERBS =
  /^(?:add|audit|autoclean|bin|build|cache|check|ci|config|create|dedupe|dlx|env|exec|fetch|global|help|i|import|info|init|install|link|list|ls|node|outdated|pack|patch|pm|prune|publish|rebuild|remove|rm|root|self-update|store|unlink|up|update|upgrade|version|versions|view|why|workspace|workspaces|x)$/;
/** They start nothing of the package. */
const QUIET = /^(?:audit|bin|cache|config|help|info|list|ls|outdated|root|view|why|version|versions|-v|--version)$/;

async function scripts(
  names: readonly string[],
  from: string,
  manager: string,
  line: string,
  looking: Looking,
): Promise<Loads> {
  const { probe } = looking;
  const manifest = await upwards(from, 'package.json', probe);
  // `bun run x.ts`
  const file = manager === 'bun' ? await probe.first(names.map((name) => resolve(from, name))) : undefined;
  if (file !== undefined) return { uses: [{ path: file, cwd: from }], unchecked: [] };
  if (manifest === undefined)
    return { uses: [{ path: join(from, 'package.json'), as: 'package', cwd: from, only: names }], unchecked: [] };
  const folder = resolve(manifest, '..');
  // Each can name a shell or a program that comes first.
  const settings = ['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'bunfig.toml', 'pnpm-workspace.yaml'];
  const there = await Promise.all(
    settings.map(async (name) => ((await probe.isFile(join(folder, name))) ? [join(folder, name)] : [])),
  );
  const starts = /script-shell|node-options|yarnPath|preload/;
  const texts = await Promise.all(there.flat().map((path) => probe.text(path)));
  return {
    uses: [
      {
        path: manifest,
        as: 'package',
        cwd: folder,
        only: names.flatMap((name) => [`pre${name}`, name, `post${name}`]),
      },
      ...there.flat().map((path) => ({ path, cwd: folder })),
    ],
    unchecked: texts.some((text) => text !== undefined && starts.test(text)) ? [{ code: 'computed', of: line }] : [],
  };
}

/** `node --run lint`, `node -e '…'` */
async function nodeRun(run: Run, looking: Looking): Promise<Loads> {
  const { rest, folder, line } = run;
  const name = option(rest, '--run');
  if (name !== undefined) return await scripts([name], folder, 'npm', line, looking);
  const settings = rest.some((word) =>
    /^--(?:env-file|experimental-default-config-file|experimental-config-file)/.test(word),
  );
  const loads = await inline(run, 'javascript', /^(?:-\w*[ep]|--eval|--print)$/, looking);
  return settings ? together([loads, unchecked('computed', line)]) : loads;
}

/** Code in the command line, or that it reads from what is written into it. */
async function inline({ rest, folder, line }: Run, as: Language, option: RegExp, looking: Looking): Promise<Loads> {
  const at = rest.findIndex((word) => option.test(word));
  const code = at < 0 ? undefined : rest[at + 1];
  if (code !== undefined) return await looking.ofText({ path: join(folder, '[inline]'), as, cwd: folder, text: code });
  const hasFile =
    rest.some((word) => !word.startsWith('-')) || rest.some((word) => /^--?(?:version|help|[vVh])$/.test(word));
  return hasFile ? nothing : unchecked('computed', line);
}

async function denoTask(folder: string, rest: readonly string[], looking: Looking): Promise<Loads> {
  for (const name of ['deno.json', 'deno.jsonc']) {
    const path = await upwards(folder, name, looking.probe);
    const only = rest.filter((word) => !word.startsWith('-')).slice(0, 1);
    if (path !== undefined)
      return {
        uses: [{ path, as: 'denofile', cwd: resolve(path, '..'), ...(only.length ? { only } : {}) }],
        unchecked: [],
      };
  }
  return await scripts(rest.slice(0, 1), folder, 'npm', `deno task ${rest.join(' ')}`, looking);
}

async function upwards(from: string, name: string, probe: Looking['probe']): Promise<string | undefined> {
  for (let folder = from; ; folder = resolve(folder, '..')) {
    if (await probe.isFile(join(folder, name))) return join(folder, name);
    if (folder === resolve(folder, '..')) return undefined;
  }
}

async function file(
  as: Language,
  folder: string,
  named: string | undefined,
  usual: readonly string[],
  { probe }: Looking,
): Promise<Loads> {
  const path =
    named === undefined ? await probe.first(usual.map((name) => join(folder, name))) : resolve(folder, named);
  const use: Use = { path: path ?? join(folder, usual.at(-1) ?? ''), as, cwd: folder };
  return { uses: [use], unchecked: [] };
}

async function inFolder(
  rest: readonly string[],
  folder: string,
  short: string,
  long: string,
  find: (at: string) => Promise<Loads>,
): Promise<Loads> {
  const to = option(rest, short, long);
  return await find(to === undefined ? folder : resolve(folder, to));
}

/** The value of an option: `-C x`, `-Cx`, `--directory x`, `--directory=x`. */
function option(words: readonly string[], ...names: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    for (const name of names) {
      if (word === name) return words[index + 1];
      if (name.startsWith('--') && word.startsWith(`${name}=`)) return word.slice(name.length + 1);
      if (!name.startsWith('--') && word.startsWith(name) && !word.startsWith('--')) return word.slice(name.length);
    }
  }
  return undefined;
}

/** Where `find` begins: its words before the first test. */
function foldersIn(rest: readonly string[], folder: string): readonly string[] {
  const end = rest.findIndex((word) => /^[-(!]/.test(word) && !/^-[HLPDO]/.test(word));
  const named = rest
    .slice(0, end < 0 ? rest.length : end)
    .filter((word) => !word.startsWith('-') && !word.includes('…'));
  return named.length > 0 ? named.map((name) => resolve(folder, name)) : [folder];
}
