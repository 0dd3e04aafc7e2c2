import assert from 'node:assert/strict';
import path from 'node:path';
import { hunt, mutantsIn } from './mutants.ts';

/** The rarest needs a turn whose room grows behind its last word, and a hook that wants it to go on. */
const MOST_SCHEDULES = 40_000;
const repository = path.resolve(import.meta.dirname, '../..');
const mutants = mutantsIn(path.join(import.meta.dirname, 'mutants'));

describe('the invariants', () => {
  it('have a mutant each', () => {
    const broken = new Set(mutants.map(({ invariant }) => invariant));
    assert.deepEqual(
      [...broken].sort((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
  });

  for (const mutant of mutants) {
    it(`catch the mutant ${mutant.name}`, async function () {
      this.timeout(300_000);
      const outcome = await hunt(repository, mutant, MOST_SCHEDULES);
      if (!outcome.caught) assert.fail(outcome.why);
      console.log(`      "${outcome.rule}" after ${outcome.schedules} schedules`);
    });
  }
});
