/** What a word of POSIX shell text is once its quotes and escapes are gone. */

import type { TextRange } from '../../../api.ts';
import { UNKNOWN, type Word } from './script.ts';

/** What the shell splits a word at: `$IFS` outside of quotes. No text holds this character. */
const SPLIT = '\0';
/** Words that braces may become, and the longest word whose braces are looked at; more is nothing that people write. */
const MOST_WORDS = 64;
const LONGEST_BRACES = 500;
/** A longer word is not decoded: it counts as known only to the shell. */
const LONGEST = 2_000;

/**
 * The words that one word of the text becomes: more than one where it holds braces or `$IFS`.
 *
 * @param raw the word as it stands in the text
 * @param range its place, which all words get
 */
export function wordsOf(raw: string, range: TextRange): readonly Word[] {
  if (raw.length > LONGEST) return [{ ...range, text: undecoded(raw), quoted: true, dynamic: true, literal: false }];
  const { text, quotedAt, dynamic, literal } = new WordReader(raw).read();
  const quoted = quotedAt.includes(true);
  const pieces = braces(text, quotedAt).flatMap((one) => one.split(SPLIT));
  const kept = pieces.length > 1 ? pieces.filter((piece) => piece !== '') : pieces;
  return kept.map((piece) => ({ ...range, text: piece, quoted, dynamic, literal }));
}

/** The text without quotes. */
export function textOf(raw: string): string {
  return raw.length > LONGEST ? undecoded(raw) : new WordReader(raw).read().text.replaceAll(SPLIT, ' ');
}

/** The text of a long script is in one pair of quotes as a rule. */
function undecoded(raw: string): string {
  return raw.replace(/^(['"])([\s\S]*)\1$/, '$2');
}

class WordReader {
  readonly #raw: string;
  #at = 0;
  #text = '';
  /** For each character of the text whether it was quoted. */
  readonly #quotedAt: boolean[] = [];
  #dynamic = false;
  #literal = true;

  constructor(raw: string) {
    this.#raw = raw;
  }

  read() {
    while (this.#at < this.#raw.length) this.#step();
    // An empty pair of quotes is quoted text as well.
    if (this.#text === '' && this.#raw !== '') this.#quotedAt.push(/["']/.test(this.#raw));
    return { text: this.#text, quotedAt: this.#quotedAt, dynamic: this.#dynamic, literal: this.#literal };
  }

  #step(): void {
    const char = this.#raw[this.#at] ?? '';
    if (char === "'") return this.#singleQuotes();
    if (char === '"') return this.#doubleQuotes();
    if (char === '\\') return this.#escape();
    if (char === '$' || char === '`' || /^[<>]\(/.test(this.#raw.slice(this.#at, this.#at + 2))) {
      return this.#expansion(false);
    }
    if (!/[A-Za-z0-9_@%+=:,./-]/.test(char) && !this.#isInnerMark(char)) this.#literal = false;
    this.#add(char, false);
    this.#at++;
  }

  /**
   * `HEAD~1`, `HEAD^`: shells expand a tilde at the beginning of a word and behind `=` and `:`, never behind a letter or
   * digit, and a caret means something in brackets only.
   */
  #isInnerMark(char: string): boolean {
    const before = this.#raw[this.#at - 1] ?? '';
    return (char === '~' && /^\w$/.test(before)) || (char === '^' && /^[\w^]$/.test(before));
  }

  #add(text: string, quoted: boolean): void {
    this.#text += text;
    for (let at = 0; at < text.length; at++) this.#quotedAt.push(quoted);
  }

  #escape(): void {
    this.#literal = false;
    this.#add(this.#raw[this.#at + 1] ?? '', true);
    this.#at += 2;
  }

  #singleQuotes(): void {
    const end = this.#raw.indexOf("'", this.#at + 1);
    const to = end < 0 ? this.#raw.length : end;
    this.#add(this.#raw.slice(this.#at + 1, to), true);
    this.#at = to + 1;
  }

  #doubleQuotes(): void {
    for (this.#at++; this.#at < this.#raw.length; ) {
      const char = this.#raw[this.#at] ?? '';
      if (char === '"') {
        this.#at++;
        return;
      }
      if (char === '$' || char === '`') this.#expansion(true);
      else if (char === '\\') {
        const next = this.#raw[this.#at + 1] ?? '';
        this.#literal = false;
        this.#add('$`"\\'.includes(next) ? next : char + next, true);
        this.#at += 2;
      } else {
        this.#add(char, true);
        this.#at++;
      }
    }
  }

  #expansion(inQuotes: boolean): void {
    this.#literal = false;
    const rest = this.#raw.slice(this.#at, this.#at + 2);
    if (rest === "$'" && !inQuotes) return this.#ansiQuotes();
    // `$"…"` is a translated string: the dollar sign goes away.
    if (rest === '$"' && !inQuotes) {
      this.#at++;
      return;
    }
    if (rest.startsWith('`')) return this.#unknown(closingBacktick(this.#raw, this.#at + 1));
    if (rest.endsWith('(')) return this.#unknown(closing(this.#raw, this.#at + 2, '(', ')'));
    if (rest === '${') {
      const end = closing(this.#raw, this.#at + 2, '{', '}');
      return this.#variable(this.#raw.slice(this.#at + 2, end), end + 1, inQuotes);
    }
    const name = /^[A-Za-z_]\w*|^[0-9@*#?$!-]/.exec(this.#raw.slice(this.#at + 1, this.#at + 200))?.[0];
    if (name) return this.#variable(name, this.#at + 1 + name.length, inQuotes);
    this.#add('$', inQuotes);
    this.#at++;
  }

  #unknown(end: number): void {
    this.#dynamic = true;
    this.#add(UNKNOWN, true);
    this.#at = end + 1;
  }

  #variable(expression: string, next: number, inQuotes: boolean): void {
    this.#at = next;
    this.#dynamic = true;
    if (/^IFS\b/.test(expression) && !inQuotes) return this.#add(SPLIT, true);
    // Without arguments, which a command here never has, parameters are empty: `r$@m` is `rm`.
    if (/^[0-9@*]$/.test(expression)) return;
    this.#add(expression === 'HOME' ? '~' : UNKNOWN, true);
  }

  /** `$'…'` with the escapes of C. */
  #ansiQuotes(): void {
    let end = this.#at + 2;
    while (end < this.#raw.length && this.#raw[end] !== "'") end += this.#raw[end] === '\\' ? 2 : 1;
    this.#add(decodeAnsi(this.#raw.slice(this.#at + 2, end)), true);
    this.#at = end + 1;
  }
}

/** Where the bracket that was opened before `from` closes, or the end of the text; quotes and escapes are skipped. */
function closing(source: string, from: number, open: string, close: string): number {
  let depth = 1;
  let quote = '';
  for (let at = from; at < source.length; at++) {
    const char = source[at];
    if (char === '\\' && quote !== "'") at++;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === open) depth++;
    else if (char === close && --depth === 0) return at;
  }
  return source.length;
}

function closingBacktick(source: string, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== '`') at += source[at] === '\\' ? 2 : 1;
  return at;
}

