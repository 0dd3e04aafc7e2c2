import type { ModelError } from '../types.ts';

const BASE_MS = 2_000;
const CAP_MS = 60_000;
/** Of the delay: the most that chance adds, so that many windows do not come back at once. */
const JITTER = 0.5;

/** Short waits before the long ones of an overload. */
const SHORT_WAITS = 3;

/** Milliseconds to wait for an overload that lasts, by the provider's name of it. */
const OVERLOADS: Readonly<Record<string, readonly number[]>> = {
  // Anthropic, also as an error inside a stream that began well.
  overloaded_error: [15_000, 30_000, 60_000, 120_000],
  // Z.AI, GLM.
  '1305': [30_000, 60_000, 90_000, 120_000],
};

export interface Backoff {
  readonly delayMs: number;
  /** The server named the time, so that nothing shortens it. */
  readonly retryAfter: boolean;
}

/**
 * How long to wait before the same request: what the server asked for; otherwise 2 s doubled for each attempt up to
 * 60 s; an overload that outlasts three such waits has longer ones of its own. Chance adds up to a half.
 *
 * @param failed attempts that failed so far, from 1
 * @param random in [0, 1)
 */
export function backoff(error: ModelError, failed: number, random: number): Backoff {
  if (error.retryAfterMs !== undefined) return { delayMs: error.retryAfterMs, retryAfter: true };
  const long = (overloadOf(error) ?? []).slice(0, Math.max(0, failed - SHORT_WAITS)).at(-1);
  const full = long ?? Math.min(BASE_MS * 2 ** (failed - 1), CAP_MS);
  return { delayMs: Math.round(full * (1 + JITTER * random)), retryAfter: false };
}

/** Attempts before it is given up: an overload with waits of its own is given the time for all of them. */
export function ceiling(error: ModelError, maxAttempts: number): number {
  const waits = overloadOf(error);
  return waits ? Math.max(maxAttempts, SHORT_WAITS + waits.length + 1) : maxAttempts;
}

function overloadOf(error: ModelError): readonly number[] | undefined {
  const { kind, code = '' } = error;
  return kind === 'overloaded' && Object.hasOwn(OVERLOADS, code) ? OVERLOADS[code] : undefined;
}
