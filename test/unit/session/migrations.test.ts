import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openStore } from '../../../src/agent/session/index.ts';
import { MIGRATIONS, migrate, SCHEMA_VERSION, schemaVersion } from '../../../src/agent/session/migrations.ts';
import { Connection } from '../../../src/agent/session/sqlite.ts';
import { png } from '../../fixtures/images.ts';
import { row, temporaryFolder, texts } from './builders.ts';

describe('schema migrations', () => {
  const folder = temporaryFolder();
  const path = () => join(folder.path, 'sessions.db');

  function versionOne(): void {
    const db = new Connection(path(), { readOnly: false });
    db.transaction(() => {
      MIGRATIONS[0]?.(db);
      db.exec('PRAGMA user_version = 1');
    });
    db.run("INSERT INTO sessions VALUES ('s', 'Old', 'user', NULL, 1, 2)");
    db.run("INSERT INTO rows (session_id, seq, id, body) VALUES ('s', 1, 'row-1', ?)", JSON.stringify(row(1, 'one')));
    db.close();
  }

  it('bring a database of version 1 up to the present one with all its data', () => {
    versionOne();
    const { store, notice } = openStore(folder.path);
    assert.equal(notice, undefined);
    assert.deepEqual(texts(store, 's'), ['one']);
    store.setTodos('s', ['new in version 2']);
    store.savePartial('s', { turnId: 't', request: 1, attempt: 1, text: 'x' });
    assert.equal(store.search('one', 1).length, 1);
    store.commit({ sessionId: 's', order: ['new in version 3'], lease: 'take' });
    assert.equal(store.leases.of('s')?.epoch, 1);
    assert.equal(store.images.read(store.images.save('s', png(1, 1).base64)), png(1, 1).base64, 'new in version 4');
    store.close();

    const db = new Connection(path(), { readOnly: true });
    assert.equal(schemaVersion(db), SCHEMA_VERSION);
    db.close();
  });

  it('leave the database at its old version when a step fails', () => {
    versionOne();
    const db = new Connection(path(), { readOnly: false });
    db.exec('CREATE TABLE todos (in_the_way TEXT)');
    assert.throws(() => migrate(db), { name: 'StorageError' });
    assert.equal(schemaVersion(db), 1);
    assert.equal(db.get("SELECT 1 FROM sqlite_schema WHERE name = 'partials'"), undefined);
    db.close();
  });

  it('do nothing to a database that is up to date', () => {
    openStore(folder.path).store.close();
    const db = new Connection(path(), { readOnly: false });
    const before = db.get('PRAGMA schema_version');
    migrate(db);
    assert.deepEqual(db.get('PRAGMA schema_version'), before);
    db.close();
  });
});
