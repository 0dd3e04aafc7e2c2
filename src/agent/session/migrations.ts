/**
 * The schema, as the list of steps that lead to it. A step that was released is never changed; a new one is appended.
 */

import type { Connection } from './sqlite.ts';

/** Marks the file as Midcourse's (`PRAGMA application_id`): "MdCo". */
export const APPLICATION_ID = 0x4d64436f;

type Migration = (db: Connection) => void;

export const MIGRATIONS: readonly Migration[] = [conversations, unfinishedWork, control, images, costs];

/** What this version of Midcourse reads and writes (`PRAGMA user_version`). */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Brings a database up to `SCHEMA_VERSION`, one transaction for each step. @throws StorageError */
export function migrate(db: Connection): void {
  for (const [from, step] of MIGRATIONS.entries()) {
    if (schemaVersion(db) > from) continue;
    db.transaction(() => {
      // Another window may have taken this step while we waited for the lock.
      if (schemaVersion(db) > from) return;
      step(db);
      db.exec(`PRAGMA user_version = ${from + 1}`);
    });
  }
}

export function schemaVersion(db: Connection): number {
  return Number(db.get('PRAGMA user_version')?.user_version ?? 0);
}

function conversations(db: Connection): void {
  db.exec(`
    PRAGMA application_id = ${APPLICATION_ID};
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      title TEXT NOT NULL,
      title_source TEXT NOT NULL,
      model TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT;

    -- AUTOINCREMENT: the number of a deleted row is never given again, which the search index relies on.
    CREATE TABLE rows (
      n INTEGER PRIMARY KEY AUTOINCREMENT,
      session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      seq INTEGER NOT NULL,
      id TEXT NOT NULL,
      body TEXT NOT NULL,
      text TEXT AS (CASE WHEN json_valid(body) THEN json_extract(body, '$.displayText') END) VIRTUAL,
      UNIQUE (session_id, id)
    ) STRICT;
    CREATE INDEX rows_in_order ON rows (session_id, seq);

    CREATE TABLE items (
      session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (session_id, id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE turns (
      session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (session_id, id)
    ) STRICT, WITHOUT ROWID;
  `);
}

function unfinishedWork(db: Connection): void {
  db.exec(`
    CREATE TABLE partials (
      session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
      body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE todos (
      session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
      body TEXT NOT NULL
    ) STRICT;

    -- One row: up to which row the full-text index goes; -1 when it has to be made anew.
    CREATE TABLE search_index (upto INTEGER NOT NULL) STRICT;
    INSERT INTO search_index VALUES (-1);
  `);
}

function control(db: Connection): void {
  db.exec(`
    -- A delegated agent's session belongs to the one that started it and goes with it.
    ALTER TABLE sessions ADD COLUMN parent TEXT REFERENCES sessions (id) ON DELETE CASCADE;
    CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;

    -- A JSON list of item ids: the order in which waiting texts are delivered.
    ALTER TABLE sessions ADD COLUMN item_order TEXT;

    -- Counted up by every commit, so that a window knows when another one has written.
    ALTER TABLE sessions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;

    CREATE TABLE receipts (
      n INTEGER PRIMARY KEY,
      session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      body TEXT NOT NULL,
      UNIQUE (session_id, id)
    ) STRICT;

    -- Who runs a session's turn. The row stays when nobody does: its epoch only ever grows.
    CREATE TABLE leases (
      session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
      epoch INTEGER NOT NULL,
      holder TEXT,
      beat_at INTEGER NOT NULL,
      wanted_by TEXT
    ) STRICT;

    -- Background processes while they run. They outlive their session, so that a later sweep finds them.
    CREATE TABLE processes (
      mark TEXT PRIMARY KEY,
      body TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `);
}

function images(db: Connection): void {
  db.exec(`
    -- One for each content; \`ref\` is its SHA-256.
    CREATE TABLE images (
      ref TEXT PRIMARY KEY,
      mime TEXT NOT NULL,
      width INTEGER NOT NULL,
      height INTEGER NOT NULL,
      bytes BLOB NOT NULL
    ) STRICT;

    CREATE TABLE image_uses (
      session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
      ref TEXT NOT NULL,
      PRIMARY KEY (session_id, ref)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX image_uses_by_ref ON image_uses (ref);

    CREATE TRIGGER forget_image AFTER DELETE ON image_uses
    WHEN NOT EXISTS (SELECT 1 FROM image_uses WHERE ref = OLD.ref)
    BEGIN
      DELETE FROM images WHERE ref = OLD.ref;
    END;
  `);
}

/** What a day has cost is asked before each request. */
function costs(db: Connection): void {
  db.exec('CREATE INDEX turns_by_start ON turns (started_at);');
}
