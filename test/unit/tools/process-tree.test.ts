import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parsePs, parseStat, readProcesses, readProcessTable } from '../../../src/agent/tools/process-table.ts';
import { endTree, findRoot, MARK } from '../../../src/agent/tools/process-tree.ts';
import { onLinux, Workspace } from './tool-context.ts';

/** Milliseconds: after these the kill would have come, so nothing had to be killed. */
const BEFORE_TERMINATE_IS_OVER = 1_500;
/** Worst case of a stop, spec/control.md section 5. */
const STOP_BOUND = 2_500;

describe('ending a process tree', function () {
  this.timeout(10_000);

  let workspace: Workspace;
  let callId: string;

  beforeEach(async () => {
    callId = `call${randomUUID()}`;
    workspace = new Workspace();
    await workspace.open();
  });
  afterEach(() => workspace.close());

  /** Runs it under the mark of this test, allowed. */
  async function allowed(command: string, more: object = {}) {
    await workspace.permission('terminal', { command, ...more }, { callId });
    return await workspace.run('terminal', { command, ...more }, { callId });
  }

  /** Stops a command as soon as it has made the files that show that it is up. */
  async function stopped(command: string, files: readonly string[] = ['ready']) {
    const ready = Promise.all(files.map((file) => untilFile(workspace.path(file))));
    const run = allowed(command);
    await ready;
    const members = await marked();
    const at = performance.now();
    workspace.stop.abort();
    const result = await run;
    return { result, members, took: performance.now() - at };
  }

  /** The running processes that carry the mark of this test's command. */
  async function marked() {
    const table = await readProcessTable();
    const all = await Promise.all(
      table.entries.map(async ({ pid }) => ({
        pid,
        text: await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''),
      })),
    );
    return all.filter(({ text }) => text.includes(`${MARK}=${callId}`)).map(({ pid }) => pid);
  }

  onLinux('a well-behaved tree is gone without being killed', async () => {
    const { result, members, took } = await stopped('sleep 300 & sleep 300 & touch ready; sleep 300');
    assert.equal(result.status, 'stopped');
    assert.ok(members.length >= 3);
    assert.deepEqual(await readProcesses(members), []);
    assert.ok(took < BEFORE_TERMINATE_IS_OVER, `${took} ms`);
  });

  onLinux('children that ignore terminate, in sessions of their own, are killed and nothing is left', async () => {
    const stubborn = (name: string) => `trap "" INT TERM; touch ${name}; while :; do sleep 1; done`;
    const { result, members, took } = await stopped(
      `(setsid bash -c '${stubborn('a')}' &) ; setsid -f bash -c '${stubborn('b')}'; ${stubborn('c')}`,
      ['a', 'b', 'c'],
    );
    assert.equal(result.status, 'stopped');
    assert.ok(members.length >= 3);
    assert.deepEqual(await readProcesses(members), []);
    assert.equal(result.survivors, undefined);
    assert.ok(took < STOP_BOUND, `${took} ms`);
  });

  onLinux('a second stop kills at once what ignores the first', async () => {
    const ready = untilFile(workspace.path('ready'));
    const command = `trap '' INT TERM; touch ready; while :; do sleep 1; done`;
    const run = allowed(command);
    await ready;
    const at = performance.now();
    workspace.stop.abort();
    workspace.kill.abort();
    assert.equal((await run).status, 'stopped');
    assert.ok(performance.now() - at < BEFORE_TERMINATE_IS_OVER);
    assert.deepEqual(await readProcesses(await marked()), []);
  });

  onLinux('a detached child whose parents have ended is found by its mark', async () => {
    const { members } = await stopped(`(setsid bash -c 'touch ready; sleep 300; :' >/dev/null 2>&1 &) ; sleep 300`);
    assert.ok(members.length >= 2);
    assert.deepEqual(await readProcesses(members), []);
  });

  onLinux('a suspended process is woken up to end', async () => {
    const { result, took } = await stopped('sleep 300 & kill -STOP $!; touch ready; wait');
    assert.equal(result.status, 'stopped');
    assert.ok(took < BEFORE_TERMINATE_IS_OVER, `${took} ms`);
  });

  onLinux('what has become another program since it was interrupted is interrupted again', async () => {
    const command = `trap '' TERM; trap 'exec sleep 300' INT; touch ready; while :; do sleep 0.05; done`;
    const env = { ...process.env, [MARK]: callId };
    const ready = untilFile(workspace.path('ready'));
    const child = spawn('bash', ['-c', command], {
      cwd: workspace.folder,
      env,
      detached: true,
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    await ready;
    const root = spawn('true', { stdio: 'ignore' });
    await once(root, 'exit');
    assert.deepEqual(await endTree({ pid: root.pid ?? 0, mark: callId }, new AbortController().signal), []);
    assert.deepEqual(await ended, [null, 'SIGINT']);
  });

  onLinux('strangers are left alone', async () => {
    const stranger = spawn('sleep', ['300'], { stdio: 'ignore' });
    await once(stranger, 'spawn');
    try {
      await stopped('touch ready; sleep 300');
      assert.equal((await readProcesses([stranger.pid ?? 0])).length, 1);
    } finally {
      stranger.kill();
    }
  });

  onLinux('case 56: a command over its time is a timeout, and its children are gone', async () => {
    const result = await allowed('setsid sleep 300 & echo begun; sleep 300', { timeout: 0.3 });
    assert.equal(result.status, 'timeout');
    assert.match(result.text, /begun/);
    assert.match(result.text, /exit 124/);
    assert.deepEqual(await marked(), []);
  });
});

describe('reading the process table', () => {
  it('a process name with spaces and parentheses does not shift the fields', () => {
    const entry = parseStat('42 (a) b (c) S 1 40 39 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 777 1000 2 3');
    assert.deepEqual(entry, {
      pid: 42,
      parent: 1,
      group: 40,
      session: 39,
      state: 'S',
      startTime: '777',
      command: 'a) b (c',
    });
  });

  it('what has vanished is nothing', () => {
    assert.equal(parseStat(''), undefined);
  });

  it('lines of ps are read with their date and whole command', () => {
    const entries = parsePs('  501     1   501 Ss+  Sun Nov 29 15:24:21 2026 /bin/zsh -c sleep 3\n\nnonsense\n');
    assert.deepEqual(entries, [
      {
        pid: 501,
        parent: 1,
        group: 501,
        session: 501,
        state: 'S',
        startTime: 'Sun Nov 29 15:24:21 2026',
        command: '/bin/zsh -c sleep 3',
      },
    ]);
  });
});

/** Resolves when the file exists. */
async function untilFile(path: string): Promise<void> {
  const watcher = watch(path.replace(/\/[^/]*$/, ''));
  try {
    while (!existsSync(path)) await once(watcher, 'change');
  } finally {
    watcher.close();
  }
}

describe('a tree that somebody else started', () => {
  onLinux('is found by what its environment holds, from its oldest process, and ended by that mark', async () => {
    const variables = { OTHER_THREAD: randomUUID(), OTHER_CALL: randomUUID() };
    assert.equal(await findRoot(variables), undefined);
    const script = 'setsid sh -c "echo up; sleep 300" & sleep 300; exit';
    const child = spawn('/bin/sh', ['-c', script], {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await once(child.stdout, 'data');
    const root = await findRoot(variables);
    assert.equal(root?.pid, child.pid);
    assert.equal(await findRoot({ ...variables, OTHER_THREAD: 'another' }), undefined);
    assert.ok(root);
    assert.deepEqual(await endTree(root, new AbortController().signal), []);
    assert.equal(await findRoot(variables), undefined);
  });
});
