/**
 * Ids and chance of the code under test are the same in every run of a schedule: ids count, chance is always the middle.
 *
 * @returns puts back what was there before
 */
export function deterministic(): () => void {
  const { randomUUID } = crypto;
  const { random } = Math;
  let made = 0;
  crypto.randomUUID = () => `00000000-0000-4000-8000-${(++made).toString(16).padStart(12, '0')}`;
  Math.random = () => 0.5;
  return () => {
    crypto.randomUUID = randomUUID;
    Math.random = random;
  };
}
