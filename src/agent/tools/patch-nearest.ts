/** Lines around the nearest place. */
const AROUND = 2;
/** Below this likeness (0 to 1) a hint would mislead. */
const LIKE_ENOUGH = 0.4;

/** A hint for a patch that found nothing: the lines of the file that are most like it, with white space visible. */
export function nearestLines(text: string, old: string): string {
  const lines = text.split('\n');
  const oldLines = old.split('\n').filter((line) => line.trim() !== '');
  const longest = oldLines.reduce((a, b) => (b.trim().length > a.trim().length ? b : a), '');
  const wanted = pairs(longest);
  let best = { likeness: 0, at: 0 };
  lines.forEach((line, at) => {
    const likeness = dice(wanted, pairs(line));
    if (likeness > best.likeness) best = { likeness, at };
  });
  if (best.likeness < LIKE_ENOUGH) return ' No line of it is like it. Read the file and copy the text from there.';
  const before = oldLines.indexOf(longest) + AROUND;
  const from = Math.max(0, best.at - before);
  const shown = lines.slice(from, best.at + oldLines.length + AROUND).slice(0, 20);
  const listing = shown.map((line, index) => `${from + index + 1}|${visible(line)}`).join('\n');
  return ` The nearest lines (→ is a tab, · a space at an end of a line):\n${listing}`;
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
