import type { Item, Receipt, SessionSummary, TranscriptRow } from '../../api.ts';
import { Images } from './images.ts';
import { Leases } from './leases.ts';
import { Revisions } from './revisions.ts';
import { type Hit, SearchIndex } from './search.ts';
import type { Connection, Row } from './sqlite.ts';
import * as stored from './stored-json.ts';
import { mayReplaceTitle } from './titles.ts';
import type { Commit, PartialText, ProcessRecord, SessionStore, StoredSession, TurnRecord } from './types.ts';
import { StorageError } from './types.ts';

/** `SessionStore` over `node:sqlite`. `openStore` makes it; several windows may have the same file open. */
export class SqliteStore implements SessionStore {
  readonly readOnly: string | undefined;
  readonly leases: Leases;
  readonly images: Images;
  readonly #db: Connection;
  readonly #now: () => number;
  readonly #searchIndex: SearchIndex;
  readonly #revisions: Revisions;

  /** @param now milliseconds since the epoch; it dates a session's last change. */
  constructor(db: Connection, options: { readonly readOnly?: string; readonly now: () => number }) {
    this.#db = db;
    this.readOnly = options.readOnly;
    this.#now = options.now;
    this.leases = new Leases(db, options.now, (work) => this.#transaction(work));
    this.images = new Images(db, (work) => this.#transaction(work));
    this.#revisions = new Revisions(db);
    this.#searchIndex = new SearchIndex(db, options.readOnly === undefined);
  }

  create(session: StoredSession): void {
    this.#write(
      'INSERT INTO sessions (id, title, title_source, model, created_at, updated_at, parent) VALUES (?, ?, ?, ?, ?, ?, ?)',
      session.id,
      session.title,
      session.titleSource,
      session.model ?? null,
      session.createdAt,
      session.updatedAt,
      session.parent ?? null,
    );
  }

  get(id: string): StoredSession | undefined {
    const row = this.#db.get('SELECT * FROM sessions WHERE id = ?', id);
    return row && sessionFrom(row);
  }

  list(): readonly SessionSummary[] {
    return this.#db
      .all(
        `SELECT id, title, created_at, updated_at, (SELECT count(*) FROM turns WHERE session_id = sessions.id) AS turns
         FROM sessions WHERE parent IS NULL ORDER BY updated_at DESC, id`,
      )
      .map((row) => ({
        id: String(row.id),
        title: String(row.title),
        createdAt: Number(row.created_at),
        updatedAt: Number(row.updated_at),
        turns: Number(row.turns),
      }));
  }

  children(parentId: string): readonly StoredSession[] {
    return this.#db
      .all('SELECT * FROM sessions WHERE parent = ? ORDER BY created_at, rowid', parentId)
      .map(sessionFrom);
  }

  /** Does nothing when the present title outranks the new one (see `mayReplaceTitle`) or the session is gone. */
  rename(id: string, title: string, source: StoredSession['titleSource']): void {
    this.#transaction(() => {
      const current = this.get(id);
      if (!current || !mayReplaceTitle(current.titleSource, source)) return;
      this.#db.run('UPDATE sessions SET title = ?, title_source = ? WHERE id = ?', title, source, id);
    });
  }

  setModel(id: string, model: string): void {
    this.#write('UPDATE sessions SET model = ? WHERE id = ?', model, id);
  }

  delete(id: string): void {
    this.#transaction(() => {
      for (const child of this.children(id)) this.#searchIndex.forget(child.id);
      this.#searchIndex.forget(id);
      this.#db.run('DELETE FROM sessions WHERE id = ?', id);
    });
    this.leases.forget(id);
    this.#revisions.forget(id);
  }

  commit(commit: Commit): void {
    const { sessionId, rows = [], items = [], receipts = [], order, turn, derivedTitle, lease } = commit;
    const counts = this.#transaction(() => {
      const taken = lease === 'take' ? this.leases.take(sessionId) : undefined;
      this.leases.check(sessionId);
      const known = this.#revisions.next(sessionId, this.#now());
      for (const row of rows) this.#insertRow(sessionId, row);
      for (const item of items) this.#putItem(sessionId, item);
      for (const receipt of receipts) this.#addReceipt(sessionId, receipt);
      if (order) this.#putOrder(sessionId, order);
      if (turn) this.#putTurn(sessionId, turn);
      if (turn?.endedAt !== undefined || rows.some((row) => row.role === 'assistant')) this.#dropPartial(sessionId);
      if (derivedTitle !== undefined) this.#deriveTitle(sessionId, derivedTitle);
      return [known, taken, lease === 'release' ? this.leases.letGo(sessionId) : undefined];
    });
    for (const count of counts) count?.();
  }

  know(sessionId: string): void {
    this.#revisions.know(sessionId);
  }

  isChanged(sessionId: string): boolean {
    return this.#revisions.isChanged(sessionId);
  }

  savePartial(sessionId: string, partial: PartialText | undefined): void {
    this.#transaction(() => {
      this.leases.check(sessionId);
      if (partial) this.#put('partials', sessionId, partial);
      else this.#dropPartial(sessionId);
    });
  }

  partial(sessionId: string): PartialText | undefined {
    const row = this.#db.get('SELECT body FROM partials WHERE session_id = ?', sessionId);
    return stored.parseStored(stored.partialText, row?.body);
  }

  rows(
    sessionId: string,
    options: { readonly before?: number; readonly after?: number; readonly limit?: number } = {},
  ): readonly TranscriptRow[] {
    const { before = Number.MAX_SAFE_INTEGER, after = -1, limit = -1 } = options;
    return this.#db
      .all(
        'SELECT id, seq, body FROM rows WHERE session_id = ? AND seq < ? AND seq > ? ORDER BY seq DESC, n DESC LIMIT ?',
        sessionId,
        before,
        after,
        limit,
      )
      .reverse()
      .map((row) => stored.parseStored(stored.transcriptRow, row.body) ?? unreadableRow(row));
  }

  rowCount(sessionId: string): number {
    return Number(this.#db.get('SELECT count(*) AS n FROM rows WHERE session_id = ?', sessionId)?.n);
  }

  items(sessionId: string): readonly Item[] {
    const items = this.#db
      .all('SELECT body FROM items WHERE session_id = ? ORDER BY seq, id', sessionId)
      .flatMap((row) => stored.parseStored(stored.item, row.body) ?? []);
    const row = this.#db.get('SELECT item_order FROM sessions WHERE id = ?', sessionId);
    return inOrder(items, stored.parseStored(stored.itemOrder, row?.item_order) ?? []);
  }

  item(sessionId: string, itemId: string): Item | undefined {
    const row = this.#db.get('SELECT body FROM items WHERE session_id = ? AND id = ?', sessionId, itemId);
    return stored.parseStored(stored.item, row?.body);
  }

  turns(sessionId: string): readonly TurnRecord[] {
    return this.#db
      .all('SELECT body FROM turns WHERE session_id = ? ORDER BY started_at, id', sessionId)
      .flatMap((row) => stored.parseStored(stored.turnRecord, row.body) ?? [])
      .toSorted((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
  }

  costSince(startedAt: number): number {
    // Where the whole is not known, what is known of the turn's models.
    const row = this.#db.get(
      `SELECT sum(coalesce(
                json_extract(body, '$.result.usage.costUsd'),
                (SELECT sum(json_extract(value, '$.usage.costUsd')) FROM json_each(body, '$.result.byModel'))
              )) AS cost
       FROM turns WHERE started_at >= ? AND json_valid(body)`,
      startedAt,
    );
    return Number(row?.cost ?? 0);
  }

  receipts(sessionId: string): readonly Receipt[] {
    return this.#db
      .all('SELECT body FROM receipts WHERE session_id = ? ORDER BY n', sessionId)
      .flatMap((row) => stored.parseStored(stored.receipt, row.body) ?? []);
  }

  lastSeq(sessionId: string): number {
    const row = this.#db.get(
      `SELECT max(coalesce((SELECT max(seq) FROM rows WHERE session_id = ?1), 0),
                  coalesce((SELECT max(seq) FROM items WHERE session_id = ?1), 0),
                  coalesce((SELECT max(seq) FROM receipts WHERE session_id = ?1), 0),
                  coalesce((SELECT max(json_extract(body, '$.stopped.seq')) FROM turns
                            WHERE session_id = ?1 AND json_valid(body)), 0),
                  coalesce((SELECT max(json_extract(body, '$.seq')) FROM turns
                            WHERE session_id = ?1 AND json_valid(body)), 0)) AS seq`,
      sessionId,
    );
    return Number(row?.seq);
  }

  todos(sessionId: string): unknown {
    const row = this.#db.get('SELECT body FROM todos WHERE session_id = ?', sessionId);
    return stored.parseStored(stored.anything, row?.body);
  }

  setTodos(sessionId: string, todos: unknown): void {
    this.#transaction(() => {
      this.leases.check(sessionId);
      this.#put('todos', sessionId, todos ?? null);
    });
  }

  search(query: string, limit: number): readonly Hit[] {
    return this.#searchIndex.search(query, limit);
  }

  processes(): readonly ProcessRecord[] {
    return this.#db
      .all('SELECT body FROM processes')
      .flatMap((row) => stored.parseStored(stored.processRecord, row.body) ?? []);
  }

  recordProcess(process: ProcessRecord): void {
    this.#write('INSERT OR REPLACE INTO processes (mark, body) VALUES (?, ?)', process.mark, stored.toStored(process));
  }

  forgetProcess(mark: string): void {
    this.#write('DELETE FROM processes WHERE mark = ?', mark);
  }

  close(): void {
    this.#db.close();
  }

  #insertRow(sessionId: string, row: TranscriptRow): void {
    const body = stored.toStored(row);
    this.#db.run('INSERT INTO rows (session_id, seq, id, body) VALUES (?, ?, ?, ?)', sessionId, row.seq, row.id, body);
  }

  #putItem(sessionId: string, item: Item): void {
    const body = stored.toStored(item);
    this.#db.run(
      'INSERT OR REPLACE INTO items (session_id, id, seq, body) VALUES (?, ?, ?, ?)',
      sessionId,
      item.id,
      item.seq,
      body,
    );
  }

  #addReceipt(sessionId: string, receipt: Receipt): void {
    this.#db.run(
      'INSERT OR IGNORE INTO receipts (session_id, id, seq, body) VALUES (?, ?, ?, ?)',
      sessionId,
      receipt.id,
      receipt.seq,
      stored.toStored(receipt),
    );
  }

  #putOrder(sessionId: string, order: readonly string[]): void {
    this.#db.run('UPDATE sessions SET item_order = ? WHERE id = ?', stored.toStored(order), sessionId);
  }

  #put(table: 'partials' | 'todos', sessionId: string, value: unknown): void {
    const body = stored.toStored(value);
    this.#db.run(`INSERT OR REPLACE INTO ${table} (session_id, body) VALUES (?, ?)`, sessionId, body);
  }

  #putTurn(sessionId: string, turn: TurnRecord): void {
    const body = stored.toStored(turn);
    this.#db.run(
      'INSERT OR REPLACE INTO turns (session_id, id, started_at, body) VALUES (?, ?, ?, ?)',
      sessionId,
      turn.id,
      turn.startedAt,
      body,
    );
  }

  #deriveTitle(sessionId: string, title: string): void {
    // Each turn offers its first text; only a session that has no title yet takes it.
    const untitled = "title_source = 'derived' AND title = ''";
    this.#db.run(`UPDATE sessions SET title = ? WHERE id = ? AND ${untitled}`, title, sessionId);
  }

  #dropPartial(sessionId: string): void {
    this.#db.run('DELETE FROM partials WHERE session_id = ?', sessionId);
  }

  #write(sql: string, ...values: (string | number | null)[]): void {
    this.#transaction(() => this.#db.run(sql, ...values));
  }

  #transaction<T>(work: () => T): T {
    if (this.readOnly !== undefined) throw new StorageError('read_only', this.readOnly);
    return this.#db.transaction(work);
  }
}

