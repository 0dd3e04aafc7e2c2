import { type LeaseStore, StorageError } from '../session/index.ts';
import type { Clock } from './types.ts';

/** Milliseconds that the window which runs a session gets to stop its turn (control.md section 7). */
export const ANSWER_WITHIN = 3_000;
const LOOK_EVERY = 100;
/** How often a write is tried while another window holds the database. */
const TRIES = 10;

/**
 * Asks the window that runs the session for it, and takes it when there is no answer in time: from then on nothing that
 * the other window writes to it is stored. Only the window that was asked loses it.
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
  const epoch = leases.of(sessionId)?.epoch;
  const hasIt = () => leases.state(sessionId) === 'elsewhere' && leases.of(sessionId)?.epoch === epoch;
  if (!hasIt()) return 'answered';
  if (!(await whenUnlocked(() => leases.want(sessionId), clock, signal))) return 'unfinished';
  // Looks are counted, not time: the clock may be put back meanwhile.
  for (let waited = 0; waited < ANSWER_WITHIN; waited += LOOK_EVERY) {
    await pause(clock, LOOK_EVERY, signal);
    if (signal.aborted) return 'unfinished';
    if (!hasIt()) return 'answered';
  }
  const seize = () => {
    if (hasIt()) leases.seize(sessionId);
  };
  return (await whenUnlocked(seize, clock, signal)) ? 'seized' : 'unfinished';
}

/** @returns false when `signal` aborted before it could be done @throws (rejects) StorageError */
async function whenUnlocked(work: () => void, clock: Clock, signal: AbortSignal): Promise<boolean> {
  for (let tries = TRIES; !signal.aborted; tries--) {
    try {
      work();
      return true;
    } catch (error) {
      if (tries === 1 || !(error instanceof StorageError) || error.kind !== 'locked') throw error;
      await pause(clock, LOOK_EVERY, signal);
    }
  }
  return false;
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
