import type { Clock } from './types.ts';

/** Resolves when `done` has settled well, at the latest after `ms`; rejects as it does. No timer is left behind. */
export async function atMost(clock: Clock, ms: number, done: Promise<unknown>): Promise<void> {
  let stopTimer = () => {};
  const late = new Promise<void>((resolve) => {
    stopTimer = clock.after(ms, resolve);
  });
  try {
    await Promise.race([done, late]);
  } finally {
    stopTimer();
  }
}
