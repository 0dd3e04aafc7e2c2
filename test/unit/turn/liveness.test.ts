import assert from 'node:assert/strict';
import { Liveness } from '../../../src/agent/turn/liveness.ts';
import type { Clock } from '../../../src/agent/turn/types.ts';

/** Time that the test moves. */
class ManualClock implements Clock {
  time = 0;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  get pending(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.time = Math.max(this.time, next.at);
      next.callback();
    }
    this.time = end;
  }

  /** Somebody sets the clock; timers do not follow it. */
  putBack(ms: number): void {
    this.time -= ms;
    this.#timers = this.#timers.map((timer) => ({ ...timer, at: timer.at - ms }));
  }

  /** The machine sleeps: time passes, and what is due comes late. */
  sleep(ms: number): void {
    this.time += ms;
  }
}

describe('the liveness watch', () => {
  const minute = 60_000;

  function watch(timeout = 10 * minute) {
    const clock = new ManualClock();
    const seen: string[] = [];
    const state = { watches: true };
    const liveness = new Liveness({
      clock,
      timeout: () => timeout,
      watches: () => state.watches,
      warn: (minutes) => seen.push(`warn ${minutes}`),
      stop: () => seen.push('stop'),
    });
    liveness.start();
    return { clock, seen, state, liveness };
  }

  it('warns once and then stops a turn without progress', () => {
    const { clock, seen } = watch();
    clock.advance(9 * minute);
    assert.deepEqual(seen, ['warn 2']);
    clock.advance(minute);
    assert.deepEqual(seen, ['warn 2', 'stop']);
    assert.equal(clock.pending, 0);
  });

  it('begins anew with every progress, and warns anew', () => {
    const { clock, seen, liveness } = watch();
    clock.advance(9 * minute);
    liveness.progress();
    clock.advance(9 * minute);
    assert.deepEqual(seen, ['warn 2', 'warn 2']);
  });

  it('does not count time in which it waits for a person', () => {
    const { clock, seen, state } = watch();
    state.watches = false;
    clock.advance(60 * minute);
    state.watches = true;
    clock.advance(7 * minute);
    assert.deepEqual(seen, []);
  });

  it('does not count time in which the machine slept', () => {
    const { clock, seen } = watch();
    clock.advance(minute);
    clock.sleep(120 * minute);
    clock.advance(5 * minute);
    assert.deepEqual(seen, []);
  });

  it('counts on when the clock is put back', () => {
    const { clock, seen } = watch();
    clock.advance(5 * minute);
    clock.putBack(24 * 60 * minute);
    clock.advance(6 * minute);
    assert.deepEqual(seen, ['warn 2', 'stop']);
  });

  it('is off with a limit of 0', () => {
    const { clock, seen } = watch(0);
    clock.advance(1000 * minute);
    assert.deepEqual(seen, []);
  });
});
