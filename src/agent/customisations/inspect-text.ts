import type { Inspected } from '../reading/index.ts';
import { suspiciousOrder, withoutHidden } from '../safety/index.ts';

/** What a text that instructs holds beside its words. Takes time in proportion to it; a long one is for another thread. */
export function inspectText(given: string): Inspected {
  const { text, hidden } = withoutHidden(given);
  return { text, hidden, why: suspiciousOrder(text) };
}
