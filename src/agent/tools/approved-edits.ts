import { createHash } from 'node:crypto';
import type { ToolContext } from './types.ts';

/** What an edit is: this text of this file becomes that one. */
interface Edit {
  /** Absolute real path. */
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

type Call = Pick<ToolContext, 'sessionId' | 'callId'>;

/** Edits that wait for their answer. */
const KEPT = 1_000;

/**
 * What was shown when a call was asked about, or passed by a rule: consent is for these bytes at this real path. Whatever
 * is planned anew when the call runs (the file may have changed, a folder may be a link by then) has to be the same.
 */
export class ApprovedEdits {
  readonly #digests = new Map<string, string>();

  /** @param edit undefined for a call that changes nothing */
  remember(call: Call, edit: Edit | undefined): void {
    const key = keyOf(call);
    this.#digests.delete(key);
    this.#digests.set(key, digest(edit));
    const [oldest] = this.#digests.keys();
    if (this.#digests.size > KEPT && oldest !== undefined) this.#digests.delete(oldest);
  }

  /** True when the call is about to do what was remembered of it. Forgets it: a call runs once. */
  take(call: Call, edit: Edit | undefined): boolean {
    const key = keyOf(call);
    const known = this.#digests.get(key);
    this.#digests.delete(key);
    return known !== undefined && known === digest(edit);
  }
}

function keyOf({ sessionId, callId }: Call): string {
  return `${sessionId}\n${callId}`;
}

function digest(edit: Edit | undefined): string {
  if (edit === undefined) return '';
  const { path, before, after } = edit;
  return createHash('sha256')
    .update(JSON.stringify([path, before ?? null, after]))
    .digest('base64');
}
