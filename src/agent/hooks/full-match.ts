import { type Fit, patternOf, type Soon } from '../kernel/patterns/index.ts';

/** Whether a tool's name is one that a matcher means. */
export type NameMatcher = (name: string) => Soon<Fit>;

/**
 * The matcher of our own hooks and webhooks: a regular expression that has to match the whole name. Space round it does
 * not count, nothing at all means every tool, and what is no regular expression is taken literally.
 */
export function fullMatch(matcher: string | undefined): NameMatcher {
  const trimmed = matcher?.trim() ?? '';
  if (trimmed === '') return () => true;
  const pattern = patternOf(`^(?:${trimmed})$`);
  return typeof pattern === 'string' ? (name) => name === trimmed : (name) => pattern.test(name);
}
