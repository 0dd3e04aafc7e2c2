import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { openStore, type SessionStore, setAside } from '../../../src/agent/session/index.ts';
import { item, row, session, temporaryFolder, texts } from './builders.ts';

const program = (name: string): string => fileURLToPath(new URL(`processes/${name}.ts`, import.meta.url));

describe('session store when something is wrong', () => {
  const folder = temporaryFolder();
  const file = () => join(folder.path, 'sessions.db');
  const open: (() => void)[] = [];

  const openHere = () => {
    const opened = openStore(folder.path);
    open.push(() => opened.store.close());
    return opened;
  };

  const filled = (): SessionStore => {
    const { store } = openHere();
    store.create(session('s', { title: 'Kept' }));
    store.commit({ sessionId: 's', rows: [row(1, 'one'), row(2, 'two')], items: [item('i', 3)] });
    return store;
  };

  afterEach(() => {
    for (const close of open.splice(0)) close();
  });

  describe('another window holds the write lock', () => {
    let other: ChildProcessWithoutNullStreams;

    const lock = async () => {
      other = spawn(process.execPath, [program('hold-lock'), file()]);
      await once(other.stdout, 'data');
    };
    const unlock = async () => {
      other.stdin.end();
      await once(other, 'exit');
    };

    it('fails a commit as locked at once, reads on, and commits when the lock is gone', async () => {
      const store = filled();
      await lock();
      // The other process still holds the lock: nothing waited for it.
      assert.throws(() => store.commit({ sessionId: 's', rows: [row(4, 'three')] }), { kind: 'locked' });
      assert.deepEqual(texts(store, 's'), ['one', 'two']);
      assert.equal(store.search('two', 1).length, 1);
      await unlock();
      store.commit({ sessionId: 's', rows: [row(4, 'three')] });
      assert.deepEqual(texts(store, 's'), ['one', 'two', 'three']);
    });

    it('opens a store that is there already', async () => {
      filled();
      await lock();
      assert.deepEqual(texts(openHere().store, 's'), ['one', 'two']);
      await unlock();
    });
  });

  it('has every acknowledged commit and no half one after its process was killed in the midst of writing', async () => {
    const writer = spawn(process.execPath, [program('write-forever'), folder.path]);
    let acknowledged = 0;
    for await (const line of createInterface(writer.stdout)) {
      acknowledged = Number(line);
      if (acknowledged === 300) writer.kill('SIGKILL');
    }
    const { store, notice } = openHere();
    const rows = store.rows('s').map((one) => one.seq);
    assert.equal(notice, undefined);
    assert.ok(rows.length >= acknowledged && acknowledged >= 300);
    assert.deepEqual(
      rows,
      rows.map((_seq, index) => index + 1),
    );
    assert.deepEqual(
      store.items('s').map((one) => one.seq),
      rows,
    );
  });

  describe('the file is damaged', () => {
    const damages: Readonly<Record<string, () => void>> = {
      'is no database': () => writeFileSync(file(), 'not a database at all\n'.repeat(500)),
      'is cut short': () => truncateSync(file(), 9_000),
      'has a torn first page': () => {
        const bytes = readFileSync(file());
        bytes.fill(0xaa, 60, 2_000);
        writeFileSync(file(), bytes);
      },
      'belongs to another program': () => {
        writeFileSync(file(), '');
        const db = new DatabaseSync(file());
        db.exec('CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)');
        db.close();
      },
    };
    for (const [name, damage] of Object.entries(damages)) {
      it(`leaves a file that ${name} as it is and goes on in a new one beside it`, () => {
        filled().close();
        damage();
        const before = readFileSync(file());

        const { store, path, notice } = openHere();
        assert.equal(path, join(folder.path, 'sessions-2.db'));
        assert.equal(notice?.kind, 'damaged');
        assert.equal(notice?.path, file());
        assert.ok(notice?.message.includes(file()) && notice.message.includes(path));
        store.create(session('new'));
        store.close();

        const again = openHere();
        assert.equal(again.path, path);
        assert.equal(again.notice, undefined);
        assert.deepEqual(
          again.store.list().map((one) => one.id),
          ['new'],
        );
        assert.deepEqual(readFileSync(file()), before);
      });
    }

    it('sets it aside only on request, under a name that says when', () => {
      writeFileSync(file(), 'garbage '.repeat(2_000));
      const path = setAside(file(), new Date(Date.UTC(2026, 10, 29, 15, 4, 5)));
      assert.equal(path, `${file()}.corrupt-2026-11-29T15-04-05`);
      assert.equal(readFileSync(path, 'utf8'), 'garbage '.repeat(2_000));
      assert.equal(existsSync(file()), false);
    });

    it('says so when a page turns out to be damaged while reading', () => {
      const store = filled();
      store.commit({ sessionId: 's', rows: Array.from({ length: 500 }, (_, n) => row(n + 10, 'x'.repeat(500))) });
      store.close();
      const bytes = readFileSync(file());
      bytes.fill(0xaa, 40 * 4_096);
      writeFileSync(file(), bytes);
      const { store: damaged } = openHere();
      assert.throws(
        () => damaged.rows('s'),
        (error: Error & { kind?: string }) => error.kind === 'corrupt' && error.message.includes(file()),
      );
    });
  });

  it('shows a row that does not parse as a notice and reads the others', () => {
    filled().close();
    const db = new DatabaseSync(file());
    db.exec(`UPDATE rows SET body = '{"half' WHERE id = 'row-1'; UPDATE items SET body = '{}'`);
    db.close();
    const { store } = openHere();
    const [first, second] = store.rows('s');
    assert.deepEqual([first?.id, first?.role, first?.seq], ['row-1', 'notice', 1]);
    assert.match(first?.displayText ?? '', /cannot be read/);
    assert.equal(second?.displayText, 'two');
    assert.deepEqual(store.items('s'), []);
    assert.equal(store.search('two', 5).length, 1);
  });

  it('opens a database of a newer version for reading only and says why', () => {
    filled().close();
    const db = new DatabaseSync(file());
    db.exec('PRAGMA user_version = 900; ALTER TABLE rows ADD COLUMN novelty TEXT');
    db.close();
    const { store, notice, path } = openHere();
    assert.equal(path, file());
    assert.equal(notice?.kind, 'newer_version');
    assert.match(store.readOnly ?? '', /newer version/);
    assert.deepEqual(texts(store, 's'), ['one', 'two']);
    assert.equal(store.search('two', 5).length, 1);
    for (const write of [
      () => store.commit({ sessionId: 's', rows: [row(9, 'x')] }),
      () => store.create(session('t')),
      () => store.rename('s', 'x', 'user'),
      () => store.savePartial('s', undefined),
      () => store.delete('s'),
    ]) {
      assert.throws(write, { kind: 'read_only', message: store.readOnly });
    }
  });

  it('names the path when the folder cannot be made', () => {
    writeFileSync(join(folder.path, 'in-the-way'), '');
    const path = join(folder.path, 'in-the-way', 'storage');
    assert.throws(() => openStore(path), { kind: 'disk', message: new RegExp(path) });
  });

  it('opens an empty file as a new store', () => {
    writeFileSync(file(), '');
    assert.deepEqual(openHere().store.list(), []);
    assert.equal(openHere().path, file());
  });

  it('says what to do when this Node.js has no SQLite', async () => {
    const report = await runProgram([process.execPath, '--no-experimental-sqlite']);
    assert.match(report.opening?.message ?? '', /no SQLite.*Update VS Code/);
  });

  describe('on a disk of which it may not use more', () => {
    it('fails the commit as a disk failure and keeps what was stored before', async function () {
      if (process.platform === 'win32') this.skip();
      const blocks = 400;
      const report = await runProgram(['bash', '-c', `ulimit -f ${blocks}; exec "$@"`, '-', process.execPath]);
      assert.equal(report.opening, undefined);
      assert.equal(report.writing?.kind, 'disk');
      assert.ok((report.written ?? 0) > 0);
      assert.equal(report.readable, report.written);
    });
  });

  describe('for a user who may not write', () => {
    it('reads a store in a folder that is write-protected', async function () {
      if (process.platform === 'win32') this.skip();
      filled().close();
      chmodSync(file(), 0o444);
      chmodSync(folder.path, 0o555);
      const report = await runProgram([process.execPath], asNobody());
      chmodSync(folder.path, 0o755);
      assert.equal(report.notice, 'not_writable');
      assert.equal(report.sessions, 1);
      assert.equal(report.writing?.kind, 'read_only');
      assert.deepEqual(readdirSync(folder.path), ['sessions.db']);
    });

    it('says which folder to make writable when there is no store yet', async function () {
      if (process.platform === 'win32') this.skip();
      const protectedFolder = join(folder.path, 'protected');
      mkdirSync(protectedFolder);
      chmodSync(folder.path, 0o755);
      chmodSync(protectedFolder, 0o555);
      const report = await runProgram([process.execPath], asNobody(), join(protectedFolder, 'storage'));
      assert.equal(report.opening?.kind, 'read_only');
      assert.match(report.opening?.message ?? '', /protected/);
    });
  });

  interface Report {
    readonly opening?: { kind: string; message: string };
    readonly notice?: string;
    readonly sessions?: number;
    readonly writing?: { kind: string; message: string };
    readonly written?: number;
    readonly readable?: number;
  }

  async function runProgram(
    [command = '', ...args]: readonly string[],
    options: { uid?: number; gid?: number } = {},
    target = folder.path,
  ): Promise<Report> {
    const child = spawn(command, [...args, program('open-and-report'), target], options);
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    await once(child, 'close');
    assert.notEqual(output, '', errors);
    return JSON.parse(output);
  }

  /** Root may write everywhere, so as root the program runs as the user `nobody`. */
  function asNobody(): { uid?: number; gid?: number } {
    return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  }
});
