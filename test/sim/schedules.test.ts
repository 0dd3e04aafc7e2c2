import assert from 'node:assert/strict';
import { runLoopSchedule } from './loop/schedule.ts';
import { memoryStore } from './loop/store.ts';
import { describe as figuresIn, type Level, report, simulate } from './pool.ts';
import { replay, runSchedule } from './schedule.ts';

const SEED = Number(process.env.MIDCOURSE_SIM_SEED ?? Date.now() % 1_000_000_000);
const LENGTH = 40;
/** How many are played; `MIDCOURSE_SIM_SCHEDULES` stands for both. */
const SCHEDULES: Record<Level, number> = { machine: 70_000, loop: 30_000 };

describe('random schedules', () => {
  for (const level of ['machine', 'loop'] as const) {
    it(`break no invariant of the ${level}, with crashes, failed writes and late events in between`, async function () {
      this.timeout(1_200_000);
      const schedules = Number(process.env.MIDCOURSE_SIM_SCHEDULES ?? SCHEDULES[level]);
      const figures = await simulate({ level, schedules, seed: SEED, length: LENGTH });
      if (figures.broken) assert.fail(report(level, figures.broken));
      console.log(`      ${figuresIn(figures)}`);
    });
  }

  it('are the same for the same seed', async () => {
    assert.equal(runSchedule(7, LENGTH), undefined);
    assert.equal(replay(['send a', 'hooks allow', 'answer', 'end work is done']), undefined);
    const states = async () => {
      const visited: string[] = [];
      assert.equal(
        await runLoopSchedule(
          memoryStore(() => 0),
          7,
          LENGTH,
          (state) => visited.push(state),
        ),
        undefined,
      );
      return visited;
    };
    assert.deepEqual(await states(), await states());
  });
});
