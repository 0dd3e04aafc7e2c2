/** The name that a mistyped one probably meant; undefined when none is near. */
export function nearName(name: string, names: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined;
  const wanted = plain(name);
  const [nearest] = names
    .map((candidate) => ({ candidate, distance: distance(wanted, plain(candidate)) }))
    .filter(({ distance: far, candidate }) => far <= Math.max(1, Math.floor(candidate.length / 4)))
    .toSorted((one, other) => one.distance - other.distance);
  return nearest?.candidate;
}

/** Characters of a name: to compare longer ones takes long, and nobody mistyped them. */
const LONGEST = 80;

/** Names of other systems differ in case and underscores. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** How many letters have to be put in, taken out or changed. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, of] of [...other].entries()) {
      const changed = (row[j] ?? 0) + (letter === of ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
