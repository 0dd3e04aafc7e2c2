import type { PendingApproval, TextRange } from '../../src/api.ts';

/** A command of more lines or characters than this is cut in two boxes, so that its end is in view. */
const mostLines = 10;
const mostCharacters = 420;
/** What of the end is always in view. */
const endLines = 3;
const endCharacters = 140;
/** Characters of the beginning that are drawn at most; the whole can be opened as a document. */
const drawn = 20_000;

interface LongCommand {
  /** The first box holds what is before it. */
  readonly headEnd: number;
  /** The second box begins here; the command's length when there is none. */
  readonly tailStart: number;
  /** Of the whole command. */
  readonly lines: number;
  /** Characters between both boxes. */
  readonly leftOut: number;
}

export function isLong(text: string): boolean {
  return longCommand(text).tailStart < text.length;
}

/** Where a command is cut so that its last lines are in sight without scrolling. */
export function longCommand(text: string): LongCommand {
  const lines = text.split('\n').length;
  // Runs of line breaks are folded, and so take one line.
  const seen = text.replace(/\n[\n\t ]*\n/g, '\n\n').split('\n').length;
  const { length } = text;
  if (seen <= mostLines && length <= mostCharacters) return { headEnd: length, tailStart: length, lines, leftOut: 0 };
  let tailStart = length;
  for (let line = 0; line < endLines && tailStart > 0; line++) tailStart = text.lastIndexOf('\n', tailStart - 2) + 1;
  tailStart = wholeCharacter(text, Math.max(tailStart, length - endCharacters));
  const headEnd = wholeCharacter(text, Math.min(tailStart, drawn));
  return { headEnd, tailStart, lines, leftOut: tailStart - headEnd };
}

/** The command with the words that are masked, once the host has given them. Anything but the same command is refused. */
export function withSecrets({ command = '', masked = [] }: PendingApproval, revealed: string | undefined): string {
  if (revealed === undefined || revealed.length !== command.length) return command;
  let text = command;
  for (const { start, end } of masked) text = text.slice(0, start) + revealed.slice(start, end) + text.slice(end);
  return text;
}

/** What lies inside the text, in order. */
export function ranges(parts: readonly TextRange[], length: number): readonly TextRange[] {
  return parts
    .filter(({ start, end }) => start >= 0 && start < end && end <= length)
    .toSorted((a, b) => a.start - b.start);
}

function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at;
}
