/**
 * The same text in memory of its own. A piece of a string holds on to the whole of it: whoever keeps a few characters of
 * what others send keeps all of that otherwise.
 */
export function ownCopy(text: string): string {
  // One byte for a character where that is enough, as the text had it.
  const encoding = ONE_BYTE.test(text) ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all characters of one byte are meant
const ONE_BYTE = /^[\x00-\xff]*$/;
