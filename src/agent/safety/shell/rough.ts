/**
 * A guess at the commands of a text that no grammar has read: broken text, `cmd.exe`, shells that are not known. It looks
 * for what must never run; it is never a reason to let anything run.
 */

import type { SimpleCommand } from './script.ts';
import { wordsOf } from './word-text.ts';

/** `posix`: quotes, escapes and braces as `sh` has them. `cmd`: double quotes and `^`. */
export type RoughQuotes = 'posix' | 'cmd';

/** Characters of a text that are looked at, and words in them: whoever reads it holds up the extension host. */
const LONGEST = 8_000;
const MOST_WORDS = 500;

export function roughCommands(text: string, quotes: RoughQuotes): readonly SimpleCommand[] {
  const token = quotes === 'cmd' ? CMD_TOKEN : POSIX_TOKEN;
  const commands: SimpleCommand[] = [];
  let words = 0;
  let open: { start: number; end: number; raw: string }[] = [];
  const close = () => {
    if (open.length > 0) commands.push(commandOf(open, quotes));
    open = [];
  };
  for (const { 0: raw, index } of text.slice(0, LONGEST).matchAll(token)) {
    if (words++ === MOST_WORDS) break;
    if (/^[\n;|&(){}<>]/.test(raw) && !raw.startsWith('{')) close();
    else open.push({ start: index, end: index + raw.length, raw });
  }
  close();
  return commands;
}

function commandOf(open: readonly { start: number; end: number; raw: string }[], quotes: RoughQuotes): SimpleCommand {
  const words = open.flatMap(({ raw, ...range }) =>
    quotes === 'posix'
      ? wordsOf(raw, range)
      : [{ ...range, text: withoutCarets(raw), quoted: raw.includes('"'), dynamic: raw.includes('%'), literal: false }],
  );
  const [first, last] = [open[0], open.at(-1)];
  return {
    words: words.map((word) => ({ ...word, literal: false })),
    assignments: [],
    redirects: [],
    stdin: [],
    piped: false,
    reads: undefined,
    start: first?.start ?? 0,
    end: last?.end ?? 0,
  };
}

function withoutCarets(raw: string): string {
  return raw.replace(/\^(.)/g, '$1').replaceAll('"', '');
}

/** One word, or one character that ends a command. No part can match in two ways, so that it is linear. */
const POSIX_TOKEN = /(?:\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|[^\s;|&()<>\\'"])+|[\n;|&()<>]|['"\\]/g;
const CMD_TOKEN = /(?:\^[\s\S]|"[^"\n]*"|[^\s;|&()<>^"])+|[\n;|&()<>]|["^]/g;
