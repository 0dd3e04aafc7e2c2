import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { breathe } from '../kernel/slices.ts';
import { type ShellReader, shellReader } from '../safety/index.ts';

/** What a command's paths are relative to. */
export interface CommandPlace {
  /** Absolute. */
  readonly cwd: string;
  readonly home: string;
  /** Variables whose values are known, such as `CLAUDE_PROJECT_DIR`. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface NamedScripts {
  /** Absolute paths; a script that is not there yet is among them. */
  readonly files: readonly string[];
  /** What is run by its path: each with the places where it may be, of which one has to exist. */
  readonly programs: readonly { readonly text: string; readonly paths: readonly string[] }[];
  /** Words that name a path which only the shell will know. */
  readonly unknown: readonly string[];
  /** Each of the files with the interpreter that runs it, and the folder that it runs in. */
  readonly uses: readonly {
    readonly path: string;
    readonly by: string | undefined;
    readonly folder: string;
    /** It is run, or loaded by what is run; false: it is named, and may be anything. */
    readonly isRun: boolean;
  }[];
  /** Words that are run, by themselves or by an interpreter, and that only the shell will know. */
  readonly computed: readonly string[];
  /** The simple commands, each with the folders that it may run in. */
  readonly commands: readonly { readonly words: readonly string[]; readonly folders: readonly string[] }[];
  /** Text in it could not be read. */
  readonly unread: boolean;
}

export type NamingCommand = (
  | { readonly command: string; readonly args?: readonly string[] }
  /** A line for another shell, which is read by its words alone. */
  | { readonly command: string; readonly shell: 'powershell' }
) & {
  /** Variables that its definition sets: they can name what is run as well. */
  readonly env?: Readonly<Record<string, string>>;
};

/**
 * The files that a command line runs or reads, as far as its words tell: `./check.sh`, `node hooks/check.js`,
 * `"$CLAUDE_PROJECT_DIR"/x.sh`, `bash < setup.sh`. Programs that are found by PATH are not among them.
 *
 * A word counts when it looks like a script, or names a file that is there and is no plain data: rather a file too many,
 * which is asked about when it changes, than one too few. The system's own programs change with its updates.
 */
export async function scriptsOfCommand(
  of: NamingCommand,
  place: CommandPlace,
  isFile: (path: string) => Promise<boolean> = isFileNow,
): Promise<NamedScripts> {
  await breathe();
  const reader = await shellReader({ powershell: false });
  const words = [
    ...wordsOf(of, place, reader),
    ...Object.values(of.env ?? {}).flatMap((value) => wordsOfValue(withVariables(value, place), [place.cwd])),
  ];
  const named = words.map((word) => ({ word, paths: pathsOf(word, place) }));
  const found = await Promise.all(
    named.flatMap(({ word, paths }) =>
      paths.map(async ({ text, path }) => {
        if (SYSTEM.test(path)) return [];
        if (word.by !== undefined) return (await modulesAt(path, isFile)).map((file) => ({ path: file, word }));
        const counts = word.runs || looksLikeScript(text) || (!DATA.test(text) && (await isFile(path)));
        return counts ? [{ path, word }] : [];
      }),
    ),
  );
  const files = found.flat();
  const unknown = words.filter(
    ({ text, by }) => text.includes(UNKNOWN_PATH) && (by !== undefined || looksLikePath(text)),
  );
  return {
    files: [...new Set(files.map(({ path }) => path))].sort(),
    programs: named
      .filter(({ word, paths }) => word.runs && paths.length > 0)
      .map(({ word, paths }) => ({ text: word.text, paths: paths.map(({ path }) => path) })),
    unknown: [...new Set(unknown.map(({ text }) => text))],
    uses: files.map(({ path, word }) => ({
      path,
      by: word.by,
      folder: word.folders.at(-1) ?? place.cwd,
      isRun: word.runs || word.by !== undefined || word.isLoaded === true,
    })),
    computed: words.flatMap(({ text, by, command }) =>
      text.includes(UNKNOWN_PATH) && (by ?? command) !== undefined ? [text] : [],
    ),
    commands: words.flatMap(({ command, folders }) => (command === undefined ? [] : [{ words: command, folders }])),
    unread: words.some(({ isUnread }) => isUnread),
  };
}

