/**
 * The database connection: loading `node:sqlite`, settings of a connection, cached statements, transactions, errors.
 */

import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { identityOf, writeAnew } from './database-file.ts';
import { storageErrorFrom } from './storage-error.ts';
import { StorageError } from './types.ts';

export type Row = Record<string, SQLOutputValue>;

/** How long a verb waits for another window's write lock, in milliseconds (control.md section 7). */
const VERB_WAIT_MS = 10;

/** How long opening waits for it: schema changes of another window may be under way. */
const OPEN_WAIT_MS = 250;

/** SQLite's own name for it. */
const IN_MEMORY = ':memory:';

export class Connection {
  readonly path: string;
  #db: DatabaseSync;
  readonly #isWritable: boolean;
  /** The file that is open; undefined before the first write. */
  #file: string | undefined;
  /** Called when the file was deleted and has been written anew. */
  onRestored: ((path: string) => void) | undefined;
  readonly #statements = new Map<string, StatementSync>();

  /** @throws StorageError */
  constructor(path: string, options: { readonly readOnly: boolean; readonly immutable?: boolean }) {
    this.path = path;
    this.#isWritable = !options.readOnly && !this.isInMemory;
    this.#db = opened(path, options);
  }

  /** A database that no other connection sees and that is gone when it is closed. @throws StorageError */
  static inMemory(): Connection {
    return new Connection(IN_MEMORY, { readOnly: false });
  }

  get isInMemory(): boolean {
    return this.path === IN_MEMORY;
  }

  /** @throws StorageError */
  prepareForWriting(): void {
    this.get('PRAGMA journal_mode = WAL');
    this.exec('PRAGMA synchronous = NORMAL');
    // A checkpoint waits for the disk, several milliseconds: four times rarer than by default, the log then has 16 MB.
    this.exec('PRAGMA wal_autocheckpoint = 4000');
  }

  /** After opening: from here on a lock held by another window makes a call fail within some 10 ms. */
  waitBriefly(): void {
    this.exec(`PRAGMA busy_timeout = ${VERB_WAIT_MS}`);
  }

  exec(sql: string): void {
    this.#run(() => this.#db.exec(sql));
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#run(() => this.#prepared(sql).run(...values));
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#run(() => this.#prepared(sql).get(...values));
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#run(() => this.#prepared(sql).all(...values));
  }

  /** All of `work` or, when it or the commit throws, nothing. The write lock is taken first, so it never waits midway. */
  transaction<T>(work: () => T): T {
    this.#ensureFile();
    this.run('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    if (this.#db.isOpen) this.#db.close();
  }

  /** What would be written into a file that was deleted is gone with this window. */
  #ensureFile(): void {
    if (!this.#isWritable || !this.#db.isOpen) return;
    const now = storing(this.path, () => identityOf(this.path));
    this.#file ??= now;
    if (now === this.#file) return;
    storing(this.path, () => {
      if (now === undefined) writeAnew(this.#db, this.path);
      const next = opened(this.path, { readOnly: false });
      this.#statements.clear();
      this.#db.close();
      this.#db = next;
      this.#file = identityOf(this.path);
    });
    this.prepareForWriting();
    this.waitBriefly();
    if (now === undefined) this.onRestored?.(this.path);
  }

  /** SQLite has already rolled back by itself after some errors (disk full, I/O), and then ROLLBACK would fail. */
  #rollBack(): void {
    if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run<T>(work: () => T): T {
    if (!this.#db.isOpen) throw new StorageError('closed', 'The conversation store is closed. Reload the window.');
    return storing(this.path, work);
  }
}

function opened(path: string, options: { readonly readOnly: boolean; readonly immutable?: boolean }): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  return storing(path, () => {
    const location = options.immutable ? immutableUrl(path) : path;
    return new DatabaseSync(location, {
      readOnly: options.readOnly,
      enableForeignKeyConstraints: true,
      timeout: OPEN_WAIT_MS,
    });
  });
}

function storing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageErrorFrom(error, path);
  }
}

function loadSqlite(): typeof import('node:sqlite') {
  // Undefined where Node was built without it; the declared type does not say so.
  const sqlite: typeof import('node:sqlite') | undefined = process.getBuiltinModule('node:sqlite');
  if (sqlite) return sqlite;
  throw new StorageError(
    'unknown',
    `This editor's Node.js (${process.version}) has no SQLite, which Midcourse keeps its conversations in. ` +
      'Nothing was changed. Update VS Code to 1.106 or newer.',
  );
}

/** For a folder where SQLite can create no side files: the file is read as it is. */
function immutableUrl(path: string): URL {
  const url = new URL('file:///');
  url.pathname = encodeURI(path.replaceAll('\\', '/')).replaceAll('?', '%3F').replaceAll('#', '%23');
  url.searchParams.set('immutable', '1');
  return url;
}
