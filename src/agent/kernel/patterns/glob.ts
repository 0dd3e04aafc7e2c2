import { type Fit, notFits, type Soon } from './fit.ts';
import { patternLimits } from './limits.ts';
import { type Pattern, patternOf, shown } from './pattern.ts';

/**
 * A glob that somebody else wrote, for whole paths with `/`. It means what picomatch means with `dot: true`: `**` as a
 * whole part of a path is any number of parts, also none; `*` and `?` stay within a part; `[…]` a class, or the same text
 * literally; `{a,b}`, `{1..3}`; `@(…)`, `?(…)`, `*(…)`, `+(…)`; `!` in front turns it round. Other than there, `[!a]` is what it is to shells and ripgrep: any but an a. `!(…)` is refused, as it is
 * not regular in the middle of a glob.
 */
export interface Glob {
  /** Why it is never judged, a full sentence. */
  readonly refused: string | undefined;
  /** Fits the whole path. On Windows `\` counts as `/` in it. */
  test(path: string): Soon<Fit>;
}

export function globOf(glob: string): Glob {
  const [, marks = '', rest = ''] = /^((?:!(?!\())*)([\s\S]*)$/.exec(glob) ?? [];
  const source = glob.length > patternLimits.glob ? undefined : sourceOf(rest);
  if (source === undefined) return refused(`The glob ${shown(glob)} is too long or has !(…), which is not supported.`);
  const pattern = patternOf(`^(?:${source})$`);
  if (typeof pattern === 'string') return refused(`The glob ${shown(glob)} cannot be read: ${pattern}.`);
  return new WholeGlob(pattern, marks.length % 2 === 1);
}

/** The source of a regular expression for a text in which `*` stands for any characters, and all else for itself. */
export function wildcardSource(text: string): string {
  return text.replace(/[\\^$.|?+()[\]{}]/g, '\\$&').replace(/\*+/g, '[\\s\\S]*');
}

function refused(why: string): Glob {
  return { refused: why, test: () => ({ unsure: why }) };
}

class WholeGlob implements Glob {
  readonly #pattern: Pattern;
  readonly #turned: boolean;

  constructor(pattern: Pattern, turned: boolean) {
    this.#pattern = pattern;
    this.#turned = turned;
  }

  get refused(): string | undefined {
    return this.#pattern.refused;
  }

  test(path: string): Soon<Fit> {
    const fit = this.#pattern.test(process.platform === 'win32' ? path.replaceAll('\\', '/') : path);
    return this.#turned ? notFits(fit) : fit;
  }
}

/** Undefined for what is not regular. */
function sourceOf(glob: string): string | undefined {
  try {
    return new GlobReader(glob.replace(/^(?:\.\/)+/, '')).whole();
  } catch (error) {
    if (error instanceof NotRegular) return undefined;
    throw error;
  }
}

class NotRegular extends Error {}

const ANY = '[^/]';

class GlobReader {
  readonly #glob: string;
  readonly #groups: ReadonlyMap<number, boolean>;
  #at = 0;

  constructor(glob: string) {
    this.#glob = glob;
    this.#groups = groupsOf(glob);
  }

  whole(): string {
    let source = '';
    while (this.#at < this.#glob.length) source += this.#piece('');
    return source;
  }

  /** @param closing signs that mean something here: those of the group round it */
  #piece(closing: string): string {
    const rest = this.#glob.slice(this.#at, this.#at + 4);
    const sign = rest[0] ?? '';
    if (sign === '\\') return this.#took(2, literal(rest[1] ?? '\\'));
    if (sign === '(' || /^[@?*+!]\(/.test(rest)) {
      const group = this.#group();
      if (group !== undefined) return group;
    }
    switch (sign) {
      case '*':
        return this.#stars(closing);
      case '?':
        // Behind a group it says that the group may be missing, as picomatch has it.
        return this.#took(1, this.#isBehind(/\)/) ? '?' : ANY);
      case '[':
        return this.#class() ?? this.#took(1, '\\[');
      case '{':
        return this.#braces() ?? this.#took(1, '\\{');
      case '+':
        // Behind a class or a group it repeats it, as picomatch has it.
        return this.#took(1, this.#isBehind(/[\])}]/) ? '+' : '\\+');
      case '/':
        return this.#slash(closing);
      default:
        return this.#took(1, literal(sign));
    }
  }

  #took(length: number, source: string): string {
    this.#at += length;
    return source;
  }

  #isBehind(signs: RegExp): boolean {
    return signs.test(this.#glob[this.#at - 1] ?? '') && this.#glob[this.#at - 2] !== '\\';
  }

  #stars(closing: string): string {
    const before = this.#glob[this.#at - 1];
    const [stars = '*'] = /^\*+/.exec(this.#glob.slice(this.#at)) ?? [];
    const after = this.#glob[this.#at + stars.length];
    // The last one may begin a group: `**(a)`.
    const length = after === '(' && stars.length > 1 ? stars.length - 1 : stars.length;
    const atStart = before === undefined || before === '/' || (closing !== '' && /[({,|]/.test(before));
    const atEnd = after === undefined || after === '/' || closing.includes(after);
    if (stars.length === 2 && atStart && atEnd) {
      if (after !== '/') return this.#took(2, '[^]*');
      return this.#took(3, '(?:[^]*/)?');
    }
    const isWhole = (before === undefined || before === '/') && (after === undefined || after === '/');
    return this.#took(length, isWhole ? `${ANY}+` : `${ANY}*`);
  }

  /** `/` and the `**` behind it, which may both be nothing. */
  #slash(closing: string): string {
    let length = 1;
    while (this.#glob.startsWith('**/', this.#at + length)) length += 3;
    const after = this.#glob[this.#at + length + 2];
    const ends = this.#glob.startsWith('**', this.#at + length) && (after === undefined || closing.includes(after));
    // As picomatch: `a/**` is also `a`, but `*/**` has a part below.
    const afterStar = this.#glob[this.#at - 1] === '*' && this.#glob[this.#at - 2] !== '\\';
    if (ends) return this.#took(length + 2, afterStar ? '/[^]*' : '(?:/[^]*)?');
    return length === 1 ? this.#took(1, '/') : this.#took(length, '/(?:[^]*/)?');
  }

  /** `[…]`; undefined for a bracket that nothing closes. */
  #class(): string | undefined {
    CLASS.lastIndex = this.#at;
    const [found, marks = '', inner = ''] = CLASS.exec(this.#glob) ?? [];
    if (found === undefined) return undefined;
    this.#at += found.length;
    const escaped = inner.replace(/[[\]]|\\$/g, '\\$&');
    const source = marks === '' ? `[${escaped}]` : `[^/${escaped}]`;
    if (!isClass(source)) return literal(found);
    // Names such as `[id]` are common: where nothing in it speaks for a class, both may be meant.
    return marks === '' && !/[-*+?.^${}(|)[\]\\]/.test(inner) ? `(?:${literal(found)}|${source})` : source;
  }

  #braces(): string | undefined {
    const hasParts = this.#groups.get(this.#at);
    if (hasParts === undefined) return undefined;
    if (hasParts) return `(?:${this.#parts('}', ',').join('|')})`;
    RANGE.lastIndex = this.#at;
    const [found, inner = ''] = RANGE.exec(this.#glob) ?? [];
    if (found === undefined) return undefined;
    this.#at += found.length;
    const ends = inner.split('..').sort();
    const range = `[${ends.join('-')}]`;
    return isClass(range) ? range : literal(ends.join('..'));
  }

  /** `(a|b)`, and with a sign in front how often; undefined for a bracket that nothing closes. */
  #group(): string | undefined {
    const sign = this.#glob[this.#at] === '(' ? '' : (this.#glob[this.#at] ?? '');
    if (!this.#groups.has(this.#at + sign.length)) return undefined;
    if (sign === '!') throw new NotRegular();
    this.#at += sign.length;
    return `(?:${this.#parts(')', '|').join('|')})${sign === '@' ? '' : sign}`;
  }

  /** What is between an opening sign and its end, which is known to come. */
  #parts(end: string, between: string): readonly string[] {
    this.#at++;
    const parts = [''];
    while (this.#at < this.#glob.length) {
      const sign = this.#glob[this.#at] ?? '';
      if (sign === end) break;
      if (sign === between) {
        this.#at++;
        parts.push('');
      } else parts[parts.length - 1] += this.#piece(end + between);
    }
    this.#at++;
    return parts;
  }
}

const RANGE = /\{([^{},/]*\.\.[^{},/]*)\}/y;
const CLASS = /\[([!^]?)((?:\\[\s\S]|[^\]\\])(?:\\[\s\S]|[^\]\\])*)\]/y;

/** Where the brackets are that end, and whether they hold several parts. Found once: nothing is read twice. */
function groupsOf(glob: string): ReadonlyMap<number, boolean> {
  const groups = new Map<number, boolean>();
  const open: { readonly at: number; readonly end: string; readonly between: string; several: boolean }[] = [];
  for (let at = 0; at < glob.length; at++) {
    const sign = glob[at] ?? '';
    const last = open.at(-1);
    if (sign === '\\') at++;
    else if (sign === '[') {
      CLASS.lastIndex = at;
      if (CLASS.test(glob)) at = CLASS.lastIndex - 1;
    } else if (sign === '{') open.push({ at, end: '}', between: ',', several: false });
    else if (sign === '(') open.push({ at, end: ')', between: '|', several: false });
    else if (last && sign === last.between) last.several = true;
    else if (last && sign === last.end) {
      groups.set(last.at, last.several);
      open.pop();
      if (open.length > patternLimits.depth) throw new NotRegular();
    }
  }
  return groups;
}

function literal(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&');
}

function isClass(source: string): boolean {
  return typeof patternOf(source) !== 'string';
}
