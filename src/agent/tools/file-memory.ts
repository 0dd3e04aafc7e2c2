import { createHash } from 'node:crypto';

/** Files of all sessions together that are remembered. */
const KEPT = 10_000;

/** What a session knows of a file: its text as it is, an earlier text, or nothing. */
export type Knowledge = 'same' | 'changed' | 'never';

/**
 * Which text of a file each session has seen or written, so that nobody's change is overwritten unseen. By text and not by
 * time: a checkout that writes the same bytes changes nothing, and two writes within one tick of the clock do.
 */
export class FileMemory {
  readonly #seen = new Map<string, string>();

  /** @param path absolute real path @param text of the whole file, decoded */
  remember(sessionId: string, path: string, text: string): void {
    const key = keyOf(sessionId, path);
    this.#seen.delete(key);
    this.#seen.set(key, digest(text));
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > KEPT && oldest !== undefined) this.#seen.delete(oldest);
  }

  /** @param text that the file has now */
  knows(sessionId: string, path: string, text: string): Knowledge {
    const seen = this.#seen.get(keyOf(sessionId, path));
    if (seen === undefined) return 'never';
    return seen === digest(text) ? 'same' : 'changed';
  }
}

function keyOf(sessionId: string, path: string): string {
  return `${sessionId}\n${path}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
