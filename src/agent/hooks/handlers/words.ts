import { firstOf } from '../../tools/index.ts';

/** Characters of a hook's output that are kept for people. */
const KEPT = 10_000;

export function keptText(text: string): string {
  return firstOf(text, KEPT);
}

/** The first line, for a list. */
export function shortName(text: string): string {
  const [first = ''] = text.trim().split('\n');
  return first.length > 80 ? `${firstOf(first, 79)}…` : first;
}
