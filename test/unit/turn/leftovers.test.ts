import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore, type ProcessRecord, type SessionStore, thisProcess } from '../../../src/agent/session/index.ts';
import { ProcessRegistry } from '../../../src/agent/tools/index.ts';
import { isRunning as isRunningEntry, readProcessTable } from '../../../src/agent/tools/process-table.ts';
import { MARK } from '../../../src/agent/tools/process-tree.ts';
import { StoredProcesses, sweepProcesses } from '../../../src/agent/turn/index.ts';
import type { BackgroundProcess } from '../../../src/api.ts';
import { session, temporaryFolder } from '../session/builders.ts';
import { isRunning } from './is-running.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: Date.now, after: () => () => undefined };
const GONE = { pid: 2 ** 22 + 1, processStart: '1' };

describe('background processes in the store', () => {
  it('K1d. a command is recorded before it runs, by its mark alone', () => {
    const recorded = registry.record('a mark', 'sleep 60');
    assert.deepEqual(
      store.processes().map(({ mark, pid }) => [mark, pid]),
      [['a mark', 0]],
    );
    recorded.ended(true);
    assert.deepEqual(store.processes(), []);
  });

  const folder = temporaryFolder();
  let store: SessionStore;
  let registry: ProcessRegistry;

  beforeEach(() => {
    store = openStore(folder.path).store;
    store.create(session('s'));
    registry = new ProcessRegistry({ ledger: new StoredProcesses({ store, clock, log }).ledger('s') });
  });
  afterEach(async () => {
    await registry.killAll();
    store.close();
  });

  const start = (command: string) => registry.start({ command, cwd: folder.path, env: process.env, turnId: 't' });

  it('are there with pid, start time, mark, command and window while they run', async () => {
    const { pid } = await start('sleep 60');
    const [root] = registry.roots();
    assert.deepEqual(store.processes(), [{ ...root, pid, command: 'sleep 60', sessionId: 's', window: thisProcess() }]);
  });

  it('are gone from it when they have ended, or were killed', async () => {
    const ended = new Promise<BackgroundProcess>((resolve) =>
      registry.onDidChange((one) => {
        if (one.state === 'exited') resolve(one);
      }),
    );
    const kept = await start('sleep 60');
    await start('true');
    await ended;
    assert.deepEqual(
      store.processes().map(({ command }) => command),
      ['sleep 60'],
    );
    await registry.kill(kept.id);
    assert.deepEqual(store.processes(), []);
  });

  it('are recorded later when the store could not be written at once', async () => {
    let again: () => void = () => undefined;
    const waiting = {
      now: Date.now,
      after: (_ms: number, callback: () => void) => {
        again = callback;
        return () => undefined;
      },
    };
    const failing = new ProcessRegistry({ ledger: new StoredProcesses({ store, clock: waiting, log }).ledger('s') });
    const { recordProcess } = store;
    store.recordProcess = () => {
      throw new Error('locked');
    };
    await failing.start({ command: 'sleep 60', cwd: folder.path, env: process.env, turnId: 't' });
    assert.deepEqual(store.processes(), []);
    store.recordProcess = recordProcess;
    again();
    assert.equal(store.processes().length, 1);
    await failing.killAll();
    assert.deepEqual(store.processes(), []);
  });
});

