import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { claudeHook, Machine } from './trusting-window.ts';

const run = promisify(execFile);

describe('hook files', () => {
  let machine: Machine;

  beforeEach(async () => {
    machine = await Machine.start();
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  const lines = async (name: string): Promise<readonly string[]> => {
    const text = await machine.read(name).catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  };
  const codexHook = (command: string): object => ({
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] },
  });

  it('F11. every hook of a file either runs here as it does on the command line, or says why it does not', async () => {
    const events = ['PreToolUse', 'PostToolUse', 'Stop', 'SessionStart', 'SessionEnd', 'TeammateIdle', 'FileChanged'];
    const hooks = Object.fromEntries(
      events.map((event) => [event, [{ hooks: [{ type: 'command', command: `echo ${event}` }] }]]),
    );
    await machine.write('repository/.claude/settings.json', { hooks });
    const window = await machine.open();
    await window.allowAll();
    const listed = window.files.list();
    assert.deepEqual(
      listed.map(({ declared }) => declared.declaredAs),
      events,
    );
    for (const { declared, state, hook } of listed) {
      const runs = state.is === 'active' && hook !== undefined && window.manager.list().includes(hook);
      const saysWhy = state.is === 'unsupported' && /\w+ \w+ \w+/.test(state.why);
      assert.ok(runs || saysWhy, declared.declaredAs);
    }
    assert.ok(listed.filter(({ state }) => state.is === 'active').length >= 5);
  });

  it("F14. a linked worktree takes the root checkout's hooks and their consent, and asks about what is different", async () => {
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: machine.path('repository') });
    await machine.write('repository/hooks/check.sh', '#!/bin/sh\necho ran >> ran\n');
    await machine.write('repository/.claude/settings.json', claudeHook('./hooks/check.sh'));
    await git('init', '-q');
    await git('add', '.');
    await git('commit', '-q', '-m', 'hooks');
    await git('worktree', 'add', '-q', '../worktree');
    // Not committed: only the root checkout has it.
    await machine.write('repository/.codex/hooks.json', codexHook('echo codex >> ran'));
    const root = await machine.open();
    await root.allowAll();

    const worktree = await machine.open({ folders: ['worktree'] });
    assert.deepEqual(worktree.states(), ['active', 'active']);
    await worktree.fire();
    assert.deepEqual([...(await lines('worktree/ran'))].sort(), ['codex', 'ran']);

    await machine.write('worktree/hooks/check.sh', '#!/bin/sh\necho other >> ran\n');
    const changed = await machine.open({ folders: ['worktree'] });
    assert.equal(changed.hook('check.sh').state.is, 'changed');
    assert.equal((await machine.open()).hook('check.sh').state.is, 'active');
  });

  it('F14. a folder that only claims to be a worktree takes nothing from the repository that it names', async () => {
    await machine.write('repository/.git/worktrees/x/commondir', '../..\n');
    await machine.write('repository/.git/worktrees/x/gitdir', machine.path('real/.git\n'));
    await machine.write('real/.git', 'gitdir: elsewhere\n');
    await machine.write('repository/.codex/hooks.json', codexHook('echo ran >> ran'));
    await machine.write('claims/.git', `gitdir: ${machine.path('repository/.git/worktrees/x')}\n`);
    assert.deepEqual((await machine.open({ folders: ['claims'] })).files.list(), []);
  });

  it('F15. whatever waits can be reviewed: its words, its file and line, its scripts and the version to allow', async () => {
    const script = await machine.write('repository/my checks/check.sh', 'true');
    await machine.write('repository/.codex/hooks.json', codexHook('"./my checks/check.sh" --fast'));
    const window = await machine.open();
    const { consentable, state } = window.hook();
    assert.equal(state.is, 'waiting');
    assert.ok(consentable);
    assert.match(consentable.wouldRun, /"\.\/my checks\/check\.sh" --fast/);
    assert.equal(consentable.path, machine.path('repository/.codex/hooks.json'));
    assert.equal(consentable.line, 6);
    assert.deepEqual(consentable.files, [script]);
    const { hash } = await window.consents.check(consentable);
    assert.ok(await window.consents.allow(consentable, hash));
    await window.until(() => window.states()[0] === 'active');
  });

  it('F23. an event that nothing here fires is listed as unsupported with the reason, and the others of its file run', async () => {
    await machine.write('repository/.github/hooks/checks.json', {
      hooks: {
        ErrorOccured: [{ type: 'command', command: 'echo error' }],
        PreToolUse: [{ type: 'command', command: 'echo ran >> ran' }],
      },
    });
    const window = await machine.open();
    await window.allowAll();
    assert.deepEqual(window.states(), ['unsupported', 'active']);
    const { state } = window.hook('echo error');
    assert.match(state.is === 'unsupported' ? state.why : '', /ErrorOccured/);
    await window.fire();
    assert.deepEqual(await lines('repository/ran'), ['ran']);
  });

  it('F24. in an untrusted workspace all hooks are listed as untrusted, none runs, and trust brings them back', async () => {
    await machine.write('repository/.codex/hooks.json', codexHook('echo ran >> ran'));
    await machine.write('home/.claude/settings.json', claudeHook('echo mine >> ran'));
    const trusted = await machine.open();
    await trusted.allowAll();
    const window = await machine.open({ trusted: false });
    assert.deepEqual(window.states(), ['untrusted', 'untrusted']);
    assert.deepEqual(window.manager.list(), []);
    await window.fire();
    assert.deepEqual(await lines('repository/ran'), []);
    window.trusted = true;
    await window.files.refresh();
    await window.fire();
    assert.deepEqual([...(await lines('repository/ran'))].sort(), ['mine', 'ran']);
  });

  it('are read from all places, in the order user, then workspace', async () => {
    await machine.write('home/.claude/settings.json', claudeHook('echo 1'));
    await machine.write('home/.codex/hooks.json', codexHook('echo 2'));
    await machine.write('home/.copilot/hooks/a.json', {
      hooks: { PreToolUse: [{ type: 'command', command: 'echo 3' }] },
    });
    await machine.write('repository/.claude/settings.json', claudeHook('echo 4'));
    await machine.write('repository/.claude/settings.local.json', claudeHook('echo 5'));
    await machine.write('repository/.codex/hooks.json', codexHook('echo 6'));
    await machine.write('repository/.github/hooks/b.json', {
      version: 1,
      hooks: { preToolUse: [{ type: 'command', bash: 'echo 7' }] },
    });
    await machine.write('repository/.clinerules/hooks/PreToolUse', '#!/bin/sh\n');
    const window = await machine.open();
    await window.allowAll();
    assert.deepEqual(
      window.files.list().map(({ name, dialect }) => [name, dialect]),
      [
        ['echo 1', 'claude'],
        ['echo 2', 'codex'],
        ['echo 3', 'vscode'],
        ['echo 4', 'claude'],
        ['echo 5', 'claude'],
        ['echo 6', 'codex'],
        ['echo 7', 'copilot'],
      ],
    );
    assert.deepEqual(
      window.manager.list().map(({ name }) => name),
      window.files.list().map(({ name }) => name),
    );
  });

  it('are read for Cline only where the user asks for it: the files named after events, run by themselves', async () => {
    await machine.write('repository/.clinerules/hooks/PreToolUse.sh', '#!/bin/sh\necho cline >> "$PWD/ran"\n');
    assert.deepEqual((await machine.open()).files.list(), []);
    const window = await machine.open({ cline: true });
    await window.allow();
    await window.fire();
    assert.deepEqual(await lines('repository/ran'), ['cline']);
    await machine.write('repository/.clinerules/hooks/PreToolUse.sh', '#!/bin/sh\necho other >> "$PWD/ran"\n');
    await window.fire();
    assert.deepEqual(await lines('repository/ran'), ['cline']);
  });

  it('are followed: a new file, a changed one, a broken one with its line, one that is gone', async () => {
    const window = await machine.open();
    const path = 'repository/.claude/settings.json';
    await machine.write(path, claudeHook('echo one'));
    await window.until(() => window.files.list().some(({ name }) => name === 'echo one'));
    await window.allow();

    await machine.write(path, '// comments are fine\n{\n  "hooks": {\n    oops\n');
    await window.until(() => window.files.files().some(({ broken }) => broken !== undefined));
    assert.deepEqual(window.files.list(), []);
    assert.deepEqual(window.manager.list(), []);
    assert.equal(window.files.files()[0]?.line, 4);

    await machine.write(path, claudeHook('echo one'));
    await window.until(() => window.states()[0] === 'active');

    await rm(machine.path('repository/.claude'), { recursive: true });
    await window.until(() => window.files.files().length === 0);
    assert.deepEqual(window.manager.list(), []);
    await machine.write(path, claudeHook('echo one'));
    await window.until(() => window.states()[0] === 'active');
  });

  it('of Claude Code that hold the same handler run it once, also with another matcher', async () => {
    const command = 'echo ran >> "$CLAUDE_PROJECT_DIR/ran"';
    await machine.write('home/.claude/settings.json', claudeHook(command, 'PreToolUse', 'Bash|Write'));
    await machine.write('repository/.claude/settings.json', claudeHook(command, 'PreToolUse', 'Bash|Write'));
    await machine.write('repository/.claude/settings.local.json', claudeHook(command, 'PreToolUse', 'Bash|Read'));
    const window = await machine.open();
    await window.allowAll();
    await window.fire();
    assert.equal((await lines('repository/ran')).length, 1);
    await window.fire('pre_tool_call', { tool_name: 'read_file', tool_input: { path: 'x' } });
    assert.equal((await lines('repository/ran')).length, 2);
    assert.match(window.files.list()[1]?.warnings.join() ?? '', /same as in .*runs once/);
  });

  it('of a second folder run in that folder', async () => {
    await machine.write('second/.codex/hooks.json', codexHook('echo ran >> ran'));
    const window = await machine.open({ folders: ['repository', 'second'] });
    await window.allow();
    await window.fire();
    assert.deepEqual(await lines('second/ran'), ['ran']);
  });

  it('name a script that is missing or may not be executed as broken, once it is allowed', async () => {
    await machine.write('repository/.claude/settings.json', claudeHook('./gone.sh'));
    await machine.write('repository/plain', '#!/bin/sh\n');
    await machine.write('repository/.claude/settings.local.json', claudeHook('./plain'));
    const window = await machine.open();
    await window.allowAll();
    const why = window.files.list().map(({ state }) => (state.is === 'broken' ? state.why : state.is));
    assert.match(why[0] ?? '', /gone\.sh does not exist/);
    assert.match(why[1] ?? '', /may not be executed/);
    assert.equal(window.manager.list().length, 2);
  });

  it('can be switched off: all of them, and those of Claude Code by its own setting', async () => {
    await machine.write('repository/.claude/settings.json', claudeHook('echo one'));
    await machine.write('repository/.codex/hooks.json', codexHook('echo two'));
    const window = await machine.open();
    await window.allowAll();
    await machine.write('repository/.claude/settings.local.json', { disableAllHooks: true });
    await window.files.reload();
    assert.deepEqual(window.states(), ['disabled', 'active']);
    window.enabled = false;
    await window.files.refresh();
    assert.deepEqual(window.states(), ['disabled', 'disabled']);
    assert.deepEqual(window.manager.list(), []);
  });

  it('keep a hook that fails closed as a guard when it is changed: it blocks until it is reviewed', async () => {
    await machine.write(
      'repository/.hermes/config.yaml',
      ['hooks:', '  pre_tool_call:', '    - command: ./check.sh', '      fail_closed: true', ''].join('\n'),
    );
    await machine.write('repository/check.sh', '#!/bin/sh\necho "{}"\n');
    const window = await machine.open();
    assert.deepEqual(await window.fire(), {});
    await window.allow();
    assert.equal((await window.fire()).block, undefined);
    await machine.write('repository/check.sh', '#!/bin/sh\necho "{}" # changed\n');
    assert.match((await window.fire()).block?.reason ?? '', /changed since you allowed it/);
    await window.until(() => window.states()[0] === 'changed');
    assert.match((await window.fire()).block?.reason ?? '', /changed since you allowed it/);
    await window.revoke();
    assert.equal((await window.fire()).block, undefined);
  });
});