function sessionFrom(row: Row): StoredSession {
  const source = String(row.title_source);
  return {
    id: String(row.id),
    title: String(row.title),
    // A source that we do not know counts as the user's, so that nothing automatic overwrites it.
    titleSource: source === 'derived' || source === 'model' ? source : 'user',
    ...(typeof row.model === 'string' ? { model: row.model } : {}),
    ...(typeof row.parent === 'string' ? { parent: row.parent } : {}),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  };
}

/** What is over stays by sequence number; what waits follows in the order that was stored. */
function inOrder(items: readonly Item[], order: readonly string[]): readonly Item[] {
  const places = new Map(order.map((id, place) => [id, place]));
  const isOver = ({ state }: Item) => state.is === 'delivered' || state.is === 'withdrawn';
  const place = (item: Item) => (isOver(item) ? -1 : (places.get(item.id) ?? order.length));
  return items.toSorted((one, other) => place(one) - place(other));
}

function unreadableRow(row: Row): TranscriptRow {
  return {
    id: String(row.id),
    seq: Number(row.seq),
    turnId: '',
    role: 'notice',
    kind: 'notice',
    parts: [],
    displayText:
      'An entry of this conversation cannot be read and is left out of what the model sees. ' +
      `It is kept in the store as row ${row.id}.`,
  };
}
