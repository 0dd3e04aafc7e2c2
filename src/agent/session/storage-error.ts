import type { StorageFailure } from './types.ts';
import { StorageError } from './types.ts';

/** Turns whatever `node:sqlite` or the file system threw into a `StorageError` that says what to do. */
export function storageErrorFrom(error: unknown, path: string): StorageError {
  if (error instanceof StorageError) return error;
  const kind = classify(error);
  const detail = error instanceof Error ? error.message : String(error);
  return new StorageError(kind, advice(kind, path, detail), { cause: error });
}

function classify(error: unknown): StorageFailure {
  if (!(error instanceof Error)) return 'unknown';
  if ('errcode' in error && typeof error.errcode === 'number') return fromSqlite(error.errcode);
  if ('code' in error && typeof error.code === 'string') return fromSystem(error.code);
  return 'unknown';
}

/** The low byte of SQLite's extended result code: https://www.sqlite.org/rescode.html */
function fromSqlite(code: number): StorageFailure {
  switch (code & 0xff) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return 'locked';
    case 3: // SQLITE_PERM
    case 8: // SQLITE_READONLY
      return 'read_only';
    case 10: // SQLITE_IOERR
    case 13: // SQLITE_FULL
    case 14: // SQLITE_CANTOPEN
      return 'disk';
    case 11: // SQLITE_CORRUPT
    case 26: // SQLITE_NOTADB
      return 'corrupt';
    default:
      return 'unknown';
  }
}

function fromSystem(code: string): StorageFailure {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'read_only';
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EIO':
    case 'EFBIG':
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOENT':
      return 'disk';
    default:
      return 'unknown';
  }
}

function advice(kind: StorageFailure, path: string, detail: string): string {
  switch (kind) {
    case 'locked':
      return 'Another VS Code window is writing to the conversation store. Nothing was saved; try again in a moment.';
    case 'disk':
      return `The conversation store could not be read or written (${detail}), so nothing was saved. Free some space or check the disk, then send again. It is ${path}.`;
    case 'read_only':
      return `The conversation store is write-protected, so nothing was saved. Make this file and its folder writable: ${path}.`;
    case 'corrupt':
      return `The conversation store is damaged (${detail}). Its file was left as it is: ${path}. Reload the window to go on with a new store beside it; earlier conversations stay in that file.`;
    case 'taken_over':
      return 'Another window has this session now. Nothing of this window was saved; go on there.';
    case 'moved_on':
      return 'Another window wrote to this session. Nothing of this window was saved; open the session again.';
    case 'closed':
      return 'The conversation store is closed. Reload the window.';
    case 'unknown':
      return `The conversation store refused (${detail}), so nothing was saved. Reload the window; if it happens again, see the Midcourse log. The store is ${path}.`;
    default:
      return kind satisfies never;
  }
}
