import { type Pattern, patternOf } from '../../kernel/patterns/index.ts';

/**
 * A regular expression that was written for another program; a string says why it is none. Python and Rust put flags in
 * front of it, JavaScript beside it.
 */
export function expressionOf(text: string, matching: 'whole' | 'part'): Pattern | string {
  const insensitive = text.startsWith('(?i)');
  const source = insensitive ? text.slice('(?i)'.length) : text;
  return patternOf(matching === 'whole' ? `^(?:${source})$` : source, insensitive ? 'i' : '');
}

/** Words for the list of hooks where a matcher is one that is never judged. */
export function refusedMatcher(pattern: Pattern | string | undefined): readonly string[] {
  if (pattern === undefined || typeof pattern === 'string' || pattern.refused === undefined) return [];
  return [`${pattern.refused} The hook runs whatever its matcher says.`];
}
