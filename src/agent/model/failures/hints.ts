import type { ModelErrorKind } from '../types.ts';

/** What may help after a failure of one kind. `recovery.ts` decides between them. */
export interface Hints {
  /** The same request may work later without anybody changing anything. */
  readonly retry: boolean;
  /** A shorter conversation may work. */
  readonly compact: boolean;
  /** Another key of the same provider may work. */
  readonly rotate: boolean;
  /** When another model goes on: before any wait, after one that did not help, or when nothing else is left. */
  readonly fallback: 'at_once' | 'after_retry' | 'at_last' | 'never';
}

const RETRY: Hints = { retry: true, compact: false, rotate: false, fallback: 'at_last' };
const STOP: Hints = { retry: false, compact: false, rotate: false, fallback: 'never' };

export const HINTS: Readonly<Record<ModelErrorKind, Hints>> = {
  auth: { ...STOP, rotate: true, fallback: 'at_once' },
  billing: { ...STOP, rotate: true, fallback: 'at_once' },
  rate_limit: { ...RETRY, rotate: true, fallback: 'at_once' },
  overloaded: { ...RETRY, fallback: 'after_retry' },
  timeout: { ...RETRY, fallback: 'after_retry' },
  server: RETRY,
  network: RETRY,
  stream_cut: RETRY,
  unknown: RETRY,
  context_overflow: { ...STOP, compact: true },
  payload_too_large: { ...STOP, compact: true },
  long_context_tier: { ...STOP, compact: true },
  // These are asked again, but changed; never as they were.
  output_cap: STOP,
  image_rejected: STOP,
  reasoning_mandatory: STOP,
  bad_request: { ...STOP, fallback: 'at_once' },
  model_not_found: { ...STOP, fallback: 'at_once' },
  content_policy: { ...STOP, fallback: 'at_once' },
  not_json: { ...STOP, fallback: 'at_once' },
  provider_policy: STOP,
  consent: STOP,
};

/** Whether a shorter conversation may work. @param kind of a `ModelError`, or any other word */
export function compactionHelps(kind: string): boolean {
  return Object.hasOwn(HINTS, kind) && HINTS[kind as ModelErrorKind].compact;
}

/** Whether the same request may work later without anybody changing anything. */
export function isRetryable(kind: ModelErrorKind): boolean {
  return HINTS[kind].retry;
}
