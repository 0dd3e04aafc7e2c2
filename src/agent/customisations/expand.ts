/** The placeholders of prompt files and commands. */

/**
 * What a command's body becomes with what was typed behind its name:
 *
 * - `$ARGUMENTS` all of it, `$1` to `$9` its words (quotes keep words together), `${ARGUMENTS}`, `${1}` alike
 * - `${input:name}` the word of that place among the body's inputs; the last input takes all that is left.
 *   `${input:name:what to type}` the same
 *
 * A body without any placeholder gets the text behind it. Values are never looked at for placeholders again.
 */
export function expand(body: string, typed: string): string {
  const args = typed.trim();
  const words = wordsOf(args);
  const inputs = [...new Set([...body.matchAll(INPUT)].map(([, name = '']) => name))];
  let used = false;
  const expanded = body.replace(PLACEHOLDER, (whole, all?: string, braced?: string, bare?: string, input?: string) => {
    used = true;
    if (all !== undefined) return args;
    const number = braced ?? bare;
    if (number !== undefined) return words[Number(number) - 1] ?? '';
    return input === undefined ? whole : inputValue(inputs.indexOf(input), inputs.length, words);
  });
  return used || args === '' ? expanded : `${expanded}\n\n${args}`;
}

const INPUT = /\$\{input:([\w-]+)(?::[^}]*)?\}/g;
const PLACEHOLDER = /\$\{?(ARGUMENTS)\b\}?|\$(?:\{([1-9])\}|([1-9])(?!\d))|\$\{input:([\w-]+)(?::[^}]*)?\}/g;

function inputValue(at: number, count: number, words: readonly string[]): string {
  return at === count - 1 ? words.slice(at).join(' ') : (words[at] ?? '');
}

function wordsOf(args: string): readonly string[] {
  return [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
