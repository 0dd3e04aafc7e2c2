import { limitWords } from '../limits.ts';
import { HookFailure } from '../types.ts';

/**
 * Does work that is no process within the hook's time.
 * Rejects with a `HookFailure`: `timeout`, `aborted`, or `kind` with the message of what the work threw.
 */
export async function withinLimit<T>(
  { timeout, signal, kind }: { timeout: number; signal: AbortSignal; kind: HookFailure['kind'] },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeout);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    if (signal.aborted) throw new HookFailure('aborted', 'It was ended: nobody needs its answer any more.');
    if (limit.signal.aborted) throw new HookFailure('timeout', `It took longer than ${limitWords(timeout)}.`);
    if (error instanceof HookFailure) throw error;
    throw new HookFailure(kind, wordsOf(error));
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch failed` says nothing; its cause does. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