interface NamingWord {
  readonly text: string;
  /** The word that is run: a path there is a script, whatever its name. */
  readonly runs: boolean;
  /** The interpreter whose program it is: a script whatever its name is, or a module whose ending is left out. */
  readonly by?: string;
  /** What is run loads it: the value of an option or a variable that says so, the input of an interpreter. */
  readonly isLoaded?: boolean;
  /** Of the first word of a simple command: all its words. */
  readonly command?: readonly string[];
  /** It stands for text that could not be read. */
  readonly isUnread?: boolean;
  /** The folders that it may be relative to: a `cd` before it may have moved. */
  readonly folders: readonly string[];
}

const UNREAD: NamingWord = { text: '', runs: false, folders: [], isUnread: true };

/** What the reader of shell text writes for an expansion. */
const UNKNOWN_PATH = '…';

/** Shells whose `-c` is followed by a command line. */
const SHELLS = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/;

/** Programs that run the file that they are given. */
const INTERPRETERS =
  /^(?:.*[\\/])?(?:(?:ba|da|z|k|a|fi)?sh|node(?:js)?|bun|deno|tsx|ts-node|(?:python|pypy|ruby|perl|php|lua)[\d.]*|pwsh|powershell|osascript|Rscript|source|\.)(?:\.exe)?$/;

/** What an interpreter may leave out of a module's name. */
const MODULES = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '.py'].concat(
  ['package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.ts', '__main__.py', '__init__.py'].map(
    (name) => `/${name}`,
  ),
);

const SCRIPT = /\.(?:sh|bash|zsh|fish|[cm]?[jt]sx?|py|rb|pl|php|lua|ps1|psm1|cmd|bat|exe|jar|go|rs|swift|awk|sed)$/i;

/** Options and variables whose value is loaded by what is run. */
const LOADED_OPTION =
  /^(?:-f|--file|-r|--require|--import|--loader|--experimental-loader|--preload|--rcfile|--init-file)$/;
const LOADED_VALUE = /^--(?:file|require|import|loader|experimental-loader|preload|rcfile|init-file)=/;
const LOADED_VARIABLE =
  /^(?:NODE_OPTIONS|BASH_ENV|ENV|PYTHONSTARTUP|PYTHONPATH|RUBYOPT|PERL5OPT|LD_PRELOAD|ZDOTDIR)\+?=/;

const DATA = /\.(?:md|txt|log|lock|csv|tsv|jsonc?|jsonl|ya?ml|toml|xml|html?|css|svg|png|jpe?g|gif|pdf)$/i;

const SYSTEM = /^(?:\/usr)?\/s?bin\//;

/** Commands in commands; a line that goes deeper is nothing that people write. */
const DEEPEST = 6;

