/** The words of a command line by a shell's rules of quotes and backslashes; undefined when a quote stays open. */
export function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (char === quote) quote = undefined;
    else if (quote === "'") word += char;
    else if (char === '\\' && (quote === undefined || /["\\$`]/.test(line.charAt(at + 1)))) {
      word = (word ?? '') + line.charAt(++at);
    } else if (quote !== undefined) word += char;
    else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (!/\s/.test(char)) word = (word ?? '') + char;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}
