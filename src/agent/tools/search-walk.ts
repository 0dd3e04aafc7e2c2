/**
 * Searching without ripgrep: our own walk, line by line.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import picomatch from 'picomatch';
import { isReadable, readTextFile, splitLines } from './text-file.ts';
import { walk } from './walk.ts';

export interface SearchScope {
  readonly folder: string;
  /** Only this file of the folder. */
  readonly file?: string;
  readonly glob?: string;
  /** Files that are not opened, from the folder, with `/`. */
  readonly without?: Iterable<string>;
  /** Also what git ignores. */
  readonly ignored: boolean;
  readonly signal: AbortSignal;
}

export interface LineQuery {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** Lines around each match. */
  readonly context: number;
}

export interface FoundLine {
  /** From the scope's folder, with `/`. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  /** False for a line that only stands near a match. */
  readonly match: boolean;
}

/** Larger files are passed over, as lines for people they are not. */
const LARGEST = 5 * 1024 * 1024;
/** Milliseconds that a pattern may take for one file; a pattern that needs more is not one to search with. */
const PATTERN_MS = 250;

export async function* walkFiles(scope: SearchScope): AsyncGenerator<string> {
  const fits = scope.glob === undefined ? () => true : globMatcher(scope.glob);
  if (scope.file !== undefined) {
    yield scope.file;
    return;
  }
  for await (const { kind, relative } of walk(scope.folder, { ...scope, order: 'path' })) {
    if (kind === 'file' && fits(relative)) yield relative;
  }
}

export async function* walkLines(query: LineQuery, scope: SearchScope): AsyncGenerator<FoundLine> {
  const matchingLines = lineMatcher(query);
  const without = new Set(scope.without);
  for await (const path of walkFiles(scope)) {
    if (scope.signal.aborted) return;
    if (without.has(path)) continue;
    const absolute = join(scope.folder, path);
    const stats = await stat(absolute).catch(() => undefined);
    if (!stats?.isFile() || stats.size > LARGEST) continue;
    const file = await readTextFile(absolute);
    if (!isReadable(file)) continue;
    const lines = splitLines(file.text);
    const matches = new Set(matchingLines(lines, path));
    const near = new Set([...matches].flatMap((at) => around(at, query.context, lines.length)));
    for (const at of [...near].sort((a, b) => a - b)) {
      yield { path, line: at + 1, text: lines[at] ?? '', match: matches.has(at) };
    }
  }
}

function around(at: number, context: number, length: number): readonly number[] {
  const from = Math.max(0, at - context);
  const to = Math.min(length - 1, at + context);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** As ripgrep reads `--glob`: without a slash it fits names at any depth. */
function globMatcher(glob: string): (path: string) => boolean {
  const negated = glob.startsWith('!');
  const pattern = glob.replace(/^!/, '');
  const fits = picomatch(pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`, { dot: true });
  return (path) => fits(path) !== negated;
}

/**
 * Indexes of the lines that match. The pattern comes from the model and may backtrack for ever, which nothing in the
 * same thread could end: so it runs in a VM context, whose time limit also ends a regular expression.
 */
function lineMatcher({
  pattern,
  ignoreCase,
}: LineQuery): (lines: readonly string[], path: string) => readonly number[] {
  const flags = ignoreCase ? 'iu' : 'u';
  const sandbox = { expression: compiled(pattern, flags), lines: [] as readonly string[] };
  const context = createContext(sandbox);
  const script = new Script('lines.flatMap((line, at) => (expression.test(line) ? [at] : []))');
  return (lines, path) => {
    sandbox.lines = lines;
    try {
      return script.runInContext(context, { timeout: PATTERN_MS }) as readonly number[];
    } catch (error) {
      if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
        throw new Error(`the pattern takes too long (in ${path}). Use a simpler one without nested repetition.`);
      }
      throw error;
    }
  };
}

/** The error comes from the other context: it is no instance of this one's `Error`. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Unicode mode is stricter about escapes than the patterns people write: then the pattern is tried without it. */
function compiled(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    try {
      return new RegExp(pattern, flags.replace('u', ''));
    } catch (error) {
      throw new Error(`the pattern is not a regular expression: ${error instanceof Error ? error.message : error}`);
    }
  }
}
