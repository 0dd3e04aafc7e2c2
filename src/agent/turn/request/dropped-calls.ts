/** Names that fit in one line. */
const NAMED = 3;

/** For people: which calls were being written when an answer broke off. None of them was run. */
export function droppedWords(names: readonly string[]): string {
  const named = names.slice(0, NAMED).join(', ');
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `The answer broke off while it was writing ${names.length === 1 ? 'a call' : 'calls'}: ${named}${more}. Nothing of it was run; the model goes on from there.`;
}
