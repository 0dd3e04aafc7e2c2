import assert from 'node:assert/strict';
import { ProcessRegistry } from '../../../src/agent/tools/index.ts';
import { readProcesses } from '../../../src/agent/tools/process-table.ts';
import type { BackgroundProcess } from '../../../src/api.ts';
import { onLinux, Workspace } from './tool-context.ts';

describe('background processes', function () {
  this.timeout(15_000);

  let workspace: Workspace;
  let registry: ProcessRegistry;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
    registry = workspace.processes;
  });
  afterEach(() => workspace.close());

  const start = (command: string, of = registry) =>
    of.start({ command, cwd: workspace.folder, env: process.env, turnId: 't1' });

  /** The first report of a process that fits. */
  function report(fits: (process: BackgroundProcess) => boolean): Promise<BackgroundProcess> {
    return new Promise((resolve) => {
      const listening = registry.onDidChange((process) => {
        if (!fits(process)) return;
        listening.dispose();
        resolve(process);
      });
    });
  }

  it('reports the start, output and the end with its exit code', async () => {
    const reports: BackgroundProcess[] = [];
    registry.onDidChange((process) => reports.push(process));
    const ended = report((process) => process.state !== 'running');
    const process = await start('echo hello; exit 4');
    assert.equal(process.state, 'running');
    assert.equal(process.startedBy, 'background');
    const last = await ended;
    assert.equal(last.state, 'exited');
    assert.equal(last.exitCode, 4);
    assert.equal(last.tail, 'hello\n');
    assert.equal(reports[0]?.state, 'running');
  });

  it('keeps the output of a process that ends at once', async () => {
    const ended = report((process) => process.state !== 'running');
    const { id } = await start('printf x');
    await ended;
    assert.equal(registry.output(id), 'x');
  });

  it('keeps the newest 200,000 characters, and 2,000 of them as tail', async () => {
    const ended = report((process) => process.state !== 'running');
    const { id } = await start(`node -e 'process.stdout.write("a".repeat(3e5) + "b".repeat(2e5))'`);
    const last = await ended;
    assert.equal(registry.output(id), 'b'.repeat(200_000));
    assert.equal(last.tail, 'b'.repeat(2_000));
  });

  onLinux('kill ends it with all that it started', async () => {
    const up = report((process) => process.tail.includes('up'));
    const { id, pid } = await start('setsid sleep 300 & sleep 300 & echo up $!; wait');
    const child = Number(/up (\d+)/.exec((await up).tail)?.[1]);
    assert.deepEqual(await registry.kill(id), { survivors: [] });
    assert.deepEqual(await readProcesses([pid, child]), []);
    assert.equal(registry.list()[0]?.state, 'killed');
  });

  onLinux('killAll ends all of them, at once when told so', async () => {
    const up = Promise.all(['a', 'b'].map((name) => report((process) => process.tail.includes(name))));
    const both = await Promise.all(
      ['a', 'b'].map((name) => start(`trap '' INT TERM; echo ${name}; while :; do sleep 1; done`)),
    );
    await up;
    assert.deepEqual(await registry.killAll(AbortSignal.abort()), []);
    assert.deepEqual(await readProcesses(both.map(({ pid }) => pid)), []);
    assert.deepEqual(registry.roots(), []);
  });

  onLinux('a stop of the turn leaves them alone', async () => {
    const result = await workspace.run('terminal', { command: 'sleep 300', background: true });
    assert.equal(result.status, 'success');
    workspace.stop.abort();
    assert.equal(registry.list()[0]?.state, 'running');
  });

  onLinux('pid and start time are there for a later sweep', async () => {
    const { pid } = await start('sleep 300');
    const [root] = registry.roots();
    assert.equal(root?.pid, pid);
    assert.match(root?.startTime ?? '', /^\d+$/);
  });

  it('a command that cannot be started rejects and is not listed', async () => {
    const broken = new ProcessRegistry({ shell: '/no/such/shell' });
    await assert.rejects(start('ls', broken), /ENOENT/);
    assert.deepEqual(broken.list(), []);
  });

  it('case 62: over 64 the oldest finished one is dropped', async function () {
    this.timeout(60_000);
    const small = new ProcessRegistry({ tracked: 3 });
    const ends: string[] = [];
    const ended = new Promise<void>((resolve) =>
      small.onDidChange(({ state, id }) => {
        if (state === 'exited' && !ends.includes(id)) ends.push(id);
        if (ends.length === 2) resolve();
      }),
    );
    const first = await start('true', small);
    await start('true', small);
    await ended;
    await start('sleep 300', small);
    await start('sleep 300', small);
    assert.equal(small.list().length, 3);
    assert.ok(!small.list().some(({ id }) => id === first.id));
    await start('sleep 300', small);
    await assert.rejects(start('sleep 300', small), /running already/);
    await small.killAll(AbortSignal.abort());
  });

  describe('through the process tool', () => {
    const use = (args: object) => workspace.run('process', args);

    it('list, poll and kill', async () => {
      const up = report((process) => process.tail.includes('ready'));
      await workspace.run('terminal', { command: 'echo ready; sleep 300', background: true });
      const { id } = await up;
      assert.match((await use({ action: 'list' })).text, new RegExp(`${id} · pid \\d+ · running · echo ready`));
      assert.match((await use({ action: 'poll', id })).text, /ready\n$/);
      assert.match((await use({ action: 'poll', id, characters: 2 })).text, /\[…\]\ny\n$/);
      assert.equal((await use({ action: 'kill', id })).status, 'success');
      assert.match((await use({ action: 'kill', id })).text, /had ended already/);
    });

    it('case 61: a process of another session is unknown', async () => {
      const other = new ProcessRegistry();
      const { id } = await start('sleep 300', other);
      const result = await use({ action: 'poll', id });
      assert.equal(result.status, 'error');
      assert.match(result.text, /There is no process/);
      await other.killAll(AbortSignal.abort());
    });
  });
});
