/** Cuts that leave no half of a character such as an emoji behind: neither a wire nor a file can carry one. */

/** The first `limit` UTF-16 units, or one less. */
export function firstOf(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
}

/** The last `limit` UTF-16 units, or one less. */
export function lastOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return text.slice(text.length - limit).replace(/^[\uDC00-\uDFFF]/, '');
}
