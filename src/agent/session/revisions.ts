import type { Connection } from './sqlite.ts';
import { StorageError } from './types.ts';

const MOVED_ON =
  'This session went on in another window, so what is shown here is old. Nothing was changed; open it again and send once more.';
const DELETED = 'This session was deleted. Nothing more of it is stored; your text is kept in the composer.';

/**
 * Which state of each session this window knows. Every commit counts the session's revision up by one; a window that
 * missed one may not write until it has read the session again.
 */
export class Revisions {
  readonly #db: Connection;
  readonly #known = new Map<string, number>();

  constructor(db: Connection) {
    this.#db = db;
  }

  /** What is stored now is known, or is about to be read in this tick. */
  know(sessionId: string): void {
    this.#known.set(sessionId, this.#stored(sessionId));
  }

  /** False also for a session of which this window knows nothing. */
  isChanged(sessionId: string): boolean {
    const known = this.#known.get(sessionId);
    return known !== undefined && known !== this.#stored(sessionId);
  }

  /**
   * Inside the transaction of a commit.
   *
   * @param now milliseconds since the epoch
   * @returns what makes it count once the transaction is through
   * @throws StorageError `moved_on`, or `taken_over` when the session is gone
   */
  next(sessionId: string, now: number): () => void {
    const row = this.#db.get(
      'UPDATE sessions SET updated_at = ?, revision = revision + 1 WHERE id = ? RETURNING revision',
      now,
      sessionId,
    );
    if (!row) throw new StorageError('taken_over', DELETED);
    const revision = Number(row.revision);
    const known = this.#known.get(sessionId);
    if (known === undefined) return () => undefined;
    if (revision !== known + 1) throw new StorageError('moved_on', MOVED_ON);
    return () => this.#known.set(sessionId, revision);
  }

  forget(sessionId: string): void {
    this.#known.delete(sessionId);
  }

  #stored(sessionId: string): number {
    return Number(this.#db.get('SELECT revision FROM sessions WHERE id = ?', sessionId)?.revision ?? -1);
  }
}
