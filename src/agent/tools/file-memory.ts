import { stat } from 'node:fs/promises';

/** Files for each session that are remembered. */
const KEPT = 1_000;

/** What sessions have seen of files: so that a write can tell that a file changed since it was read. */
export class FileMemory {
  readonly #seen = new Map<string, string>();

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
