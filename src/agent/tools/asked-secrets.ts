/** Which files with secrets a call was allowed to look into: those that its card named, by real path, and no others. */

import { resolveInside, secretFile } from '../safety/index.ts';
import type { PermissionNeed, ToolContext, ToolResult } from './types.ts';

type Call = Pick<ToolContext, 'sessionId' | 'callId' | 'folders'>;

interface Found {
  readonly path: string;
  readonly folder: string;
  readonly relative: string;
  readonly shown: string;
}

/** Calls that are remembered. */
const KEPT = 1_000;

export class AskedSecrets {
  readonly #asked = new Map<string, ReadonlySet<string>>();

  /**
   * The question for those of the files that hold secrets; undefined when none does. Remembers what it asks for: the
   * call runs only when the answer was yes, also by a rule or a hook.
   *
   * @param verb what is done with them, as the card's first word
   */
  async need(given: readonly string[], call: Call, verb: string): Promise<PermissionNeed | undefined> {
    const secrets: { readonly found: Found; readonly kind: string }[] = [];
    for (const path of given) {
      const found = await resolveInside(path, call.folders);
      const kind = found.ok ? await secretFile(path, found) : undefined;
      if (found.ok && kind !== undefined) secrets.push({ found, kind });
    }
    this.#keep(call, new Set(secrets.map(({ found }) => found.path)));
    const [first] = secrets;
    if (first === undefined) return undefined;
    const names = secrets.map(({ found }) => found.shown).join(', ');
    return {
      kind: 'read_secret',
      summary: `${verb} ${names}`,
      why: `It looks like ${first.kind}. What is read is sent to the model.`,
      ...(secrets.length > 1 ? {} : { rule: { key: `read:${first.found.path}`, words: `reading ${names}` } }),
    };
  }

  /** The result of a call that would look into a file with secrets that it was not asked about. */
  async refusal(given: string, found: Found, call: Call): Promise<ToolResult | undefined> {
    const kind = await secretFile(given, found);
    if (kind === undefined || this.#asked.get(keyOf(call))?.has(found.path)) return undefined;
    return {
      status: 'error',
      text: `${given} looks like ${kind}, and this call was not allowed for it. Nothing was read.`,
    };
  }

  #keep(call: Call, paths: ReadonlySet<string>): void {
    const key = keyOf(call);
    this.#asked.delete(key);
    this.#asked.set(key, paths);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > KEPT && oldest !== undefined) this.#asked.delete(oldest);
  }
}

function keyOf({ sessionId, callId }: Call): string {
  return `${sessionId}\n${callId}`;
}
