/**
 * Searching without ripgrep: our own walk, line by line.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { globOf, type Pattern, patternOf } from '../kernel/patterns/index.ts';
import { breathe } from '../kernel/slices.ts';
import { isReadable, readTextFile, splitLines } from './text-file.ts';
import { walk } from './walk.ts';

export interface SearchScope {
  readonly folder: string;
  /** Only this file of the folder. */
  readonly file?: string;
  /** A file has to fit one of those without `!`, and none of those with it (`search-globs.ts`). */
  readonly globs?: readonly string[];
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

/** Bytes. Larger files are passed over: lines for people they are not. */
export const LARGEST = 20 * 1024 * 1024;

export async function* walkFiles(scope: SearchScope): AsyncGenerator<string> {
  const fits = scope.globs === undefined ? () => true : anyGlob(scope.globs);
  if (scope.file !== undefined) {
    yield scope.file;
    return;
  }
  for await (const { kind, relative } of walk(scope.folder, { ...scope, order: 'path' })) {
    await breathe();
    if (kind === 'file' && (await fits(relative))) yield relative;
  }
}

export async function* walkLines(query: LineQuery, scope: SearchScope): AsyncGenerator<FoundLine> {
  const pattern = linePattern(query);
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
    const matches = new Set(await matching(pattern, lines, path, scope.signal));
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

/** As ripgrep reads several: the last that fits decides, and where one stands without `!`, one has to fit. */
export function anyGlob(globs: readonly string[]): (path: string) => Promise<boolean> {
  const all = globs.map((glob) => ({ isOut: glob.startsWith('!'), fits: pathGlob(glob.replace(/^!/, '')) }));
  const needsOne = all.some(({ isOut }) => !isOut);
  return async (path) => {
    for (const { isOut, fits } of all.toReversed()) if (await fits(path)) return !isOut;
    return !needsOne;
  };
}

/**
 * As ripgrep reads `--glob`: without a slash it fits names at any depth, and `!` in front turns it round.
 *
 * @throws Error for one that cannot be judged: nothing found without having looked would be a lie. So does its answer.
 */
export function pathGlob(glob: string): (path: string) => Promise<boolean> {
  const negated = glob.startsWith('!');
  const pattern = glob.replace(/^!/, '');
  const fits = globOf(pattern.includes('/') ? pattern.replace(/^\//, '') : `**/${pattern}`);
  if (fits.refused !== undefined) throw new Error(fits.refused);
  return async (path) => {
    const fit = await fits.test(path);
    if (typeof fit !== 'boolean') throw new Error(fit.unsure);
    return fit !== negated;
  };
}

/** Indexes of the lines that match; those of a search that was stopped need not be all. */
async function matching(
  pattern: Pattern,
  lines: readonly string[],
  path: string,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const found = await pattern.testAll(lines, signal);
  if (!('unsure' in found)) return found;
  throw new Error(
    `the pattern takes too long (in ${path}): ${found.unsure} Use a simpler one without nested repetition.`,
  );
}

/** Unicode mode is stricter about escapes than the patterns people write: then the pattern is tried without it. */
function linePattern({ pattern, ignoreCase }: LineQuery): Pattern {
  const flags = ignoreCase ? 'i' : '';
  const strict = patternOf(pattern, `${flags}u`);
  const made = typeof strict === 'string' ? patternOf(pattern, flags) : strict;
  if (typeof made === 'string') throw new Error(`the pattern is not a regular expression: ${made}`);
  if (made.refused !== undefined) throw new Error(made.refused);
  return made;
}
