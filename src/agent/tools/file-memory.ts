import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';

/** Files for each session, and edits that wait, that are remembered. */
const KEPT = 1_000;

/**
 * What sessions have seen of files: so that a write can tell that a file changed since it was read, or since the user
 * was asked about the edit.
 */
export class FileMemory {
  readonly #seen = new Map<string, string>();
  readonly #asked = new Map<string, string>();

  /** The session knows the file as it is on disk now. */
  async remember(sessionId: string, path: string): Promise<void> {
    const version = await versionOf(path);
    if (version !== undefined) keep(this.#seen, `${sessionId}\n${path}`, version);
  }

  /** True when the session has read the file and it is another one now. */
  async changedSinceRead(sessionId: string, path: string): Promise<boolean> {
    const seen = this.#seen.get(`${sessionId}\n${path}`);
    return seen !== undefined && seen !== (await versionOf(path));
  }

  /** The user is about to be asked about an edit of this text. */
  rememberQuestion(callId: string, before: string): void {
    keep(this.#asked, callId, digest(before));
  }

  /** True when the user was asked about this call while the file had another text. Forgets the question. */
  changedSinceQuestion(callId: string, before: string): boolean {
    const asked = this.#asked.get(callId);
    this.#asked.delete(callId);
    return asked !== undefined && asked !== digest(before);
  }
}

function keep(map: Map<string, string>, key: string, value: string): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > KEPT && oldest !== undefined) map.delete(oldest);
}

async function versionOf(path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats && `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
