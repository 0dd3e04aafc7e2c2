/** A command on one line, for labels and summaries: its beginning and its end are seen, and that it has more lines. */

/** Characters of a command that a label shows. */
const SHOWN = 120;

export function shortCommand(command: string): string {
  const line = command
    .trim()
    .replace(/[ \t]*\n\s*/g, ' ⏎ ')
    .replace(/[ \t]{2,}/g, ' ');
  if (line.length <= SHOWN) return line;
  const half = SHOWN / 2;
  return `${line.slice(0, half).trimEnd()} … ${line.slice(-half).trimStart()}`;
}
