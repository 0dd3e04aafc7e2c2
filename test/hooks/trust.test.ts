import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { claudeHook, Machine } from './trusting-window.ts';

describe('consent for hooks', () => {
  let machine: Machine;

  beforeEach(async () => {
    machine = await Machine.start();
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  const settings = 'repository/.claude/settings.json';
  const script = '#!/bin/sh\necho ran >> "$CLAUDE_PROJECT_DIR/ran"\n';
  const runs = async (): Promise<number> => {
    const text = await machine.read('repository/ran').catch(() => '');
    return text.split('\n').length - 1;
  };

  it('reads no hook file without end, none that nobody writes to and none that no person wrote', async () => {
    await mkdir(machine.path('repository/.codex'));
    await mkdir(machine.path('repository/.claude'));
    await symlink('/dev/zero', machine.path(settings));
    await promisify(execFile)('mkfifo', [machine.path('repository/.codex/hooks.json')]);
    await machine.write('repository/.github/hooks/long.json', ' '.repeat(2 * 1024 * 1024));
    const { files } = await machine.open({ trusted: false });
    assert.deepEqual(
      files.files().map(({ broken }) => /no ordinary file|more than 1024 KB/.exec(broken ?? '')?.[0]),
      ['no ordinary file', 'no ordinary file', 'more than 1024 KB'],
    );
  });

  it('lists every other hook when one cannot be looked at', async () => {
    const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`;
    const hooks = `{"type":"command","command":"echo \\u0000x ./a\\u0000b.sh"},{"type":"mcp_tool","server":"s","tool":"t","input":${deep}},{"type":"command","command":"echo __proto__ \${__proto__} \${constructor}"}`;
    await machine.write(
      settings,
      `{"hooks":{"PreToolUse":[{"matcher":"__proto__","hooks":[${hooks}]}],"__proto__":[]}}`,
    );
    const window = await machine.open();
    assert.deepEqual(window.states(), ['waiting', 'waiting', 'waiting']);
  });

  it('uses no file that declares more hooks than people write, and says so', async () => {
    const hooks = Array.from({ length: 1001 }, (_, index) => ({ type: 'command', command: `echo ${index}` }));
    await machine.write(settings, JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }));
    const { files } = await machine.open();
    assert.equal(files.list().length, 0);
    assert.match(files.files()[0]?.broken ?? '', /declares 1001 hooks, and at most 1000/);
  });

  it('27. two processes that approve at once both keep their approvals', async () => {
    const program = (from: string): string => `
      import { ConsentStore } from ${JSON.stringify(join(import.meta.dirname, '../../src/agent/trust/index.ts'))};
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const store = new ConsentStore({ sealKey: async () => 'key', folder: ${JSON.stringify(machine.path('consents'))}, log, now: Date.now });
      process.stdin.once('data', async () => {
        const things = Array.from({ length: 20 }, (_, index) => ({
          id: '${from}' + index, kind: 'hook', title: '', scope: 'user', path: '/x', wouldRun: '', definition: index, files: [],
        }));
        await Promise.all(things.map(async (of) => store.allow(of, (await store.check(of)).hash)));
        process.exit(0);
      });
      process.stdout.write('ready');`;
    const children = ['one', 'other'].map((from) =>
      spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program(from)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
    const ended = Promise.all(children.map((child) => once(child, 'exit')));
    for (const { stdin } of children) stdin.end('go\n');
    assert.deepEqual(
      (await ended).map(([code]) => code),
      [0, 0],
    );

    const window = await machine.open();
    const kept = await Promise.all(
      ['one', 'other'].flatMap((from) =>
        Array.from({ length: 20 }, (_, index) =>
          window.consents.isAllowed({
            id: `${from}${index}`,
            kind: 'hook',
            title: '',
            scope: 'user',
            path: '/x',
            wouldRun: '',
            definition: index,
            files: [],
          }),
        ),
      ),
    );
    assert.equal(kept.filter(Boolean).length, 40);
  });

  it('28. what was approved once is not asked about again; what was refused is neither registered nor stored', async () => {
    await machine.write('repository/check.sh', script);
    await machine.write(settings, claudeHook('./check.sh'));
    const window = await machine.open();
    assert.deepEqual(window.states(), ['waiting']);
    assert.deepEqual(window.manager.list(), []);
    await window.fire();
    assert.equal(await runs(), 0);
    assert.deepEqual(await readdir(machine.path('consents')), []);

    await window.allow();
    await window.fire();
    await window.fire();
    assert.equal(await runs(), 2);
    const next = await machine.open();
    assert.deepEqual(next.states(), ['active']);
  });

  it('29. with nobody to ask it is not registered, listed as waiting, and the start goes on', async () => {
    await machine.write(settings, claudeHook('touch ran'));
    const window = await machine.open();
    assert.deepEqual(window.states(), ['waiting']);
    assert.equal(window.manager.has('pre_tool_call'), false);
    assert.deepEqual(await window.fire(), {});
    assert.equal(await runs(), 0);
  });

  it('30. what was approved is readable for its user alone, is there as a whole, and junk beside it grants nothing', async () => {
    await machine.write(settings, claudeHook('true'));
    const window = await machine.open();
    await window.allow();
    const folder = machine.path('consents');
    const [name = ''] = await readdir(folder);
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    await writeFile(join(folder, name), '{"schema": 1');
    assert.deepEqual((await machine.open()).states(), ['waiting']);
  });

  it('31. what is revoked is gone at once and asked about again', async () => {
    await machine.write('repository/check.sh', script);
    await machine.write(settings, claudeHook('./check.sh'));
    const window = await machine.open();
    await window.allow();
    await window.fire();
    await window.revoke();
    await window.fire();
    assert.equal(await runs(), 1);
    assert.deepEqual(await readdir(machine.path('consents')), []);
    assert.deepEqual((await machine.open()).states(), ['waiting']);
  });

  it('a script that is changed after its consent does not run, is told of once, and says what changed', async () => {
    await machine.write('repository/check.sh', script);
    await machine.write(settings, claudeHook('./check.sh'));
    const window = await machine.open();
    await window.allow();
    await machine.write('repository/check.sh', `${script}touch more\n`);
    await window.fire();
    await window.until(() => window.states()[0] === 'changed');
    await window.fire();
    assert.equal(await runs(), 0);
    const { state } = window.hook();
    assert.ok(state.is === 'changed');
    assert.deepEqual(state.changed, [
      { what: machine.path('repository/check.sh'), before: script, after: `${script}touch more\n` },
    ]);
    assert.ok(window.problems.length <= 1);
    await window.allow();
    await window.fire();
    assert.equal(await runs(), 1);
  });

  it('a definition that is changed after its consent does not run', async () => {
    await machine.write(settings, claudeHook('echo ran >> ran'));
    const window = await machine.open();
    await window.allow();
    await machine.write(settings, claudeHook('echo ran >> ran; echo ran >> ran'));
    await window.files.reload();
    await window.fire();
    assert.equal(await runs(), 0);
    assert.deepEqual(window.states(), ['changed']);
  });

  it('hooks of the home folder need consent as well', async () => {
    await machine.write('home/.claude/settings.json', claudeHook('echo ran >> "$CLAUDE_PROJECT_DIR/ran"'));
    const window = await machine.open();
    await window.fire();
    assert.equal(await runs(), 0);
    assert.deepEqual(window.states(), ['waiting']);
    await window.allow();
    await window.fire();
    assert.equal(await runs(), 1);
  });

  it('an answer given in another window counts in this one', async () => {
    await machine.write(settings, claudeHook('echo ran >> ran'));
    const [one, other] = [await machine.open(), await machine.open()];
    await one.allow();
    await other.until(() => other.states()[0] === 'active');
    await other.fire();
    assert.equal(await runs(), 1);
    await one.revoke();
    await other.until(() => other.states()[0] === 'waiting');
    await other.fire();
    assert.equal(await runs(), 1);
  });
});
