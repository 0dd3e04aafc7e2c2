import { isKey } from './secret-formats.ts';

/**
 * For labels, and for reviews of what would run: words that are wholly a key by their form become as many `•` as they are long. Nothing
 * else is masked, least of all for the name beside it: what a program acts on has to be read before it is allowed.
 */
export function maskKeys(text: string): string {
  return text.replace(/[^\s=]+/g, (word) => (isKey(word) ? '•'.repeat(word.length) : word));
}
