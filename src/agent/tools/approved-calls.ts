import { createHash } from 'node:crypto';
import type { ToolContext } from './types.ts';

type Call = Pick<ToolContext, 'sessionId' | 'callId'>;

/** Calls that wait for their answer. */
const KEPT = 1_000;

/**
 * What was shown when a call was asked about, or passed by a rule: consent is for these bytes at this real path. Whatever
 * is worked out anew when the call runs (a file may have changed, a folder may be a link by then) has to be the same.
 */
export class ApprovedCalls {
  readonly #digests = new Map<string, string>();

  /** @param what all that the call would do, as JSON */
  remember(call: Call, what: unknown): void {
    const key = keyOf(call);
    this.#digests.delete(key);
    this.#digests.set(key, digest(what));
    const [oldest] = this.#digests.keys();
    if (this.#digests.size > KEPT && oldest !== undefined) this.#digests.delete(oldest);
  }

  /** True when the call is about to do what was remembered of it. Forgets it: a call runs once. */
  take(call: Call, what: unknown): boolean {
    const key = keyOf(call);
    const known = this.#digests.get(key);
    this.#digests.delete(key);
    return known !== undefined && known === digest(what);
  }
}

function keyOf({ sessionId, callId }: Call): string {
  return `${sessionId}\n${callId}`;
}

function digest(what: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([what]))
    .digest('base64');
}
