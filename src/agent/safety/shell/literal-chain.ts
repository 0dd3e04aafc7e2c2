/**
 * A command, or several in a row, in which every byte means itself: words as in `ShellScript.plain`, joined by `&&`, `||`,
 * `;` and `|`, and redirects that write to nothing or to the other stream. Decided on the text alone, without the grammar.
 */

export interface LiteralPart {
  /** The words as they are written, without redirects. */
  readonly text: string;
  readonly words: readonly { readonly text: string; readonly quoted: boolean }[];
  /** It reads what the part before it prints. */
  readonly piped: boolean;
}

const MOST_PARTS = 8;

/** Undefined for any other text. */
export function literalChain(source: string): readonly LiteralPart[] | undefined {
  const text = source.replace(/^[ \t]+|[ \t]+$/g, '');
  const parts: LiteralPart[] = [];
  let words: { text: string; quoted: boolean }[] = [];
  let [start, end, piped, redirected] = [0, 0, false, false];
  const take = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const close = () => {
    const [program] = words;
    if (!program || program.quoted || !PROGRAM.test(program.text) || NOT_APART.has(program.text)) return false;
    parts.push({ text: text.slice(start, end), words, piped });
    words = [];
    redirected = false;
    return parts.length <= MOST_PARTS;
  };
  for (let at = 0; at < text.length; ) {
    const blank = take(BLANK, at);
    const redirect = take(REDIRECT, at);
    const word = redirect === undefined ? take(WORD, at) : undefined;
    const operator = take(OPERATOR, at);
    if (word !== undefined) {
      // A word behind a redirect still belongs to the command; it is written that way by nobody.
      if (redirected) return undefined;
      if (words.length === 0) start = at;
      end = at + word.length;
      words.push({ text: word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'), quoted: /["']/.test(word) });
    } else if (redirect !== undefined) redirected = true;
    else if (operator !== undefined) {
      if (!close()) return undefined;
      piped = operator === '|';
    }
    const token = blank ?? redirect ?? word ?? operator;
    if (token === undefined) return undefined;
    at += token.length;
  }
  return close() ? parts : undefined;
}

/**
 * One word: characters that mean themselves, `HEAD~1` and `HEAD^`, and quotes in which nothing is expanded. No part can
 * match in two ways.
 */
export const LITERAL_WORD = String.raw`(?:[A-Za-z0-9_@%+=:,./-]|(?<=\w)~|(?<=[\w^])\^|'[^'\p{C}]*'|"[^"$${'`'}\\\p{C}]*")+`;

// biome-ignore lint/plugin: made of the constant above.
const WORD = new RegExp(LITERAL_WORD, 'uy');
const BLANK = /[ \t]+/y;
/** To the other stream, or to nothing. `&>` is left out: to some shells it is `&` and `>`. */
const REDIRECT = /[12]?>(?:&[12]|[ \t]*\/dev\/null)(?=[ \t;|&]|$)/y;
const OPERATOR = /&&|\|\||[;|]/y;

/** No `NAME=value`, which sets a variable, and no option. */
const PROGRAM = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/;

/** Words of the grammar, and builtins that change what the parts behind them do. */
const NOT_APART = new Set(
  'if then else elif fi for while until do done case esac in function select time coproc cd pushd popd chdir exec eval source . export declare typeset local readonly unset alias unalias shopt set trap umask ulimit hash enable builtin command exit return break continue shift getopts read mapfile readarray wait jobs fg bg disown suspend logout history fc bind complete compgen compopt printf let'.split(
    ' ',
  ),
);
