import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { readProcesses } from '../../../src/agent/tools/process-table.ts';
import { commandEnvironment } from '../../../src/agent/tools/shell.ts';
import { onLinux, Workspace } from './tool-context.ts';

describe('terminal', function () {
  this.timeout(15_000);

  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
  });
  afterEach(() => workspace.close());

  const run = (command: string, more: object = {}) => workspace.run('terminal', { command, ...more });

  it('gives output of both streams and the exit code', async () => {
    const result = await run('echo out; echo err >&2; exit 3');
    assert.equal(result.status, 'error');
    assert.equal(result.detail, 'exit 3');
    assert.ok(result.text.includes('out\n') && result.text.includes('err\n'));
    assert.match(result.text, /\[exit 3\]$/);
  });

  it('says what an exit code means where it means something', async () => {
    const none = await run('echo a | grep b');
    assert.equal(none.status, 'success');
    assert.match(none.text, /\[exit 1: no match\]/);
    assert.match((await run('no-such-command-here')).text, /\[exit 127: command not found\]/);
    assert.match((await run('kill -TERM $$')).text, /SIGTERM/);
  });

  it('shows output while the command runs', async () => {
    const seen = new Promise<void>((resolve) => {
      const output = (text: string) => {
        if (text.includes('early')) resolve();
      };
      void workspace.run('terminal', { command: 'echo early; sleep 60' }, { output });
    });
    await seen;
    workspace.stop.abort();
  });

  it('case 53: more than 600 s in the foreground is refused with a pointer to the background', async () => {
    const args = { command: 'touch ran', timeout: 900 };
    assert.equal(await workspace.permission('terminal', args), undefined);
    const result = await workspace.run('terminal', args);
    assert.equal(result.status, 'error');
    assert.match(result.text, /background/);
    await assert.rejects(readFile(workspace.path('ran')));
  });

  it('case 54: of 1 MB of output 50,000 characters stay, 40 % of the head and 60 % of the tail', async () => {
    const result = await run(`node -e 'process.stdout.write("h".repeat(5e5) + "t".repeat(5e5))'`);
    const [head = '', , tail = ''] = result.text.split(/\n(\[… \d+ characters left out …\])\n/);
    assert.equal(head, 'h'.repeat(20_000));
    assert.ok(tail.startsWith('t'.repeat(30_000)));
    assert.match(result.text, /\[… 950000 characters left out …\]/);
  });

  it('an endless flood neither fills the memory nor blocks the thread, and can be stopped', async () => {
    let longest = 0;
    let last = performance.now();
    let beats = 0;
    const enough = new Promise<void>((resolve) => {
      const beat = setInterval(() => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
        if (++beats < 40) return;
        clearInterval(beat);
        resolve();
      }, 10);
    });
    const before = process.memoryUsage().heapUsed;
    const flood = workspace.run('terminal', { command: 'yes' }, { output: () => undefined });
    await enough;
    workspace.stop.abort();
    const result = await flood;
    assert.equal(result.status, 'stopped');
    assert.ok(result.text.length < 51_000);
    assert.ok(process.memoryUsage().heapUsed - before < 150e6);
    assert.ok(longest < 500, `${longest} ms`);
  });

  it('removes colours, titles and control characters, also when they come in pieces', async () => {
    const result = await run(String.raw`printf '\033[3'; sleep 0.05; printf '1mred\033[0m \033]0;title\007plain\b\n'`);
    assert.equal(result.text, 'red plain\n[exit 0]');
  });

  it('a character in two pieces is one character', async () => {
    assert.equal((await run(String.raw`printf '\303'; sleep 0.05; printf '\251'`)).text, 'é\n[exit 0]');
  });

  it('gets no input and no terminal', async () => {
    assert.equal((await run('cat; test -t 0 || test -t 1 || echo none')).text, 'none\n[exit 0]');
  });

  it('case 57: the next command starts where the last one ended', async () => {
    await mkdir(workspace.path('sub'));
    await run('cd sub');
    assert.match((await run('pwd')).text, /\/sub\n/);
    assert.ok((await run('pwd', { cwd: '.' })).text.startsWith(`${workspace.folder}\n`));
  });

  it('a command that ends outside of the workspace does not take the next one along', async () => {
    assert.match((await run('cd /')).text, /ended outside/);
    assert.ok((await run('pwd')).text.startsWith(`${workspace.folder}\n`));
  });

  it('a cwd outside or missing is refused before anybody is asked', async () => {
    for (const cwd of ['..', 'nope']) {
      assert.equal(await workspace.permission('terminal', { command: 'ls', cwd }), undefined);
      assert.equal((await run('touch ran', { cwd })).status, 'error');
    }
  });

  it('case 88: what is never run is blocked without a card', async () => {
    const args = { command: 'rm -rf / --no-such-option' };
    assert.equal(await workspace.permission('terminal', args), undefined);
    const result = await workspace.run('terminal', args);
    assert.equal(result.status, 'blocked');
    assert.match(result.text, /never run/);
  });

  it('asks with the exact command; a destructive one has no rule', async () => {
    const plain = await workspace.permission('terminal', { command: 'npm test' });
    assert.equal(plain?.command, 'npm test');
    assert.ok(plain?.rule);
    const destructive = await workspace.permission('terminal', { command: 'git reset --hard' });
    assert.equal(destructive?.always, true);
    assert.equal(destructive?.rule, undefined);
  });

  it('a stop keeps the output so far and says that it may have run in part', async () => {
    const seen = new Promise<void>((resolve) => {
      const result = workspace.run('terminal', { command: 'echo begun; sleep 60' }, { output: () => resolve() });
      void result.then((value) => done(value));
    });
    let done: (value: Awaited<ReturnType<typeof run>>) => void = () => undefined;
    const result = new Promise<Awaited<ReturnType<typeof run>>>((resolve) => {
      done = resolve;
    });
    await seen;
    workspace.stop.abort();
    const { status, text } = await result;
    assert.equal(status, 'stopped');
    assert.match(text, /^begun\n\[stopped after [\d.]+ s, may have run in part\]$/);
  });

  it('a stop before the start runs nothing', async () => {
    workspace.stop.abort();
    assert.equal((await run('touch ran')).status, 'not_run');
    await assert.rejects(readFile(workspace.path('ran')));
  });

  it('a shell that does not exist is an error', async () => {
    const settings = { terminalTimeout: 5, shell: '/no/such/bash' };
    const result = await workspace.run('terminal', { command: 'ls' }, { settings });
    assert.equal(result.status, 'error');
    assert.match(result.text, /could not be started/);
  });

  onLinux('what a command leaves running is named, and lives on', async () => {
    const result = await run('sleep 120 & echo done');
    assert.equal(result.status, 'success');
    const pid = Number(/left these running: (\d+) \(.*sleep 120/.exec(result.text)?.[1]);
    assert.equal((await readProcesses([pid])).length, 1);
    process.kill(pid);
  });

  it('case 58: keys of models and agents are not in the environment of a command', async () => {
    process.env.OPENAI_API_KEY = 'sk-secret-of-the-test';
    process.env.MY_MODEL = 'from-the-settings';
    try {
      const settings = { terminalTimeout: 5, secretEnv: ['MY_MODEL'] };
      const { text } = await workspace.run('terminal', { command: 'env; echo "KEY=value"' }, { settings });
      assert.ok(!text.includes('sk-secret-of-the-test') && !text.includes('from-the-settings'));
      assert.ok(text.includes('KEY=value\n'));
    } finally {
      delete process.env.OPENAI_API_KEY;
      delete process.env.MY_MODEL;
    }
  });

  it("the user's own variables stay; the editor's own do not", () => {
    const env = commandEnvironment({
      PATH: '/bin',
      GITHUB_TOKEN: 'x',
      ANTHROPIC_API_KEY: 'x',
      ANTHROPIC_MODEL: 'm',
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_IPC_HOOK: 'x',
      VSCODE_PORTABLE: 'x',
    });
    assert.deepEqual(Object.keys(env).sort(), [
      'ANTHROPIC_MODEL',
      'GITHUB_TOKEN',
      'GIT_PAGER',
      'GIT_TERMINAL_PROMPT',
      'PAGER',
      'PATH',
      'TERM',
      'VSCODE_PORTABLE',
    ]);
  });
});
