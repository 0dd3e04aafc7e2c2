/**
 * Finds the text that a patch means and replaces it. Pure. Exact first, then ever more tolerant; what is tolerated is
 * only how the text is spelled (indentation, spacing, typographic punctuation), never what it says.
 */

import { diffChars } from 'diff';
import { essence, nearestLines } from './patch-nearest.ts';
import { plainPunctuation } from './plain-punctuation.ts';
import { lineEnd } from './text-file.ts';

export interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

export type PatchOutcome =
  | { readonly kind: 'replaced'; readonly text: string; readonly note: string | undefined }
  | { readonly kind: 'already' }
  | { readonly kind: 'failed'; readonly why: string };

/** A match in the text with `\n` line ends, and what takes its place. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

type Matcher = (text: string, old: string, replacement: string) => readonly Match[];

const MATCHERS: readonly { readonly find: Matcher; readonly note: string | undefined }[] = [
  { find: exactly, note: undefined },
  { find: withTypography, note: 'Matched with typographic quotes, dashes or spaces of the file, which were kept.' },
  { find: withTabs, note: 'Matched with real tabs in place of \\t.' },
  { find: byLines, note: 'Matched although spacing differed; the new text got the indentation of the file.' },
];

export function applyReplacement(text: string, wanted: Replacement): PatchOutcome {
  const problem = badRequest(wanted);
  if (problem) return failed(problem);
  const plain = text.replaceAll('\r\n', '\n');
  const [old, replacement] = [wanted.old, wanted.new].map((one) => one.replaceAll('\r\n', '\n')) as [string, string];
  for (const { find, note } of MATCHERS) {
    const matches = find(plain, old, replacement);
    if (matches.length === 0) continue;
    if (matches.length > 1 && !(wanted.all && note === undefined)) return failed(ambiguous(plain, matches, wanted.all));
    const result = replaceIn(text, matches);
    return result === text
      ? failed('the old and the new text are the same there.')
      : { kind: 'replaced', text: result, note };
  }
  if (replacement.trim().length >= 8 && plain.includes(replacement)) return { kind: 'already' };
  return failed(`old_string does not occur in it.${nearestLines(plain, old)}`);
}

function failed(why: string): PatchOutcome {
  return { kind: 'failed', why };
}

function badRequest(wanted: Replacement): string | undefined {
  if (wanted.old === '') return 'old_string is empty. Give the text to replace, or use write_file for the whole file.';
  if (wanted.old.trim() === '') return 'old_string is only white space, which could be anywhere. Add lines around it.';
  if (wanted.old === wanted.new) return 'old_string and new_string are the same, so there is nothing to change.';
  return undefined;
}

function ambiguous(text: string, matches: readonly Match[], all: boolean): string {
  const lines = matches.slice(0, 5).map((match) => text.slice(0, match.start).split('\n').length);
  const where = `lines ${lines.join(', ')}${matches.length > 5 ? ' and more' : ''}`;
  const advice = all
    ? 'They match only in part, and replace_all needs an exact text: read the file and give it as it stands there.'
    : 'Add lines before or after to make it unique, or set replace_all.';
  return `old_string occurs ${matches.length} times (${where}). ${advice}`;
}

function exactly(text: string, old: string, replacement: string): readonly Match[] {
  const matches: Match[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) {
    matches.push({ start: at, end: at + old.length, replacement });
  }
  return matches;
}

function withTypography(text: string, old: string, replacement: string): readonly Match[] {
  return exactly(plainPunctuation(text), plainPunctuation(old), '').map(({ start, end }) => ({
    start,
    end,
    replacement: keepSpelling(text.slice(start, end), old, replacement),
  }));
}

/** What the replacement takes over from the old text keeps the spelling that it has in the file. */
function keepSpelling(inFile: string, old: string, replacement: string): string {
  const changes = diffChars(plainPunctuation(old), plainPunctuation(replacement), { timeout: 200 });
  if (!changes) return replacement;
  let inOld = 0;
  let inNew = 0;
  let text = '';
  for (const { value, added, removed } of changes) {
    if (added) text += replacement.slice(inNew, inNew + value.length);
    else if (!removed) text += inFile.slice(inOld, inOld + value.length);
    if (!added) inOld += value.length;
    if (!removed) inNew += value.length;
  }
  return text;
}

