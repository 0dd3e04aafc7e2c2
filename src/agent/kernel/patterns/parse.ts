/**
 * The structure of a JavaScript regular expression, as far as it is regular. What one character may be (a class, an
 * escape, the dot) stays as it is written: the engine itself is asked about it, so that its meaning cannot differ.
 */

import { patternLimits } from './limits.ts';

export type PatternNode =
  /** One character; the source of a regular expression for it. */
  | { readonly is: 'one'; readonly source: string }
  | { readonly is: 'assert'; readonly what: Assertion }
  | { readonly is: 'all'; readonly of: readonly PatternNode[] }
  | { readonly is: 'any'; readonly of: readonly PatternNode[] }
  | { readonly is: 'repeat'; readonly of: PatternNode; readonly min: number; readonly max: number };

export type Assertion = 'start' | 'end' | 'word' | 'notWord';

/**
 * @param source a pattern that `RegExp` takes with these flags
 * @returns undefined for what looks round or back (`(?=`, `\1`), and for rare spellings whose meaning depends on the rest
 */
export function parsePattern(source: string, unicode: boolean): PatternNode | undefined {
  try {
    return new Parser(source, unicode).whole();
  } catch (error) {
    if (error instanceof NotRegular) return undefined;
    throw error;
  }
}

class NotRegular extends Error {}

const escapes: Readonly<Record<string, RegExp>> = {
  // What follows the backslash. Elsewhere the letter stands for itself, or is one of \d \w \s and the like.
  x: /x[\da-fA-F]{2}/y,
  c: /c[a-zA-Z]/y,
  u: /u[\da-fA-F]{4}/y,
};
const unicodeEscapes: Readonly<Record<string, RegExp>> = {
  ...escapes,
  u: /u(?:\{[\da-fA-F]+\}|[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|[\da-fA-F]{4})/y,
  p: /p\{[^}]*\}/y,
  P: /P\{[^}]*\}/y,
};
const counted = /\{(\d+)(?:(,)(\d*))?\}/y;

class Parser {
  readonly #source: string;
  readonly #unicode: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, unicode: boolean) {
    this.#source = source;
    this.#unicode = unicode;
  }

  whole(): PatternNode {
    const node = this.#alternatives();
    // A bracket that closes nothing; `RegExp` refuses it.
    if (this.#at < this.#source.length) throw new NotRegular();
    return node;
  }

  #alternatives(): PatternNode {
    if (++this.#depth > patternLimits.depth) throw new NotRegular();
    const of = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at++;
      of.push(this.#sequence());
    }
    this.#depth--;
    return of.length === 1 && of[0] ? of[0] : { is: 'any', of };
  }

  #sequence(): PatternNode {
    const of: PatternNode[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      of.push(this.#quantified(this.#atom()));
    }
    return { is: 'all', of };
  }

  #quantified(node: PatternNode): PatternNode {
    const [min, max] = this.#quantifier() ?? [];
    if (min === undefined || max === undefined) return node;
    // Lazy or greedy: whether something fits is the same.
    if (this.#source[this.#at] === '?') this.#at++;
    return { is: 'repeat', of: node, min, max };
  }

  #quantifier(): readonly [number, number] | undefined {
    const sign = this.#source[this.#at];
    const simple = sign === '*' ? [0, Infinity] : sign === '+' ? [1, Infinity] : sign === '?' ? [0, 1] : undefined;
    if (simple) {
      this.#at++;
      return simple as [number, number];
    }
    const found = this.#take(counted);
    if (!found) return undefined;
    const min = Number(found[1]);
    return [min, found[2] === undefined ? min : found[3] === '' ? Infinity : Number(found[3])];
  }

  #atom(): PatternNode {
    const sign = this.#source[this.#at] ?? '';
    switch (sign) {
      case '^':
        this.#at++;
        return { is: 'assert', what: 'start' };
      case '$':
        this.#at++;
        return { is: 'assert', what: 'end' };
      case '(':
        return this.#group();
      case '[':
        return this.#class();
      case '\\':
        return this.#escape();
      default:
        return this.#literal();
    }
  }

  #group(): PatternNode {
    // Looking round, and flags for a part (`(?i:`), are for the worker.
    if (!this.#take(/\((?:\?:|\?<[^=!][^>]*>|(?!\?))/y)) throw new NotRegular();
    const inner = this.#alternatives();
    this.#at++;
    return inner;
  }

  #class(): PatternNode {
    const [source] = this.#take(/\[(?:\\[\s\S]|[^\]\\])*\]/y) ?? [];
    if (source === undefined) throw new NotRegular();
    return { is: 'one', source };
  }

  #escape(): PatternNode {
    const letter = this.#source[this.#at + 1] ?? '';
    if (letter === 'b' || letter === 'B') {
      this.#at += 2;
      return { is: 'assert', what: letter === 'b' ? 'word' : 'notWord' };
    }
    // References to groups, and octal numbers, which are told apart by how many groups there are.
    if (/[1-9k]/.test(letter) || /^0\d/.test(this.#source.slice(this.#at + 1, this.#at + 3))) throw new NotRegular();
    this.#at++;
    const longer = (this.#unicode ? unicodeEscapes : escapes)[letter];
    const [found] = (longer && this.#take(longer)) ?? [];
    if (found !== undefined) return { is: 'one', source: `\\${found}` };
    // `\c` without a letter is a backslash and a c.
    if (letter === 'c') throw new NotRegular();
    return { is: 'one', source: `\\${this.#character()}` };
  }

  #literal(): PatternNode {
    const sign = this.#character();
    // Outside unicode mode these may stand for themselves; alone they may not.
    return { is: 'one', source: /[{}\]/]/.test(sign) ? `\\${sign}` : sign };
  }

  #character(): string {
    const sign = this.#unicode
      ? String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0)
      : (this.#source[this.#at] ?? '');
    this.#at += sign.length;
    return sign;
  }

  #take(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source) ?? undefined;
    if (found) this.#at += found[0].length;
    return found;
  }
}
