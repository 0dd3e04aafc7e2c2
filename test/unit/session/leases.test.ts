import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  isAlive,
  openStore,
  type SessionStore,
  SILENT_TOO_LONG,
  thisProcess,
} from '../../../src/agent/session/index.ts';
import { answer, row, session, temporaryFolder, texts, turn } from './builders.ts';

describe('the lease of a session', () => {
  const folder = temporaryFolder();
  let now: number;
  let one: SessionStore;
  let other: SessionStore;

  beforeEach(() => {
    now = 1_000;
    one = openStore(folder.path, { now: () => now }).store;
    other = openStore(folder.path, { now: () => now }).store;
    one.create(session('s'));
    one.create(session('child', { parent: 's' }));
  });
  afterEach(() => {
    one.close();
    other.close();
  });

  const start = (store: SessionStore, seq: number) =>
    store.commit({ sessionId: 's', rows: [row(seq, `from ${seq}`)], turn: turn(`t${seq}`, seq), lease: 'take' });

  it('is taken with the first write of a turn and let go of with the last', () => {
    assert.equal(one.leases.of('s'), undefined);
    start(one, 1);
    assert.equal(one.leases.state('s'), 'held');
    assert.equal(other.leases.state('s'), 'elsewhere');
    one.commit({ sessionId: 's', rows: [answer(2, 'done')], lease: 'release' });
    assert.equal(one.leases.state('s'), 'free');
    assert.equal(other.leases.state('s'), 'free');
    start(other, 3);
    assert.equal(one.leases.state('s'), 'elsewhere');
    assert.equal(other.leases.of('s')?.epoch, 2);
    assert.deepEqual(texts(one, 's'), ['from 1', 'done', 'from 3']);
  });

  it('is not taken when the write fails', () => {
    one.commit({ sessionId: 's', rows: [row(1, 'one')] });
    assert.throws(() => start(one, 1), { name: 'StorageError' });
    assert.equal(one.leases.state('s'), 'free');
    assert.equal(other.leases.state('s'), 'free');
  });

  it('refuses a turn while another window runs one, and stores nothing of it', () => {
    start(one, 1);
    assert.throws(() => start(other, 2), { kind: 'taken_over' });
    assert.deepEqual(texts(one, 's'), ['from 1']);
    assert.equal(other.leases.state('s'), 'elsewhere');
  });

  it('makes every write of the old holder fail once the session was seized', () => {
    start(one, 1);
    other.leases.seize('s');
    const writes = {
      rows: () => one.commit({ sessionId: 's', rows: [answer(2, 'too late')] }),
      end: () => one.commit({ sessionId: 's', turn: turn('t1', 1, { endedAt: 9 }), lease: 'release' }),
      next: () => one.commit({ sessionId: 's', rows: [row(3, 'queued')], lease: 'take' }),
      partial: () => one.savePartial('s', { turnId: 't1', request: 1, attempt: 1, text: 'too late' }),
      noPartial: () => one.savePartial('s', undefined),
      todos: () => one.setTodos('s', ['too late']),
      beat: () => one.leases.beat('s'),
    };
    for (const [name, write] of Object.entries(writes)) assert.throws(write, { kind: 'taken_over' }, name);
    assert.deepEqual(texts(other, 's'), ['from 1']);
    assert.equal(other.turns('s')[0]?.endedAt, undefined);
    assert.equal(other.partial('s'), undefined);
    assert.equal(other.todos('s'), undefined);

    start(other, 4);
    assert.throws(writes.rows, { kind: 'taken_over' });
    assert.equal(one.leases.state('s'), 'lost');
    one.leases.release('s');
    assert.equal(one.leases.state('s'), 'elsewhere');
    assert.equal(other.leases.state('s'), 'held');
  });

  it('takes the delegated agents of a session with it when it is seized', () => {
    one.commit({ sessionId: 'child', rows: [row(1, 'delegated')], lease: 'take' });
    start(one, 1);
    other.leases.seize('s');
    assert.throws(() => one.commit({ sessionId: 'child', rows: [row(2, 'too late')] }), { kind: 'taken_over' });
  });

  it('fails the writes of a turn whose session was deleted in another window, and says so as a take-over', () => {
    start(one, 1);
    other.delete('s');
    assert.throws(() => one.commit({ sessionId: 's', rows: [answer(2, 'x')] }), { kind: 'taken_over' });
  });

  it('shows its holder that another window wants the session, until the holder lets go', () => {
    start(one, 1);
    other.leases.want('s');
    assert.equal(one.leases.state('s'), 'wanted');
    assert.equal(other.leases.state('s'), 'elsewhere');
    one.leases.release('s');
    start(one, 2);
    assert.equal(one.leases.state('s'), 'held');
  });

  it('says when its holder last lived', () => {
    start(one, 1);
    now = 4_000;
    one.leases.beat('s');
    assert.equal(other.leases.of('s')?.beatAt, 4_000);
  });

  describe('of another process', () => {
    let holder: ChildProcessWithoutNullStreams;

    beforeEach(async () => {
      const program = fileURLToPath(new URL('processes/hold-lease.ts', import.meta.url));
      holder = spawn(process.execPath, [program, folder.path, 's']);
      await once(holder.stdout, 'data');
    });
    afterEach(async () => {
      if (holder.exitCode !== null || holder.signalCode !== null) return;
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    });

    it('counts while that process lives and is free at once when it was killed', async () => {
      assert.equal(one.leases.state('s'), 'elsewhere');
      assert.throws(() => start(one, 9), { kind: 'taken_over' });
      holder.kill('SIGKILL');
      await once(holder, 'exit');
      assert.equal(one.leases.state('s'), 'free');
      start(one, 9);
      assert.deepEqual(texts(other, 's'), ['from the other process', 'from 9']);
    });

    it('also counts while that process hangs, however long it has been silent', () => {
      holder.kill('SIGSTOP');
      now += 10 * 60_000;
      assert.equal(one.leases.state('s'), 'elsewhere');
    });

    it('is not inherited by a later process that got its number', () => {
      const { pid = 0 } = holder;
      assert.equal(isAlive({ pid, processStart: 'long ago' }, 0), process.platform === 'win32');
    });

    it('depends on signs of life where nobody can tell when the process started', () => {
      const { pid = 0 } = holder;
      assert.equal(isAlive({ pid, processStart: '' }, SILENT_TOO_LONG), true);
      assert.equal(isAlive({ pid, processStart: '' }, SILENT_TOO_LONG + 1), false);
    });
  });

  it('knows its own process by number and start time', () => {
    assert.equal(isAlive(thisProcess(), Number.MAX_SAFE_INTEGER), process.platform !== 'win32');
    assert.equal(isAlive({ pid: process.pid, processStart: '1' }, 0), process.platform === 'win32');
  });
});
