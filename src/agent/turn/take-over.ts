import type { LeaseStore } from '../session/index.ts';
import type { Clock } from './types.ts';

/** Milliseconds that the window which runs a session gets to stop its turn (control.md section 7). */
export const ANSWER_WITHIN = 3_000;
const LOOK_EVERY = 100;

/**
 * Asks the window that runs the session for it, and takes it when there is no answer in time: from then on nothing that
 * the other window writes to it is stored.
 *
 * @returns `unfinished` when `signal` aborted before
 * @throws (rejects) StorageError
 */
export async function takeOver(
  leases: LeaseStore,
  clock: Clock,
  sessionId: string,
  signal: AbortSignal,
): Promise<'answered' | 'seized' | 'unfinished'> {
  if (leases.state(sessionId) !== 'elsewhere') return 'answered';
  leases.want(sessionId);
  const asked = clock.now();
  while (clock.now() - asked < ANSWER_WITHIN) {
    await pause(clock, LOOK_EVERY, signal);
    if (signal.aborted) return 'unfinished';
    if (leases.state(sessionId) !== 'elsewhere') return 'answered';
  }
  leases.seize(sessionId);
  return 'seized';
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done, { once: true });
  });
}