/** `{rm,-rf,/}` is three words to the shell, `--{output=x,p}` two. Ranges such as `{1..3}` stay as they are. */
function braces(text: string, quotedAt: readonly boolean[]): readonly string[] {
  if (text.length > LONGEST_BRACES) return [text];
  const done: string[] = [];
  const open = [{ text, quotedAt }];
  while (open.length > 0 && done.length + open.length <= MOST_WORDS) {
    const one = open.pop();
    if (!one) break;
    const group = firstGroup(one.text, one.quotedAt);
    if (!group) done.push(one.text);
    else {
      const { from, to, commas } = group;
      const cuts = [from, ...commas, to];
      const words = cuts.slice(1).map((end, index) => {
        const start = (cuts[index] ?? from) + 1;
        const join = <T>(head: readonly T[], middle: readonly T[], tail: readonly T[]) => [...head, ...middle, ...tail];
        return {
          text: one.text.slice(0, from) + one.text.slice(start, end) + one.text.slice(to + 1),
          quotedAt: join(one.quotedAt.slice(0, from), one.quotedAt.slice(start, end), one.quotedAt.slice(to + 1)),
        };
      });
      open.push(...words.toReversed());
    }
  }
  return [...done, ...open.map((one) => one.text).toReversed()];
}

/** The first pair of unquoted braces with a comma of its own. */
function firstGroup(text: string, quotedAt: readonly boolean[]) {
  const stack: { from: number; commas: number[] }[] = [];
  for (let at = 0; at < text.length; at++) {
    if (quotedAt[at]) continue;
    if (text[at] === '{') stack.push({ from: at, commas: [] });
    else if (text[at] === ',') stack.at(-1)?.commas.push(at);
    else if (text[at] === '}') {
      const group = stack.pop();
      if (group && group.commas.length > 0) return { ...group, to: at };
    }
  }
  return undefined;
}

const ANSI_ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '', b: '', e: '', f: '', v: '' };

function decodeAnsi(body: string): string {
  const sequences = /\\(x[0-9a-f]{1,2}|u[0-9a-f]{1,4}|U[0-9a-f]{1,8}|[0-7]{1,3}|[\s\S])/gi;
  return body.replace(sequences, (_, sequence: string) => {
    if (/^[0-7]/.test(sequence)) return String.fromCharCode(Number.parseInt(sequence, 8));
    if (!/^[xu][0-9a-f]/i.test(sequence)) return ANSI_ESCAPES[sequence] ?? sequence;
    const code = Number.parseInt(sequence.slice(1), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}
