import assert from 'node:assert/strict';
import { replay, runSchedule } from './schedule.ts';

const SCHEDULES = Number(process.env.MIDCOURSE_SIM_SCHEDULES ?? 20_000);
const SEED = Number(process.env.MIDCOURSE_SIM_SEED ?? Date.now() % 1_000_000_000);
const LENGTH = 40;

describe('random schedules', () => {
  it('break no invariant, with crashes, failed writes and late events in between', function () {
    this.timeout(600_000);
    const since = performance.now();
    for (let index = 0; index < SCHEDULES; index += 1) {
      const broken = runSchedule(SEED + index, LENGTH);
      if (broken) assert.fail(report(broken));
    }
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    console.log(`      ${SCHEDULES} schedules of ${LENGTH} events from seed ${SEED}, ${seconds} s`);
  });

  it('are the same for the same seed', () => {
    assert.equal(runSchedule(7, LENGTH), undefined);
    assert.equal(replay(['send a', 'hooks allow', 'answer', 'end work is done']), undefined);
  });
});

function report({ seed, problem, labels }: NonNullable<ReturnType<typeof runSchedule>>): string {
  return `${problem}\nseed ${seed} (MIDCOURSE_SIM_SEED=${seed} MIDCOURSE_SIM_SCHEDULES=1), shortest schedule:\n  ${labels.join('\n  ')}`;
}
