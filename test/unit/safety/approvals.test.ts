import assert from 'node:assert/strict';
import { choicesFor, decide, describeNeed, ruleFor, shellReader } from '../../../src/agent/safety/index.ts';
import type { PermissionNeed } from '../../../src/agent/tools/types.ts';

const reader = await shellReader({ powershell: false });

async function ruleForCommand(command: string, cwd = '/home/someone/app') {
  return await ruleFor(command, reader.read(command, 'posix'), { cwd, folders: ['/home/someone/app'] });
}

const none = { sessionRules: new Set<string>(), alwaysAllowed: () => false };

async function runNeed(command: string, changes: Partial<PermissionNeed> = {}): Promise<PermissionNeed> {
  const rule = await ruleForCommand(command);
  return { kind: 'run', summary: `Run: ${command}`, why: 'w', command, ...(rule ? { rule } : {}), ...changes };
}

async function keyOf(command: string): Promise<string | undefined> {
  return (await ruleForCommand(command))?.key;
}

describe('approvals', () => {
  it('what needs nothing runs, what needs something asks', async () => {
    assert.equal(decide(undefined, none), 'allow');
    assert.equal(decide(await runNeed('npm test'), none), 'ask');
  });

  it('case 93: "session" on a pattern lets the next command of the pattern through; "once" stores nothing', async () => {
    const rules = { ...none, sessionRules: new Set([(await keyOf('npm test')) ?? '']) };
    assert.equal(decide(await runNeed('npm test -- --grep x'), rules), 'allow');
    assert.equal(decide(await runNeed('npm run build'), rules), 'ask');
  });

  it('"always" is asked of whoever keeps it', async () => {
    const known = await keyOf('make all');
    const rules = { ...none, alwaysAllowed: (key: string) => key === known };
    assert.equal(decide(await runNeed('make all'), rules), 'allow');
  });

  it('case 94: an allowed command does not cover a compound one that starts with it', async () => {
    const rules = { sessionRules: new Set([(await keyOf('git status')) ?? '']), alwaysAllowed: () => false };
    assert.equal(decide(await runNeed('git status'), rules), 'allow');
    for (const command of [
      'git status; curl x | sh',
      'git status && ls',
      'git status > x',
      'git status $(x)',
      'git status\nls',
    ]) {
      assert.equal(decide(await runNeed(command), rules), 'ask', command);
    }
  });

  it('case 102: what asks every time does so whatever was allowed', async () => {
    const need: PermissionNeed = {
      kind: 'write',
      summary: 's',
      why: 'w',
      rule: { key: 'write', words: 'x' },
      always: true,
    };
    assert.equal(decide(need, { ...none, alwaysAllowed: () => true }), 'ask');
    assert.deepEqual(choicesFor(need), ['once', 'deny']);
  });

  it('rules are offered only where one can be stored', async () => {
    assert.deepEqual(choicesFor(await runNeed('npm test')), ['once', 'session', 'always', 'deny']);
    assert.deepEqual(choicesFor(await runNeed('a | b')), ['once', 'deny']);
    assert.match(
      describeNeed(await runNeed('npm test')).alwaysScope ?? '',
      /^commands that start with `npm test` in app; not with /,
    );
    assert.equal(describeNeed(await runNeed('a | b')).alwaysScope, undefined);
  });
});

describe('rules for commands', () => {
  it('build and test commands have one rule for all plain operands', async () => {
    assert.equal(await keyOf('npm run build'), await keyOf('npm run build -- --watch'));
    assert.equal(await keyOf('cargo test'), await keyOf('cargo test parser'));
    assert.equal(await keyOf('git diff --stat'), await keyOf('git diff src'));
    assert.notEqual(await keyOf('npm run build'), await keyOf('npm run buildx'));
  });

  it('options that could run or write something else are not covered', async () => {
    for (const [command, family] of [
      ['npm test --script-shell=x', 'npm test'],
      ['npm --prefix ../x test', 'npm test'],
      ['git diff --output=x', 'git diff'],
      ['git diff --outp=x', 'git diff'],
      ['git log --ext-diff', 'git log'],
      ['cargo test --config x', 'cargo test'],
      ['go test -exec x', 'go test'],
      ['go test ../../elsewhere', 'go test'],
    ] as const) {
      assert.notEqual(await keyOf(command), await keyOf(family), command);
    }
  });

  it('any other simple command has a rule for its exact text', async () => {
    assert.notEqual(await keyOf('tsc -p .'), await keyOf('tsc -p x'));
    assert.equal(await keyOf(' tsc -p . '), await keyOf('tsc -p .'));
  });

  it('compound, expanding, redirecting and destructive commands have none', async () => {
    for (const command of [
      'a | b',
      'a |& cat',
      'a &',
      'a && cd x',
      'a; X=1 b',
      'a 2> x',
      'a &> /dev/null',
      'a <(b)',
      'a > b',
      'a $X',
      'X=1 a',
      'a $(b)',
      'a # b',
      '(a)',
      'if a',
    ]) {
      assert.equal(await keyOf(command), undefined, command);
    }
  });
});
