import { plainPunctuation } from './plain-punctuation.ts';

/** Lines around the nearest place. */
const AROUND = 2;
/** Below this likeness (0 to 1) a hint would mislead. */
const LIKE_ENOUGH = 0.4;
/** Lines of the file that are compared, and places that one line is looked for at: more would hold up the editor. */
const MOST_LINES = 20_000;
const MOST_PLACES = 200;
/** Lines of a hint. */
const MOST_SHOWN = 20;

/**
 * A hint for a patch that found nothing: the place where most of its lines stand, with those that differ; where none
 * stands, the line that is most like it. White space is visible.
 */
export function nearestLines(text: string, old: string): string {
  const lines = text.split('\n').slice(0, MOST_LINES);
  const oldLines = trimBlank(old.split('\n'));
  return byEqualLines(lines, oldLines) ?? byLikeness(lines, oldLines);
}

/** What a line says, whatever its spacing and punctuation. */
export function essence(line: string): string {
  return plainPunctuation(line).trim().replace(/\s+/g, ' ');
}

function byEqualLines(lines: readonly string[], oldLines: readonly string[]): string | undefined {
  const places = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const said = essence(line);
    const known = places.get(said);
    if (known === undefined) places.set(said, [at]);
    else if (known.length < MOST_PLACES) known.push(at);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of oldLines.entries()) {
    if (!/\w/.test(line)) continue;
    for (const at of places.get(essence(line)) ?? []) votes.set(at - index, (votes.get(at - index) ?? 0) + 1);
  }
  const [start, most] = [...votes].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0]);
  if (most === 0) return undefined;
  const differing = oldLines.flatMap((line, index) => {
    const there = lines[start + index];
    if (there !== undefined && there === line) return [];
    const has = there === undefined ? 'the file has ended' : `the file has ${visible(there)}`;
    return [`line ${start + index + 1}: ${has}, old_string has ${visible(line)}`];
  });
  const equal = oldLines.length - differing.length;
  const listing = differing.slice(0, MOST_SHOWN).join('\n');
  const more = differing.length > MOST_SHOWN ? `\nand ${differing.length - MOST_SHOWN} more` : '';
  return ` ${equal} of its ${oldLines.length} lines stand at lines ${start + 1}–${start + oldLines.length}; these differ (→ is a tab, · a space at an end of a line):\n${listing}${more}`;
}

function byLikeness(lines: readonly string[], oldLines: readonly string[]): string {
  const longest = oldLines.reduce((a, b) => (b.trim().length > a.trim().length ? b : a), '');
  const wanted = pairs(longest);
  let best = { likeness: 0, at: 0 };
  for (const [at, line] of lines.entries()) {
    const likeness = dice(wanted, pairs(line));
    if (likeness > best.likeness) best = { likeness, at };
  }
  if (best.likeness < LIKE_ENOUGH) return ' No line of it is like it. Read the file and copy the text from there.';
  const before = oldLines.indexOf(longest) + AROUND;
  const from = Math.max(0, best.at - before);
  const shown = lines.slice(from, best.at + oldLines.length + AROUND).slice(0, MOST_SHOWN);
  const listing = shown.map((line, index) => `${from + index + 1}|${visible(line)}`).join('\n');
  return ` The nearest lines (→ is a tab, · a space at an end of a line):\n${listing}`;
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}

function visible(line: string): string {
  const spaces = (part: string) => '·'.repeat(part.length);
  return line
    .replaceAll('\t', '→')
    .replace(/^ +| +$/g, spaces)
    .slice(0, 200);
}

function pairs(line: string): ReadonlyMap<string, number> {
  const text = line.trim().slice(0, 300);
  const counts = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}

/** Dice's coefficient: twice the common pairs over all pairs. */
function dice(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  let all = 0;
  for (const [pair, count] of a) {
    common += Math.min(count, b.get(pair) ?? 0);
    all += count;
  }
  for (const count of b.values()) all += count;
  return all === 0 ? 0 : (2 * common) / all;
}
