/** What of `draft` was typed after it was `noted`: what stands between the start and the end that both share. */
export function typedSince(noted: string, draft: string): string {
  const shorter = Math.min(noted.length, draft.length);
  let start = 0;
  while (start < shorter && noted[start] === draft[start]) start++;
  let end = 0;
  while (end < shorter - start && noted.at(-1 - end) === draft.at(-1 - end)) end++;
  return draft.slice(start, draft.length - end).trimStart();
}
