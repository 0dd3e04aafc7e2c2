/**
 * Which window runs which session (control.md section 7). A turn's window holds the session's lease from the first write
 * of the turn to its last. Each change of hands raises the epoch, and every write of a window that holds a lease checks
 * it inside its transaction: after a take-over nothing of the old holder reaches the database, however late it wakes.
 */

import { isAlive, type Owner, thisProcess } from './owner.ts';
import type { Connection } from './sqlite.ts';
import { leaseHolder, parseStored, toStored } from './stored-json.ts';
import { StorageError } from './types.ts';

export interface LeaseHolder extends Owner {
  /** One process may have opened the store more than once. */
  readonly window: string;
}

export interface Lease {
  /** It only ever grows. */
  readonly epoch: number;
  /** Undefined while nobody runs the session. */
  readonly holder: LeaseHolder | undefined;
  /** When the holder last said that it lives, milliseconds since the epoch. */
  readonly beatAt: number;
  /** Another window has asked for the session. */
  readonly wanted: boolean;
}

/**
 * `held`: by this window. `wanted`: by this window, and another one has asked for it. `lost`: this window held it and
 * another one took it. `elsewhere`: by another window, which lives. `free`: by nobody who lives.
 */
export type LeaseState = 'held' | 'wanted' | 'lost' | 'elsewhere' | 'free';

export interface LeaseStore {
  /** False for a store that no other window can open: nobody has to be watched for. */
  readonly isShared: boolean;
  state(sessionId: string): LeaseState;
  runsElsewhere(sessionId: string): boolean;
  /** True while this window runs it. */
  isHeld(sessionId: string): boolean;
  /** Undefined for a session that nobody has run since leases exist. */
  of(sessionId: string): Lease | undefined;
  /** Says that this window lives. @throws StorageError `taken_over` when it has lost the session */
  beat(sessionId: string): void;
  /** Lets go of a session that this window holds or has lost; does nothing otherwise. @throws StorageError */
  release(sessionId: string): void;
  /** As `release`, where that could not be written: for other windows this one still holds it, until they ask. */
  forget(sessionId: string): void;
  /** Asks the holder for the session. @throws StorageError */
  want(sessionId: string): void;
  /**
   * Takes the session, and those of its delegated agents, from whoever holds it: nothing that it still writes is stored.
   *
   * @throws StorageError
   */
  seize(sessionId: string): void;
}

const TAKEN_OVER =
  'This session was taken over by another window. What this window had not stored yet is not part of it; go on there, or open the session again here.';
const RUNS_ELSEWHERE =
  'Another window has begun to run this session. Nothing was sent; go on there, or take the session over.';

/** `LeaseStore` of one window over its connection. `SqliteStore` calls `check`, `take` and `letGo` in its transactions. */
export class Leases implements LeaseStore {
  readonly #db: Connection;
  readonly #now: () => number;
  readonly #window = crypto.randomUUID();
  readonly #held = new Map<string, number>();
  readonly #write: (work: () => void) => void;

  /** @param write runs its argument as one transaction */
  constructor(db: Connection, now: () => number, write: (work: () => void) => void) {
    this.#db = db;
    this.#now = now;
    this.#write = write;
  }

  get isShared(): boolean {
    return !this.#db.isInMemory;
  }

  of(sessionId: string): Lease | undefined {
    const row = this.#db.get('SELECT epoch, holder, beat_at, wanted_by FROM leases WHERE session_id = ?', sessionId);
    if (!row) return undefined;
    const holder = parseStored(leaseHolder, row.holder);
    return { epoch: Number(row.epoch), holder, beatAt: Number(row.beat_at), wanted: row.wanted_by !== null };
  }

  state(sessionId: string): LeaseState {
    const lease = this.of(sessionId);
    const held = this.#held.get(sessionId);
    if (held !== undefined) return lease?.epoch !== held ? 'lost' : lease.wanted ? 'wanted' : 'held';
    if (!lease?.holder || lease.holder.window === this.#window) return 'free';
    return isAlive(lease.holder, this.#now() - lease.beatAt) ? 'elsewhere' : 'free';
  }

  runsElsewhere(sessionId: string): boolean {
    return this.state(sessionId) === 'elsewhere';
  }

  isHeld(sessionId: string): boolean {
    const state = this.state(sessionId);
    return state === 'held' || state === 'wanted';
  }

  beat(sessionId: string): void {
    this.#write(() => {
      this.check(sessionId);
      this.#db.run('UPDATE leases SET beat_at = ? WHERE session_id = ?', this.#now(), sessionId);
    });
  }

  release(sessionId: string): void {
    if (!this.#held.has(sessionId)) return;
    this.#write(() => this.#free(sessionId));
    this.#held.delete(sessionId);
  }

  want(sessionId: string): void {
    this.#write(() => this.#db.run('UPDATE leases SET wanted_by = ? WHERE session_id = ?', this.#window, sessionId));
  }

  seize(sessionId: string): void {
    this.#write(() => {
      this.#next(sessionId, null);
      this.#db.run(
        `UPDATE leases SET epoch = epoch + 1, holder = NULL
         WHERE session_id IN (SELECT id FROM sessions WHERE parent = ?)`,
        sessionId,
      );
    });
  }

  /** @throws StorageError `taken_over` when this window held the session and has lost it */
  check(sessionId: string): void {
    const epoch = this.#held.get(sessionId);
    if (epoch === undefined) return;
    const row = this.#db.get('SELECT epoch FROM leases WHERE session_id = ?', sessionId);
    if (row?.epoch !== epoch) throw new StorageError('taken_over', TAKEN_OVER);
  }

  /** @returns what makes it count once the transaction is through @throws StorageError `taken_over` */
  take(sessionId: string): () => void {
    // In memory nobody else can come: no lease is taken, so none is left behind.
    if (this.#held.has(sessionId) || !this.isShared) return () => undefined;
    if (this.runsElsewhere(sessionId)) throw new StorageError('taken_over', RUNS_ELSEWHERE);
    const holder: LeaseHolder = { ...thisProcess(), window: this.#window };
    this.#next(sessionId, toStored(holder));
    const epoch = this.of(sessionId)?.epoch ?? 1;
    return () => this.#held.set(sessionId, epoch);
  }

  /** @returns what makes it count once the transaction is through @throws StorageError `taken_over` */
  letGo(sessionId: string): () => void {
    this.check(sessionId);
    this.#free(sessionId);
    return () => this.#held.delete(sessionId);
  }

  forget(sessionId: string): void {
    this.#held.delete(sessionId);
  }

  #free(sessionId: string): void {
    const epoch = this.#held.get(sessionId) ?? -1;
    this.#db.run(
      'UPDATE leases SET holder = NULL, wanted_by = NULL WHERE session_id = ? AND epoch = ?',
      sessionId,
      epoch,
    );
  }

  #next(sessionId: string, holder: string | null): void {
    this.#db.run(
      `INSERT INTO leases (session_id, epoch, holder, beat_at) VALUES (?1, 1, ?2, ?3)
       ON CONFLICT DO UPDATE SET epoch = epoch + 1, holder = ?2, beat_at = ?3, wanted_by = NULL`,
      sessionId,
      holder,
      this.#now(),
    );
  }
}
