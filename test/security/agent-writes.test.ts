import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { claudeHook, Machine } from '../hooks/trusting-window.ts';

const execute = promisify(execFile);

/**
 * In a turn the agent changes what would run: with its tools, after a card, or by a command. The person allowed edits, and
 * one hook long ago.
 */
describe('what an agent wrote', function () {
  this.timeout(30_000);

  let machine: Machine;

  beforeEach(async () => {
    machine = await Machine.start();
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  const settings = 'repository/.claude/settings.json';
  const script = (mark: string) => `#!/bin/sh\necho ran >> "${machine.path(mark)}"\n`;
  const ran = async (mark: string) => (await machine.read(mark).catch(() => '')) !== '';
  const repository = (name: string) => machine.path(`repository/${name}`);

  /** A hook that the person allowed and that has run. */
  async function allowed() {
    await machine.write('repository/check.sh', script('good'));
    await machine.write(settings, claudeHook('./check.sh'));
    const window = await machine.open();
    await window.allow();
    await window.fire('pre_tool_call');
    assert.ok(await ran('good'));
    return window;
  }

  /** After the change nothing runs until the person has said so anew. */
  async function heldAfter(change: () => Promise<unknown>): Promise<void> {
    const window = await allowed();
    await change();
    await window.files.reload();
    await window.fire('pre_tool_call');
    assert.ok(!(await ran('evil')), 'it ran');
    assert.deepEqual(
      window.states().filter((state) => state === 'active'),
      [],
    );
    const again = await machine.open();
    await again.fire('pre_tool_call');
    assert.ok(!(await ran('evil')), 'it ran in a new window');
  }

  it('P1. a hook file that is new, or written over, waits', async () => {
    await heldAfter(() => machine.write(settings, claudeHook(`touch ${machine.path('evil')}`)));
    await machine.write('repository/.github/hooks/x.json', {
      hooks: { PreToolUse: [{ type: 'command', command: `touch ${machine.path('evil')}` }] },
    });
    const window = await machine.open();
    await window.fire('pre_tool_call');
    assert.ok(!(await ran('evil')));
    assert.ok(
      window.states().every((state) => state !== 'active'),
      window.states().join(),
    );
  });

  it('P1a. a script of an allowed hook that another file was moved onto waits', async () => {
    await heldAfter(async () => {
      await machine.write('repository/build/out.sh', script('evil'));
      await rename(repository('build/out.sh'), repository('check.sh'));
    });
  });

  it('P1b. … copied onto', async () => {
    await heldAfter(async () => {
      await machine.write('repository/other.sh', script('evil'));
      await copyFile(repository('other.sh'), repository('check.sh'));
    });
  });

  it('P1c. … that became a link to another one', async () => {
    await heldAfter(async () => {
      await machine.write('repository/other.sh', script('evil'));
      await rm(repository('check.sh'));
      await symlink('other.sh', repository('check.sh'));
    });
  });

  it('P1d. … or that git checks out in another version', async () => {
    await heldAfter(async () => {
      const git = (...args: string[]) =>
        execute('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: repository('') });
      await git('init', '-q');
      await git('add', '-A');
      await git('commit', '-qm', 'good');
      await machine.write('repository/check.sh', script('evil'));
      await git('commit', '-qam', 'evil');
      await git('checkout', '-q', 'HEAD~1');
      await git('checkout', '-q', '-');
    });
  });

  it('P1e. a folder of hooks that comes by a move of its parent waits', async () => {
    await heldAfter(async () => {
      await machine.write('repository/docs/sample/settings.json', claudeHook(`touch ${machine.path('evil')}`));
      await rename(repository('.claude'), repository('old'));
      await rename(repository('docs/sample'), repository('.claude'));
      await mkdir(repository('docs/sample'));
    });
  });
});