/** A backslash and a t for a tab, where the file has one. A backslash and an n is never a line break. */
function withTabs(text: string, old: string, replacement: string): readonly Match[] {
  if (!old.includes('\\t')) return [];
  return exactly(text, old.replaceAll('\\t', '\t'), replacement.replaceAll('\\t', '\t'));
}

/** Whole lines that are equal but for indentation, spacing and punctuation. */
function byLines(text: string, old: string, replacement: string): readonly Match[] {
  const oldLines = trimBlankLines(old.split('\n'));
  const wanted = oldLines.map(essence);
  const lines = text.split('\n');
  const essences = lines.map(essence);
  const matches: Match[] = [];
  let start = 0;
  for (let at = 0; at + wanted.length <= lines.length; at++) {
    if (wanted.every((line, index) => line === essences[at + index])) {
      const found = lines.slice(at, at + wanted.length);
      const newLines = replacement === '' ? [] : trimBlankLines(replacement.split('\n'));
      const length = found.join('\n').length;
      const deletesLine = newLines.length === 0 && start + length < text.length ? 1 : 0;
      matches.push({
        start,
        end: start + length + deletesLine,
        replacement: reindent(newLines, oldLines, found).join('\n'),
      });
    }
    start += (lines[at]?.length ?? 0) + 1;
  }
  return matches;
}

function trimBlankLines(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}

/** New lines with the indentation that their counterparts have in the file. */
function reindent(
  newLines: readonly string[],
  oldLines: readonly string[],
  found: readonly string[],
): readonly string[] {
  const indents = new Map<string, string>();
  oldLines.forEach((line, index) => {
    const there = found[index];
    if (line.trim() !== '' && there !== undefined && !indents.has(indentOf(line)))
      indents.set(indentOf(line), indentOf(there));
  });
  const known = [...indents.keys()].sort((a, b) => b.length - a.length);
  return newLines.map((line) => {
    const same = oldLines.indexOf(line);
    if (same >= 0) return found[same] ?? line;
    if (line.trim() === '') return '';
    const indent = indentOf(line);
    const base = known.find((one) => indent.startsWith(one)) ?? known.at(-1);
    const target = base === undefined ? indent : (indents.get(base) ?? '');
    const deeper = base !== undefined && indent.startsWith(base) ? indent.slice(base.length) : '';
    return target + inUnitsOf(target, deeper, indents) + line.slice(indent.length);
  });
}

/** Deeper indentation in the file's own units: a tab where the file indents by tabs. */
function inUnitsOf(target: string, deeper: string, indents: ReadonlyMap<string, string>): string {
  if (target.includes('\t') && /^ +$/.test(deeper)) {
    const spaces = [...indents].find(([old, there]) => /^ +$/.test(old) && /^\t+$/.test(there));
    const unit = spaces ? Math.max(1, Math.round(spaces[0].length / spaces[1].length)) : 2;
    return '\t'.repeat(Math.max(1, Math.round(deeper.length / unit)));
  }
  return deeper;
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** Puts the replacements into the text with its own line ends; what is not replaced keeps every byte. */
function replaceIn(text: string, matches: readonly Match[]): string {
  const end = lineEnd(text);
  let result = '';
  let from = 0;
  let plainAt = 0;
  let at = 0;
  /** The place in `text` of a place in its form with `\n` line ends. */
  const seek = (target: number) => {
    for (; plainAt < target; plainAt++) at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    return at;
  };
  for (const match of matches) {
    result += text.slice(from, seek(match.start)) + match.replacement.replaceAll('\n', end);
    from = seek(match.end);
  }
  return result + text.slice(from);
}
