/** True for a tool's name that a matcher means. */
export type NameMatcher = (name: string) => boolean;

/**
 * The matcher of our own hooks and webhooks: a regular expression that has to match the whole name. Space round it does
 * not count, nothing at all means every tool, and what is no regular expression is taken literally.
 */
export function fullMatch(matcher: string | undefined): NameMatcher {
  const trimmed = matcher?.trim() ?? '';
  if (trimmed === '') return () => true;
  const pattern = regularExpression(`^(?:${trimmed})$`);
  return pattern ? (name) => pattern.test(name) : (name) => name === trimmed;
}

function regularExpression(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    // Not one: the caller takes the text as it is.
    return undefined;
  }
}
