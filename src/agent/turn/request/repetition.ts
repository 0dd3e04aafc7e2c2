/** Characters at the end of an answer that are looked at, and the least that say anything. */
const LOOKED_AT = 4000;
const LEAST = 400;
/** How much of it may be the same few words over and over. */
const SHARE = 0.8;
/** Characters of the longest stretch that repeats. */
const LONGEST_PERIOD = 400;

/** True when a model has fallen into saying the same again and again: it would go on so for ever. */
export function repeatsItself(text: string): boolean {
  const end = text.slice(-LOOKED_AT);
  if (end.length < LEAST) return false;
  const least = end.length * SHARE;
  // From the end backwards: the length of the stretch that is the same as what stands one period before it.
  for (let period = 1; period <= Math.min(LONGEST_PERIOD, end.length / 4); period++) {
    let same = 0;
    while (same + period < end.length && end.at(-1 - same) === end.at(-1 - same - period)) same++;
    if (same + period >= least) return true;
  }
  return false;
}
