/**
 * The door to the store: which file is used, and what happens when it is damaged, newer than we are or not writable.
 * No file is ever deleted or overwritten here.
 */

import { accessSync, constants, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { APPLICATION_ID, migrate, SCHEMA_VERSION, schemaVersion } from './migrations.ts';
import { Connection } from './sqlite.ts';
import { SqliteStore } from './sqlite-store.ts';
import { storageErrorFrom } from './storage-error.ts';
import { type SessionStore, StorageError } from './types.ts';

export interface OpenedStore {
  readonly store: SessionStore;
  /** The database file in use. */
  readonly path: string;
  /** Something the user has to be told. */
  readonly notice?: StoreNotice;
}

export interface StoreOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** The file was deleted while it was in use, and has been written anew: words for the user. */
  restored?(words: string): void;
}

export interface StoreNotice {
  readonly kind: 'damaged' | 'newer_version' | 'not_writable';
  readonly message: string;
  /** The file that it is about. */
  readonly path: string;
}

const NAME = 'sessions';

/** More damaged files than this in one folder mean that the disk is at fault. */
const MOST_FILES = 9;

/**
 * Opens the store of `folder`, which is made when it is missing.
 *
 * A damaged file stays as it is and a new one is opened beside it (`sessions-2.db`); from then on the newest file is
 * the one in use. A file of a newer version, or one that cannot be written, is opened read-only.
 *
 * @throws StorageError when there is nothing to work with: `locked`, `disk`, `read_only`, or no SQLite (`unknown`)
 */
export function openStore(folder: string, options: StoreOptions = {}): OpenedStore {
  makeFolder(folder);
  let damaged: StoreNotice | undefined;
  for (let number = newestFile(folder); number <= MOST_FILES; number++) {
    const path = fileOf(folder, number);
    try {
      const { store, notice } = openFile(path, options);
      const told = damaged ?? notice;
      return { store, path, ...(told ? { notice: told } : {}) };
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'corrupt') throw error;
      damaged = damagedNotice(path, fileOf(folder, number + 1), error);
    }
  }
  throw new StorageError('corrupt', `${damaged?.message ?? ''} There are too many damaged files; check the disk.`);
}

/** A store that is gone when it is closed, for work that leaves nothing behind. @throws StorageError */
export function openMemoryStore(now: () => number = Date.now): SessionStore {
  const db = Connection.inMemory();
  migrate(db);
  return new SqliteStore(db, { now });
}

/**
 * Renames a damaged database and its side files to `….corrupt-<date>`; only when the user asked for it.
 * @returns the new path of the database
 * @throws StorageError
 */
export function setAside(path: string, date: Date): string {
  const suffix = `.corrupt-${date.toISOString().slice(0, 19).replaceAll(':', '-')}`;
  try {
    for (const side of ['-wal', '-shm', '']) {
      if (existsSync(path + side)) renameSync(path + side, path + suffix + side);
    }
  } catch (error) {
    throw storageErrorFrom(error, path);
  }
  return path + suffix;
}

const RESTORED =
  'The file with the conversations was deleted while this window was open. It was written anew from what the window knows, and nothing of it is lost: {0}';

function openFile(
  path: string,
  { now = Date.now, restored }: StoreOptions,
): { store: SqliteStore; notice?: StoreNotice } {
  if (existsSync(path)) {
    const readOnly = readOnlyReason(path);
    if (readOnly) {
      const store = new SqliteStore(readOnly.db, { readOnly: readOnly.notice.message, now });
      return { store, notice: readOnly.notice };
    }
  }
  const db = new Connection(path, { readOnly: false });
  try {
    db.prepareForWriting();
    migrate(db);
    db.waitBriefly();
    db.onRestored = (at) => restored?.(RESTORED.replace('{0}', at));
  } catch (error) {
    db.close();
    throw error;
  }
  return { store: new SqliteStore(db, { now }) };
}

/**
 * Looks at an existing file without changing a byte of it.
 * @returns a read-only connection with the reason, or undefined when the file may be opened for writing
 * @throws StorageError `corrupt` when it is damaged or not ours
 */
function readOnlyReason(path: string): { db: Connection; notice: StoreNotice } | undefined {
  const db = look(path);
  try {
    const version = inspect(db);
    const kind = version > SCHEMA_VERSION ? 'newer_version' : isWritable(path) ? undefined : 'not_writable';
    if (kind) return { db, notice: { kind, path, message: readOnlyMessage(kind, path) } };
  } catch (error) {
    db.close();
    throw error;
  }
  db.close();
  return undefined;
}

function look(path: string): Connection {
  const db = new Connection(path, { readOnly: true });
  try {
    db.get('SELECT count(*) FROM sqlite_schema');
    return db;
  } catch (error) {
    db.close();
    // Without write access to the folder SQLite cannot make the side files it shares with other processes.
    const needsNoSideFiles = error instanceof StorageError && error.kind !== 'corrupt' && !isWritable(path);
    if (!needsNoSideFiles) throw error;
    return new Connection(path, { readOnly: true, immutable: true });
  }
}

/** @returns the schema version; 0 for an empty file */
function inspect(db: Connection): number {
  const tables = Number(db.get('SELECT count(*) AS n FROM sqlite_schema')?.n);
  if (tables === 0) return 0;
  if (db.get('PRAGMA application_id')?.application_id !== APPLICATION_ID) {
    throw new StorageError('corrupt', 'it holds the data of another program');
  }
  const version = schemaVersion(db);
  if (version < SCHEMA_VERSION && !isWritable(db.path)) {
    throw new StorageError('read_only', readOnlyMessage('not_writable', db.path));
  }
  return version;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw storageErrorFrom(error, folder);
  }
}

function newestFile(folder: string): number {
  for (let number = MOST_FILES; number > 1; number--) {
    if (existsSync(fileOf(folder, number))) return number;
  }
  return 1;
}

function fileOf(folder: string, number: number): string {
  return join(folder, number === 1 ? `${NAME}.db` : `${NAME}-${number}.db`);
}

function damagedNotice(path: string, next: string, error: StorageError): StoreNotice {
  return {
    kind: 'damaged',
    path,
    message:
      `The conversation store cannot be read (${reasonOf(error)}). It was left as it is: ${path}. ` +
      `New conversations go to ${next}. To use the old ones again, close VS Code, put a sound copy in that place and ` +
      'move the new file away.',
  };
}

function reasonOf(error: StorageError): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function readOnlyMessage(kind: 'newer_version' | 'not_writable', path: string): string {
  switch (kind) {
    case 'newer_version':
      return (
        `The conversations were written by a newer version of Midcourse (${path}). They can be read but nothing can ` +
        'be sent. Update Midcourse to go on.'
      );
    case 'not_writable':
      return (
        `The conversation store cannot be written (${path}). Conversations can be read but nothing can be sent. ` +
        'Make the file and its folder writable, then reload the window.'
      );
    default:
      return kind satisfies never;
  }
}
