/**
 * The store of sessions: what the turn loop writes and what the chat and the API read.
 * `sqlite-store.ts` implements it over `node:sqlite`; calls are synchronous and short (single rows, one transaction).
 */

import type { Item, SessionSummary, TranscriptRow, TurnResult } from '../../api.ts';
import type { Owner } from './owner.ts';

/**
 * One transaction: all of it is on disk when `commit` returns, or none and it throws a `StorageError`.
 * An assistant row or the end of a turn also removes the session's partial text, which is in the row now.
 */
export interface Commit {
  readonly sessionId: string;
  readonly rows?: readonly TranscriptRow[];
  /** Inserted or replaced by id. */
  readonly items?: readonly Item[];
  readonly turn?: TurnRecord;
  /** A title from the text that starts a turn. It counts only while the session has none. */
  readonly derivedTitle?: string;
}

export interface TurnRecord {
  readonly id: string;
  /** The sequence number that its id was made of: not given to another turn, also when this one stored no row. */
  readonly seq?: number;
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly endedAt?: number;
  /** Durable before the receipt of a stop, so that no resume revives the turn. */
  readonly stopped?: { readonly by: string; readonly reason: string; readonly seq: number };
  /**
   * Calls that began to run, stored before they do. With it a recovery tells *not run* from *may have run in part*;
   * without it every call that has no result may have run.
   */
  readonly startedCalls?: readonly string[];
  /** Who runs it: a turn without an end whose owner is gone was interrupted. */
  readonly owner?: Owner;
  /** Tokens of its newest request and answer, as the provider counted them. */
  readonly contextTokens?: number;
  readonly result?: TurnResult;
}

/** Text of an answer that is still being written, so that a crash keeps it. Not part of the transcript. */
export interface PartialText {
  readonly turnId: string;
  readonly request: number;
  readonly attempt: number;
  readonly text: string;
}

export interface StoredSession {
  readonly id: string;
  readonly title: string;
  readonly titleSource: 'derived' | 'model' | 'user';
  readonly model?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SessionStore {
  /** Why nothing can be written (a newer version's database), or undefined. */
  readonly readOnly: string | undefined;
  create(session: StoredSession): void;
  get(id: string): StoredSession | undefined;
  list(): readonly SessionSummary[];
  rename(id: string, title: string, source: StoredSession['titleSource']): void;
  setModel(id: string, model: string): void;
  delete(id: string): void;
  commit(commit: Commit): void;
  savePartial(sessionId: string, partial: PartialText | undefined): void;
  partial(sessionId: string): PartialText | undefined;
  /** All rows by `seq`. `limit` counts from the end; `before` excludes rows from that seq on. */
  rows(sessionId: string, options?: { before?: number; limit?: number }): readonly TranscriptRow[];
  rowCount(sessionId: string): number;
  /** The id of its newest row, by which another window's writing shows. */
  lastRowId(sessionId: string): string | undefined;
  items(sessionId: string): readonly Item[];
  item(sessionId: string, itemId: string): Item | undefined;
  turns(sessionId: string): readonly TurnRecord[];
  /** The highest sequence number of the session's rows, items and turns; 0 when empty. */
  lastSeq(sessionId: string): number;
  todos(sessionId: string): unknown;
  setTodos(sessionId: string, todos: unknown): void;
  search(query: string, limit: number): readonly { sessionId: string; title: string; rowId: string; snippet: string }[];
  close(): void;
}

export type StorageFailure = 'locked' | 'disk' | 'read_only' | 'corrupt' | 'closed' | 'unknown';

/** Thrown by the store: what happened, and (in `message`) what to do. Nothing of the failed transaction is stored. */
export class StorageError extends Error {
  readonly kind: StorageFailure;
  constructor(kind: StorageFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
    this.kind = kind;
  }
}
