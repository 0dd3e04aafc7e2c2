/**
 * The store of sessions: what the turn loop writes and what the chat and the API read.
 * `sqlite-store.ts` implements it over `node:sqlite`; calls are synchronous and short (single rows, one transaction).
 */

import type { Item, Receipt, SessionSummary, TranscriptRow, TurnResult } from '../../api.ts';
import type { ImageStore } from './images.ts';
import type { LeaseStore } from './leases.ts';
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
  /** Ids of the undelivered items in the order of their delivery; replaces the order that was stored before. */
  readonly order?: readonly string[];
  /** What verbs were answered with. A second one with the same id is dropped: the first one counts. */
  readonly receipts?: readonly Receipt[];
  readonly turn?: TurnRecord;
  /**
   * `take` makes this window the one that runs the session, `release` lets go of it. A window that has taken a session
   * writes to it only while it still has it: otherwise its writes fail as `taken_over`.
   */
  readonly lease?: 'take' | 'release';
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
  /** While it compacts: the newest row that the model was sent before. No later row of the turn means that it still did. */
  readonly compactingAfter?: number;
  /** Who runs it, written by versions that had no leases: a turn without an end whose owner is gone was interrupted. */
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
  /** The session whose turn delegated work to this one. Such a session is in no list and no search. */
  readonly parent?: string;
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
  /** Without delegated agents' sessions. */
  list(): readonly SessionSummary[];
  /** The sessions of the agents that it delegated to, oldest first. */
  children(parentId: string): readonly StoredSession[];
  rename(id: string, title: string, source: StoredSession['titleSource']): void;
  setModel(id: string, model: string): void;
  delete(id: string): void;
  commit(commit: Commit): void;
  /** What is stored of a session now is known to this window, or is about to be read in this tick. */
  know(sessionId: string): void;
  /** True when another window wrote to a session that this one knows: a commit would fail as `moved_on`. */
  isChanged(sessionId: string): boolean;
  savePartial(sessionId: string, partial: PartialText | undefined): void;
  partial(sessionId: string): PartialText | undefined;
  /** All rows by `seq`. `limit` counts from the end; `before` excludes rows from that seq on, `after` those up to it. */
  rows(
    sessionId: string,
    options?: { readonly before?: number; readonly after?: number; readonly limit?: number },
  ): readonly TranscriptRow[];
  rowCount(sessionId: string): number;
  /**
   * Items that were delivered or withdrawn by `seq`, then those that wait: in the order that was stored, and behind them
   * by `seq` those that it does not name.
   */
  items(sessionId: string): readonly Item[];
  item(sessionId: string, itemId: string): Item | undefined;
  /** In the order in which they were begun, which is not that of their times when the clock was put back. */
  turns(sessionId: string): readonly TurnRecord[];
  /** US dollars that turns of all sessions cost which began since then (milliseconds since the epoch) and are over. */
  costSince(startedAt: number): number;
  /** In the order in which they were given. */
  receipts(sessionId: string): readonly Receipt[];
  /** The highest sequence number of the session's rows, items, turns and receipts; 0 when empty. */
  lastSeq(sessionId: string): number;
  todos(sessionId: string): unknown;
  setTodos(sessionId: string, todos: unknown): void;
  search(query: string, limit: number): readonly { sessionId: string; title: string; rowId: string; snippet: string }[];
  /** Which window runs which session. */
  readonly leases: LeaseStore;
  readonly images: ImageStore;
  /** Background processes while they run, of all windows. */
  processes(): readonly ProcessRecord[];
  /** Inserted or replaced by `mark`. */
  recordProcess(process: ProcessRecord): void;
  forgetProcess(mark: string): void;
  close(): void;
}

/** A background process as a later window needs it to end it, should its own window die. */
export interface ProcessRecord {
  /** In the environment of the process and of all that it starts. */
  readonly mark: string;
  readonly pid: number;
  /** As the system writes it; absent where it does not tell. */
  readonly startTime?: string;
  readonly command: string;
  readonly sessionId: string;
  /** The window that started it. */
  readonly window: Owner;
}

/**
 * `taken_over`: another window has the session now, or it was deleted; nothing more of this window is stored there.
 * `moved_on`: another window wrote to it; it has to be read again first.
 */
export type StorageFailure =
  | 'taken_over'
  | 'moved_on'
  | 'locked'
  | 'disk'
  | 'read_only'
  | 'corrupt'
  | 'closed'
  | 'unknown';

/** Thrown by the store: what happened, and (in `message`) what to do. Nothing of the failed transaction is stored. */
export class StorageError extends Error {
  readonly kind: StorageFailure;
  constructor(kind: StorageFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageError';
    this.kind = kind;
  }
}
