import type { Clock } from '../agent/turn/types.ts';

/** The wall clock. Its timers keep no process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref?.();
    return () => clearTimeout(timer);
  },
};