function wordsOf(of: NamingCommand, place: CommandPlace, reader: ShellReader): readonly NamingWord[] {
  if ('args' in of && of.args) {
    const folders = [place.cwd];
    const texts = [of.command, ...of.args].map((text) => withVariables(text, place));
    const words = namingWords(texts, folders);
    const line = lineOfShell(texts);
    return line === undefined ? words : [...words, ...wordsOfLine(line, { place, reader }, folders, 1)];
  }
  if ('shell' in of) {
    const texts = of.command.match(/"[^"]*"|'[^']*'|[^\s;|&(){}]+/g) ?? [];
    const words = texts.map((text) => withVariables(text.replace(/^(["'])(.*)\1$/, '$2'), place));
    // Where a command begins is not read here: each word may be one.
    return words.map((text, index) => ({
      text,
      runs: false,
      folders: [place.cwd],
      command: words.slice(index),
    }));
  }
  return wordsOfLine(of.command, { place, reader }, [place.cwd], 0);
}

interface Reading {
  readonly place: CommandPlace;
  readonly reader: ShellReader;
}

function wordsOfLine(line: string, reading: Reading, from: readonly string[], depth: number): readonly NamingWord[] {
  if (depth > DEEPEST) return [];
  const { place, reader } = reading;
  const marked = markVariables(line, place);
  const script = reader.read(marked.line, 'posix');
  let folders = from;
  const words: NamingWord[] = script.unsure === undefined ? [] : [UNREAD];
  for (const command of script.commands) {
    const texts = command.words.map(({ text }) => marked.resolve(text));
    words.push(...namingWords(texts, folders));
    for (const { operator, target } of command.redirects) {
      if (operator !== '<') continue;
      const isLoaded = texts.some((text) => INTERPRETERS.test(text));
      words.push({ text: marked.resolve(target), runs: false, folders, isLoaded });
    }
    for (const assignment of command.assignments) {
      const isLoaded = LOADED_VARIABLE.test(assignment.text);
      const values = wordsOfValue(marked.resolve(assignment.text.replace(/^\w+\+?=/, '')), folders);
      words.push(...values.map((value) => ({ ...value, isLoaded })));
    }
    const inner = lineOfShell(texts);
    if (inner !== undefined) words.push(...wordsOfLine(inner, reading, folders, depth + 1));
    if (texts[0] === 'cd' || texts[0] === 'pushd') folders = [...folders, ...moved(texts[1], folders, place)];
  }
  const inner = script.commands.flatMap(({ stdin }) => stdin).map(marked.resolve);
  return [...words, ...inner.flatMap((text) => wordsOfLine(text, reading, folders, depth + 1))];
}

function namingWords(texts: readonly string[], folders: readonly string[]): readonly NamingWord[] {
  const programs = programsOf(texts);
  return texts.map((text, index) => ({
    // `python -m hooks.check`
    text: programs.has(index) && texts[index - 1] === '-m' ? text.replaceAll('.', '/') : text,
    runs: index === 0 && looksLikePath(text),
    folders,
    ...(programs.has(index) ? { by: programs.get(index) ?? '' } : {}),
    ...(index === 0 ? { command: texts } : {}),
    ...(LOADED_OPTION.test(texts[index - 1] ?? '') || LOADED_VALUE.test(text) ? { isLoaded: true } : {}),
  }));
}

/**
 * Where an interpreter's words may name its program: up to the first word that is no option and follows none. `-r ./x`
 * runs its value as well.
 */
function programsOf(texts: readonly string[]): ReadonlyMap<number, string> {
  const programs = new Map<number, string>();
  const interpreter = texts.findIndex((text) => INTERPRETERS.test(text));
  if (interpreter < 0) return programs;
  for (let index = interpreter + 1; index < texts.length; index++) {
    const before = index > interpreter + 1 ? (texts[index - 1] ?? '') : '';
    // The line of `bash -c` and of `node -e` is no name.
    if (texts[index]?.startsWith('-') || /^-\w*[ce]$/.test(before)) continue;
    programs.set(index, texts[interpreter] ?? '');
    if (!before.startsWith('-') || before === '-m') break;
  }
  return programs;
}

/** A variable can name what runs: `NODE_OPTIONS='--require ./x'`, `BASH_ENV=./x`. */
function wordsOfValue(value: string, folders: readonly string[]): readonly NamingWord[] {
  return [...new Set([value, ...value.split(/[\s=:;,]+/)])].map((text) => ({ text, runs: false, folders }));
}

function moved(to: string | undefined, folders: readonly string[], place: CommandPlace): readonly string[] {
  if (to === undefined || to.includes(UNKNOWN_PATH)) return [];
  return folders.map((folder) => resolve(folder, withHome(to, place)));
}

/** `bash -lc '…'` and `eval …`: the line that is run by it. */
function lineOfShell(words: readonly string[]): string | undefined {
  const shell = words.findIndex((word) => SHELLS.test(word));
  const option = words.findIndex((word, index) => index > shell && /^-\w*c$/.test(word));
  if (shell >= 0 && option > 0) return words[option + 1];
  return words[0] === 'eval' ? words.slice(1).join(' ') : undefined;
}

/**
 * Known variables are put in after the line is read, as the shell does, so that a value with spaces stays one word.
 * `$(git rev-parse --show-toplevel)` is how many hooks name their project.
 */
function markVariables(line: string, place: CommandPlace): { line: string; resolve(text: string): string } {
  const values: string[] = [];
  const mark = (value: string): string => `${MARK}${values.push(value) - 1}${MARK}`;
  const marked = line
    .replace(/\$\(\s*git rev-parse --show-toplevel\s*\)|`\s*git rev-parse --show-toplevel\s*`/g, () => mark(place.cwd))
    .replace(VARIABLE, (whole, braced: string | undefined, bare: string | undefined) => {
      const value = variable(braced ?? bare ?? '', place) ?? usualValue(whole);
      return value === undefined ? whole : mark(value);
    });
  return {
    line: marked,
    resolve: (text) => text.replace(MARKED, (_, index: string) => values[Number(index)] ?? ''),
  };
}

const VARIABLE = /\$\{(\w+)(?::?[-=?+][^}]*)?\}|\$(\w+)/g;
/** A private character: no command line holds it. */
const MARK = '\uE000';
const MARKED = /\uE000(\d+)\uE000/g;

function withVariables(text: string, place: CommandPlace): string {
  return text
    .replace(/\$env:(\w+)|%(\w+)%/gi, (whole, one: string | undefined, other: string | undefined) => {
      return variable(one ?? other ?? '', place) ?? whole;
    })
    .replace(VARIABLE, (whole, braced: string | undefined, bare: string | undefined) => {
      return variable(braced ?? bare ?? '', place) ?? usualValue(whole) ?? whole;
    });
}

function variable(name: string, { variables }: CommandPlace): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** `${NAME:-./x.sh}`: what it is where nothing sets it. */
function usualValue(expansion: string): string | undefined {
  return /^\$\{\w+:?[-=]([^}]*)\}$/.exec(expansion)?.[1];
}

function pathsOf(word: NamingWord, place: CommandPlace): readonly { text: string; path: string }[] {
  // `--config=./x.json` names a file too.
  const value = /^--?[\w-]+=(.+)$/.exec(word.text)?.[1];
  return [word.text, ...(value === undefined ? [] : [value])]
    .filter((text) => text !== '' && !text.startsWith('-') && !text.includes(UNKNOWN_PATH))
    .filter((text) => !/^\w+:\/\//.test(text) && !text.includes('\n') && !text.includes('\0'))
    .flatMap((text) => {
      const path = withHome(text, place);
      return isAbsolute(path)
        ? [{ text, path: resolve(path) }]
        : word.folders.map((folder) => ({ text, path: resolve(folder, path) }));
    });
}

function withHome(text: string, place: CommandPlace): string {
  return text === '~' || text.startsWith('~/') ? `${place.home}${text.slice(1)}` : text;
}

function looksLikePath(text: string): boolean {
  return /[\\/]/.test(text);
}

function looksLikeScript(text: string): boolean {
  return SCRIPT.test(text) && !/[\s*?]/.test(text.replace(/^.*[\\/]/, ''));
}

/** What an interpreter takes for that path. */
async function modulesAt(path: string, isFile: (path: string) => Promise<boolean>): Promise<readonly string[]> {
  const candidates = MODULES.map((ending) => `${path}${ending}`);
  const found = await Promise.all(candidates.map(async (file) => ((await isFile(file)) ? [file] : [])));
  // One that is not there yet counts where nothing else could be meant.
  return (await isFile(path)) || looksLikeScript(path) ? [path, ...found.flat()] : found.flat();
}

async function isFileNow(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
