import { structuredPatch } from 'diff';
import { visibleParts } from '../../src/words/visible-text.ts';

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'gap';
  readonly text: string;
  /** 1-based, in the new text (in the old one for a removed line). */
  readonly line?: number;
}

export interface DiffView {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
  /** Lines that were left out of `lines`. */
  readonly hidden: number;
  /** Characters of the added lines that are shown as marks, also of those that were left out. */
  readonly marks: number;
}

/** Where a comparison takes longer than this many ms, the card sends people to the diff editor. */
const patienceMs = 60;

/** A unified view with two lines around each change, at most `limit` lines; undefined when it is too large to compare. */
export function diffLines(before: string, after: string, limit: number): DiffView | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context: 2, timeout: patienceMs });
  if (!patch) return undefined;
  const shown = lineShower(before, after);
  const lines: DiffLine[] = [];
  let added = 0;
  let removed = 0;
  for (const [index, hunk] of patch.hunks.entries()) {
    if (index > 0) lines.push({ kind: 'gap', text: '' });
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const raw of hunk.lines) {
      const text = shown(raw.slice(1));
      switch (raw[0]) {
        case '+':
          lines.push({ kind: 'added', text, line: newLine++ });
          added++;
          break;
        case '-':
          lines.push({ kind: 'removed', text, line: oldLine++ });
          removed++;
          break;
        case ' ':
          lines.push({ kind: 'same', text, line: newLine++ });
          oldLine++;
          break;
      }
    }
  }
  const marks = lines.reduce((sum, { kind, text }) => sum + (kind === 'added' ? visibleParts(text).marks : 0), 0);
  return { lines: lines.slice(0, limit), added, removed, hidden: Math.max(0, lines.length - limit), marks };
}

/** Where all lines of both texts end with CR and LF, the CR is the line's end and nothing to be shown. */
function lineShower(before: string, after: string): (line: string) => string {
  const endsWithBoth = (text: string) => !/(?:^|[^\r])\n/.test(text);
  const isLineEnd = endsWithBoth(before) && endsWithBoth(after);
  return (line) => (isLineEnd && line.endsWith('\r') ? line.slice(0, -1) : line);
}
