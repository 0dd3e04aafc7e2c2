/** The file of an open database: that it is still the same one, and a new one where it was deleted meanwhile. */

import { linkSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/** Undefined when there is no file. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/**
 * Writes all that the open database holds into a new file of its name. The system keeps a deleted file for who has it open,
 * and every window that does knows all that any of them has stored. Another window may be first: its file stays.
 */
export function writeAnew(db: DatabaseSync, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.tmp`;
  rmSync(beside, { force: true });
  try {
    db.prepare('VACUUM INTO ?').run(beside);
    linkSync(beside, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(beside, { force: true });
  }
}
