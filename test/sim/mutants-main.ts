import path from 'node:path';
import { hunt, mutantsIn } from './mutants.ts';

/** Usage: node test/sim/mutants-main.ts [name…]: all patches of test/sim/mutants, or those whose names hold a given word. */
const MOST_SCHEDULES = 3000;

const repository = path.resolve(import.meta.dirname, '../..');
const words = process.argv.slice(2);
const mutants = mutantsIn(path.join(import.meta.dirname, 'mutants')).filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
let missed = 0;
for (const mutant of mutants) {
  const outcome = await hunt(repository, mutant, MOST_SCHEDULES);
  const says = outcome.caught
    ? `caught by "${outcome.rule}" after ${outcome.schedules} schedules`
    : `NOT CAUGHT: ${outcome.why}`;
  if (!outcome.caught) missed += 1;
  console.log(`${String(mutant.invariant).padStart(2)}  ${mutant.name}: ${says}`);
}
console.log(`${mutants.length - missed} of ${mutants.length} mutants caught`);
process.exitCode = missed > 0 || mutants.length === 0 ? 1 : 0;
