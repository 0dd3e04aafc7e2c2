import { migrate } from '../../../src/agent/session/migrations.ts';
import { Connection } from '../../../src/agent/session/sqlite.ts';
import { SqliteStore } from '../../../src/agent/session/sqlite-store.ts';
import { type Commit, type PartialText, type SessionStore, StorageError } from '../../../src/agent/session/types.ts';

/** What becomes of the next write. The host that dies does nothing any more, whether its write went through or not. */
export type Fault = 'lock is held' | 'fails' | 'kills the host before' | 'kills the host after';

/** The real store in memory. @param now milliseconds since the epoch */
export function memoryStore(now: () => number): SessionStore {
  const db = new Connection(':memory:', { readOnly: false });
  migrate(db);
  return new SqliteStore(db, { now });
}

export interface StoreParts {
  readonly inner: SessionStore;
  committed(commit: Commit): void;
  partialSaved(sessionId: string, partial: PartialText | undefined): void;
  /** A write of that session was refused. */
  refused(sessionId: string): void;
  died(): void;
}

/** The store as one life of the host sees it: any write to a conversation can fail, and be the last thing it does. */
export class FaultyStore {
  /** For the next write only. */
  fault: Fault | undefined;
  /** Every write fails until it is false again. */
  full = false;
  /** A write found the lock held: what it was about is done already and is stored at a later try. */
  retries = false;
  readonly store: SessionStore;
  #dead = false;
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    const { inner } = parts;
    const commit: SessionStore['commit'] = (written) =>
      this.#write(written.sessionId, () => {
        inner.commit(written);
        parts.committed(written);
      });
    const savePartial: SessionStore['savePartial'] = (sessionId, partial) =>
      this.#write(sessionId, () => {
        inner.savePartial(sessionId, partial);
        parts.partialSaved(sessionId, partial);
      });
    // Everything else is the real store's; what a dead host still asks of it is answered, and does not reach it.
    this.store = new Proxy(inner, {
      get: (_, name) => {
        if (name === 'commit') return commit;
        if (name === 'savePartial') return savePartial;
        const value: unknown = Reflect.get(inner, name, inner);
        return typeof value === 'function' ? value.bind(inner) : value;
      },
    });
  }

  /** What the host still tries to write is never stored. */
  kill(): void {
    this.#dead = true;
  }

  #write(sessionId: string, work: () => void): void {
    const { fault } = this;
    this.fault = undefined;
    if (this.#dead) throw new StorageError('closed', 'the host is dead');
    if (this.full || fault === 'fails' || fault === 'lock is held') this.#parts.refused(sessionId);
    if (this.full || fault === 'fails') throw new StorageError('disk', 'the disk is full');
    if (fault === 'lock is held') {
      this.retries = true;
      throw new StorageError('locked', 'another window writes');
    }
    if (fault === 'kills the host before') this.#die();
    work();
    if (fault === 'kills the host after') this.#die();
  }

  #die(): never {
    this.kill();
    this.#parts.died();
    throw new StorageError('closed', 'the host is dead');
  }
}
