import type { ModelError } from './types.ts';

const BASE_MS = 2_000;
const CAP_MS = 60_000;

export type RetryDecision =
  | { readonly retry: false }
  /** `retryAfter`: the server named the time, so that nothing shortens it. */
  | { readonly retry: true; readonly delayMs: number; readonly retryAfter: boolean };

export interface FailedAttempt {
  /** 1-based number of the attempt that failed. */
  readonly attempt: number;
  /** No retry from this attempt on; unlimited when undefined. */
  readonly maxAttempts?: number;
  readonly error: ModelError;
  /** Text of this attempt was shown. A cut answer is then kept as it is: asking again would say it twice. */
  readonly visible?: boolean;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * Whether and when to ask again: 2 s doubled for each attempt up to 60 s, of which a random half is taken off, so that
 * many windows do not come back at once; what the server asked for where it asked (at most 600 s).
 */
export function nextDelay({ attempt, maxAttempts, error, visible, random }: FailedAttempt): RetryDecision {
  if (!error.retryable || attempt >= (maxAttempts ?? Number.POSITIVE_INFINITY)) return { retry: false };
  if (visible === true && (error.kind === 'stream_cut' || error.kind === 'timeout')) return { retry: false };
  if (error.retryAfterMs !== undefined) return { retry: true, delayMs: error.retryAfterMs, retryAfter: true };
  const full = Math.min(BASE_MS * 2 ** (attempt - 1), CAP_MS);
  return { retry: true, delayMs: Math.round(full * (1 - random / 2)), retryAfter: false };
}
