import { basename, extname } from 'node:path';
import { type CommandPlace, type NamingCommand, scriptsOfCommand } from '../scripts-of-command.ts';
import { javascript } from './javascript.ts';
import { otherLanguage } from './other-languages.ts';
import { Probe } from './probe.ts';
import { python } from './python.ts';
import { ofRunner } from './runners.ts';
import { shell } from './shell.ts';
import { denoTasks, justfile, makefile, packageScripts, taskfile } from './task-files.ts';
import type { Finder, Language, Loads, Looking, Starts, Unchecked, Use } from './types.ts';
import { together } from './types.ts';

export type { Starts, Unchecked } from './types.ts';

export interface Loaded {
  /** Absolute; what is started, and what it loads as far as it is found. */
  readonly files: readonly string[];
  readonly unchecked: readonly Unchecked[];
}

/** Files that one thing may load; more are not looked through. */
const MOST_FILES = 400;
/** Files that load files; a chain that is longer is not followed. */
const DEEPEST = 64;
/** Commands in scripts of commands. */
const MOST_COMMANDS = 400;
/** Reasons that are kept. */
const MOST_UNCHECKED = 20;

/** Finds what things load, and finds it again in a few looks while nothing of it has changed. */
export class LoadedFiles {
  readonly #known = new Map<string, { readonly starts: string; readonly probe: Probe; readonly loaded: Loaded }>();

  /** @param id of the thing @returns never rejects */
  async of(id: string, starts: Starts): Promise<Loaded> {
    const key = JSON.stringify(starts);
    const known = this.#known.get(id);
    if (known?.starts === key && (await known.probe.isAsBefore())) return known.loaded;
    const probe = new Probe();
    const loaded = await new Search(starts, probe).run();
    this.#known.set(id, { starts: key, probe, loaded });
    return loaded;
  }
}

class Search {
  readonly #starts: Starts;
  readonly #probe: Probe;
  readonly #looking: Looking;
  readonly #files = new Set<string>();
  readonly #done = new Set<string>();
  readonly #unchecked = new Map<string, Unchecked>();
  #commands = 0;
  #isOver = false;

  constructor(starts: Starts, probe: Probe) {
    this.#starts = starts;
    this.#probe = probe;
    this.#looking = {
      probe,
      within: starts.within,
      ofText: (source) => finders[source.as](source, this.#looking),
      ofCommand: async (command, cwd, more = {}) => {
        const { place } = starts;
        const within = { ...place, cwd, variables: { ...place.variables, ...more } };
        const { uses, unchecked } = await this.#ofCommand(command, within);
        // What a script only names may be what it writes.
        return { uses: uses.filter(({ isRun }) => isRun), unchecked };
      },
    };
  }