describe('the sweep at the start of a window', function () {
  if (process.platform === 'win32') return;
  this.timeout(20_000);
  const folder = temporaryFolder();
  let store: SessionStore;
  let window: ChildProcessWithoutNullStreams;
  let record: ProcessRecord;
  let output = '';

  /** A window that runs `command` in the background, or in which a call waits for it. */
  async function open(command: string, how: 'background' | 'foreground' | 'owned' = 'background'): Promise<void> {
    const program = fileURLToPath(new URL(`processes/${how}.ts`, import.meta.url));
    window = spawn(process.execPath, [program, folder.path, command]);
    window.stderr.pipe(process.stderr);
    output = '';
    window.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await once(window.stdout, 'data');
    const [stored] = store.processes();
    assert.ok(stored);
    record = stored;
  }

  /** Resolves when something that the window wrote makes it true. */
  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await once(window.stdout, 'data');
  }

  async function withMark(mark: string): Promise<readonly number[]> {
    const table = await readProcessTable();
    return (await table.withEnvironment(`${MARK}=${mark}`, isRunningEntry)).map(({ pid }) => pid);
  }

  async function die(): Promise<void> {
    const gone = once(window, 'exit');
    window.kill('SIGKILL');
    await gone;
  }

  beforeEach(() => {
    store = openStore(folder.path).store;
    store.create(session('s'));
  });
  afterEach(async () => {
    if (window.signalCode === null && window.exitCode === null) await die();
    await sweepProcesses({ store, log });
    store.close();
  });

  it('ends what a window left running that was killed, names it once, and forgets it', async () => {
    await open('sleep 60 & sleep 61');
    await die();
    assert.equal(isRunning(record.pid), true);
    assert.deepEqual(await sweepProcesses({ store, log }), [{ command: 'sleep 60 & sleep 61', survivors: [] }]);
    assert.equal(isRunning(record.pid), false);
    assert.deepEqual(store.processes(), []);
    assert.deepEqual(await sweepProcesses({ store, log }), []);
  });

  it('K1. ends a command that a call waited for when its window was killed, with all that it started, and names it', async () => {
    const command = 'echo up; setsid sleep 60 & sleep 787';
    await open(command, 'foreground');
    await die();
    const marked = await withMark(record.mark);
    assert.ok(marked.length >= 2, 'it outlived its window');
    assert.deepEqual(await sweepProcesses({ store, log }), [{ command, survivors: [] }]);
    assert.deepEqual(await withMark(record.mark), []);
    assert.deepEqual(store.processes(), []);
  });

  it('K1a. ends it with a window that closes in order, before that window is gone', async () => {
    await open('echo up; sleep 787', 'foreground');
    const gone = once(window, 'exit');
    window.kill('SIGTERM');
    await gone;
    assert.deepEqual(await withMark(record.mark), []);
  });

  it('K1b. keeps what a command left running on purpose for the next window, which ends and names it', async () => {
    const command = 'sleep 60 > /dev/null 2>&1 & echo up';
    await open(command, 'foreground');
    await until(() => output.includes('over'));
    assert.equal(store.processes().length, 1);
    await die();
    assert.deepEqual(await sweepProcesses({ store, log }), [{ command, survivors: [] }]);
    assert.deepEqual(await withMark(record.mark), []);
  });

  it('K1c. forgets a command that is over', async () => {
    await open('echo up; until [ -e go ]; do sleep 0.05; done', 'foreground');
    await writeFile(join(folder.path, 'go'), '');
    await until(() => output.includes('over'));
    assert.deepEqual(store.processes(), []);
  });

  for (const [kind, named] of [
    ['hook', /^hook: .*setInterval/],
    ['mcp', /^MCP server: .*setInterval/],
    ['language server', /^language server: .*setInterval/],
    ['plugin', /^plugin stubborn$/],
  ] as const) {
    it(`K1e. ends a ${kind} that does not end with its window, and names it`, async () => {
      await open(kind, 'owned');
      await die();
      assert.equal((await withMark(record.mark)).length, 1, 'it outlived its window');
      const [swept, ...more] = await sweepProcesses({ store, log });
      assert.match(swept?.command ?? '', named);
      assert.deepEqual([swept?.survivors, more], [[], []]);
      assert.deepEqual(await withMark(record.mark), []);
      assert.deepEqual(store.processes(), []);
    });

    it(`K1f. ends a ${kind} with a window that closes in order, and forgets it`, async () => {
      await open(kind, 'owned');
      const gone = once(window, 'exit');
      window.kill('SIGTERM');
      await gone;
      assert.deepEqual(await withMark(record.mark), []);
      assert.deepEqual(store.processes(), []);
    });
  }

  it('leaves the processes of a window alone that lives', async () => {
    await open('sleep 60');
    assert.deepEqual(await sweepProcesses({ store, log }), []);
    assert.equal(isRunning(record.pid), true);
    assert.equal(store.processes().length, 1);
  });

  it('finds by their mark what the process started, when it itself has ended', async () => {
    await open('setsid sleep 60; true');
    await die();
    process.kill(record.pid, 'SIGKILL');
    const swept = await sweepProcesses({ store, log });
    assert.deepEqual(swept, [{ command: 'setsid sleep 60; true', survivors: [] }]);
  });

  it('never touches a later process that got the same number', async () => {
    const stranger = spawn('sleep', ['60'], { detached: true });
    await once(stranger, 'spawn');
    const { pid = 0 } = stranger;
    await open('sleep 60');
    store.recordProcess({ mark: 'nobody has it', pid, startTime: '1', command: 'old', sessionId: 's', window: GONE });
    store.recordProcess({ mark: 'nor this', pid, command: 'older', sessionId: 's', window: GONE });
    assert.deepEqual(await sweepProcesses({ store, log }), []);
    assert.equal(isRunning(pid), true);
    assert.deepEqual(
      store.processes().map(({ command }) => command),
      ['sleep 60'],
    );
    stranger.kill('SIGKILL');
  });
});
