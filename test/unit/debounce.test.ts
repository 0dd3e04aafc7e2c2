import assert from 'node:assert/strict';
import { Debounce } from '../../src/debounce.ts';
import { ManualClock } from './hooks/manual-clock.ts';

describe('a debounce', () => {
  function started() {
    const clock = new ManualClock();
    const calls: number[] = [];
    const debounce = new Debounce({ pause: 300, longest: 500 }, () => calls.push(clock.now()), clock.after.bind(clock));
    return { clock, calls, debounce, start: clock.now() };
  }

  it('K3a. calls once after a pause, and at the latest after its longest wait', () => {
    const { clock, calls, debounce, start } = started();
    for (let typed = 0; typed < 30; typed++) {
      debounce.touch();
      clock.go(200);
    }
    assert.ok(calls.length >= 10, `${calls.length} calls`);
    assert.ok(
      calls.every((at, index) => at - (calls[index - 1] ?? start) <= 700),
      calls.join(),
    );
    clock.go(1_000);
    const last = calls.length;
    clock.go(10_000);
    assert.equal(calls.length, last);
  });

  it('K3b. calls at once when it is asked to, if something waits, and not when it was cancelled', () => {
    const { clock, calls, debounce } = started();
    debounce.flush();
    debounce.touch();
    debounce.flush();
    assert.equal(calls.length, 1);
    debounce.touch();
    debounce.cancel();
    clock.go(1_000);
    assert.equal(calls.length, 1);
  });
});