  async run(): Promise<Loaded> {
    const { command, place, scripts = [] } = this.#starts;
    const first = command ? await this.#ofCommand(command, place) : { uses: [], unchecked: [] };
    // What it only names may be what it writes; the thing itself says which of that counts.
    const run = first.uses.filter(({ isRun }) => isRun);
    let next: readonly Use[] = [...run, ...scripts.map((path) => ({ path, cwd: place.cwd }))];
    this.#note(first.unchecked);
    for (let depth = 0; next.length > 0; depth++) {
      const now = next.filter((use) => this.#isNew(use));
      if (depth === DEEPEST && now.length > 0) this.#isOver = true;
      if (depth === DEEPEST) break;
      const loads = [];
      // One after the other: each may hold the thread for a moment.
      for (const use of now) loads.push(await this.#ofFile(use));
      const { uses, unchecked } = together(loads);
      this.#note(unchecked);
      next = uses;
    }
    const tooMuch = this.#isOver || this.#probe.isOver;
    return {
      files: [...this.#files].sort(),
      unchecked: [
        ...(tooMuch ? [{ code: 'too_much' as const, of: command?.command ?? '' }] : []),
        ...this.#unchecked.values(),
      ],
    };
  }

  #isNew({ path, as, cwd, only }: Use): boolean {
    const key = JSON.stringify([path, as, cwd, only]);
    if (this.#done.has(key)) return false;
    this.#done.add(key);
    const isOver = (!this.#files.has(path) && this.#files.size >= MOST_FILES) || this.#done.size > MOST_FILES * 2;
    if (isOver) this.#isOver = true;
    else this.#files.add(path);
    return !isOver;
  }

  #note(unchecked: readonly Unchecked[]): void {
    for (const one of unchecked) {
      if (this.#unchecked.size >= MOST_UNCHECKED) return;
      const of = one.of.length > 200 ? `${one.of.slice(0, 200)}…` : one.of;
      this.#unchecked.set(`${one.code} ${of}`, { ...one, of });
    }
  }

  async #ofFile(use: Use): Promise<Loads> {
    const text = await this.#probe.text(use.path);
    if (text === undefined) {
      const isThere = await this.#probe.isFile(use.path);
      return { uses: [], unchecked: isThere && !isData(use.path) ? [{ code: 'unread', of: use.path }] : [] };
    }
    const as = use.as ?? languageOf(use.path, text);
    if (as === undefined) {
      const isRead = isData(use.path) || !text.startsWith('#!');
      return { uses: [], unchecked: isRead ? [] : [{ code: 'unread', of: use.path }] };
    }
    return await finders[as]({ ...use, as, text }, this.#looking);
  }

  async #ofCommand(command: NamingCommand, place: CommandPlace): Promise<CommandLoads> {
    if (++this.#commands > MOST_COMMANDS) {
      this.#isOver = true;
      return { uses: [], unchecked: [] };
    }
    const scripts = await scriptsOfCommand(command, place, (path) => this.#probe.isFile(path));
    const { uses, commands, computed, unread } = scripts;
    const unchecked = [...computed, ...(unread ? [command.command] : [])].map((of) => ({
      code: 'computed' as const,
      of,
    }));
    const run = together(await Promise.all(commands.map((one) => ofRunner(one, this.#looking))));
    return {
      uses: [
        ...uses.map(({ path, by, folder, isRun }) => ({ path, cwd: folder, isRun, ...languageBy(by) })),
        ...run.uses.map((use) => ({ ...use, isRun: true })),
      ],
      unchecked: [...unchecked, ...run.unchecked],
    };
  }
}

interface CommandLoads {
  readonly uses: readonly (Use & { readonly isRun: boolean })[];
  readonly unchecked: readonly Unchecked[];
}

const finders: Readonly<Record<Language, Finder>> = {
  javascript,
  python,
  shell,
  ruby: otherLanguage,
  perl: otherLanguage,
  php: otherLanguage,
  lua: otherLanguage,
  powershell: otherLanguage,
  package: packageScripts,
  makefile,
  justfile,
  taskfile,
  denofile: denoTasks,
};

const NAMES: readonly (readonly [RegExp, Language])[] = [
  [/^(?:(?:ba|da|z|k|a|fi)?sh|source|\.)$/, 'shell'],
  [/^(?:node(?:js)?|bun|deno|tsx|ts-node)$/, 'javascript'],
  [/^(?:python|pypy)[\d.]*w?$/, 'python'],
  [/^ruby[\d.]*$/, 'ruby'],
  [/^perl[\d.]*$/, 'perl'],
  [/^php[\d.]*$/, 'php'],
  [/^lua[\d.]*$/, 'lua'],
  [/^(?:pwsh|powershell)$/, 'powershell'],
];

const ENDINGS: readonly (readonly [RegExp, Language])[] = [
  [/^\.(?:[cm]?[jt]sx?)$/, 'javascript'],
  [/^\.pyw?$/, 'python'],
  [/^\.(?:sh|bash|zsh|fish|ksh)$/, 'shell'],
  [/^\.(?:rb|rake)$/, 'ruby'],
  [/^\.(?:pl|pm)$/, 'perl'],
  [/^\.php$/, 'php'],
  [/^\.lua$/, 'lua'],
  [/^\.psm?1$/, 'powershell'],
];

/** By what runs it; a file is read by its own ending where that says something else (`tsx x.sh`). */
function languageBy(by: string | undefined): { as?: Language } {
  const name = basename(by ?? '').replace(/\.exe$/i, '');
  const found = NAMES.find(([pattern]) => pattern.test(name))?.[1];
  return found === undefined ? {} : { as: found };
}

function languageOf(path: string, text: string): Language | undefined {
  const [, program = '', argument = ''] = /^#! *(\S+)(?: +(?:-S +)?(\S+))?/.exec(text.slice(0, 200)) ?? [];
  const byName = basename(program) === 'env' ? argument : program;
  const byLine = languageBy(byName).as;
  if (byLine !== undefined) return byLine;
  const ending = extname(path).toLowerCase();
  // A shell runs what names no program.
  if (ending === '' && byName === '' && !basename(path).startsWith('.')) return 'shell';
  return ENDINGS.find(([pattern]) => pattern.test(ending))?.[1];
}

function isData(path: string): boolean {
  return /\.(?:json[c5l]?|ya?ml|toml|txt|md|csv|lock|png|jpe?g|gif|svg|ico|pdf|woff2?|map)$/i.test(path);
}
