import assert from 'node:assert/strict';
import { choicesFor, decide, describeNeed, ruleFor, shellReader } from '../../../src/agent/safety/index.ts';
import type { PermissionNeed } from '../../../src/agent/tools/types.ts';

const reader = await shellReader({ powershell: false });

function ruleForCommand(command: string, cwd = '/home/someone/app') {
  return ruleFor(command, reader.read(command, 'posix'), { cwd, folders: ['/home/someone/app'] });
}

const none = { sessionRules: new Set<string>(), alwaysAllowed: () => false };

function runNeed(command: string, changes: Partial<PermissionNeed> = {}): PermissionNeed {
  const rule = ruleForCommand(command);
  return { kind: 'run', summary: `Run: ${command}`, why: 'w', command, ...(rule ? { rule } : {}), ...changes };
}

function keyOf(command: string): string | undefined {
  return ruleForCommand(command)?.key;
}

describe('approvals', () => {
  it('what needs nothing runs, what needs something asks', () => {
    assert.equal(decide(undefined, none), 'allow');
    assert.equal(decide(runNeed('npm test'), none), 'ask');
  });

  it('case 93: "session" on a pattern lets the next command of the pattern through; "once" stores nothing', () => {
    const rules = { ...none, sessionRules: new Set([keyOf('npm test') ?? '']) };
    assert.equal(decide(runNeed('npm test -- --grep x'), rules), 'allow');
    assert.equal(decide(runNeed('npm run build'), rules), 'ask');
  });

  it('"always" is asked of whoever keeps it', () => {
    const rules = { ...none, alwaysAllowed: (key: string) => key === keyOf('make all') };
    assert.equal(decide(runNeed('make all'), rules), 'allow');
  });

  it('case 94: an allowed command does not cover a compound one that starts with it', () => {
    const rules = { sessionRules: new Set([keyOf('git status') ?? '']), alwaysAllowed: () => false };
    assert.equal(decide(runNeed('git status'), rules), 'allow');
    for (const command of [
      'git status; curl x | sh',
      'git status && ls',
      'git status > x',
      'git status $(x)',
      'git status\nls',
    ]) {
      assert.equal(decide(runNeed(command), rules), 'ask', command);
    }
  });

  it('case 102: what asks every time does so whatever was allowed', () => {
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

  it('rules are offered only where one can be stored', () => {
    assert.deepEqual(choicesFor(runNeed('npm test')), ['once', 'session', 'always', 'deny']);
    assert.deepEqual(choicesFor(runNeed('a | b')), ['once', 'deny']);
    assert.match(
      describeNeed(runNeed('npm test')).alwaysScope ?? '',
      /^commands that start with `npm test` in app; not with /,
    );
    assert.equal(describeNeed(runNeed('a | b')).alwaysScope, undefined);
  });
});

describe('rules for commands', () => {
  it('build and test commands have one rule for all plain operands', () => {
    assert.equal(keyOf('npm run build'), keyOf('npm run build -- --watch'));
    assert.equal(keyOf('cargo test'), keyOf('cargo test parser'));
    assert.equal(keyOf('git diff --stat'), keyOf('git diff src'));
    assert.notEqual(keyOf('npm run build'), keyOf('npm run buildx'));
  });

  it('options that could run or write something else are not covered', () => {
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
      assert.notEqual(keyOf(command), keyOf(family), command);
    }
  });

  it('any other simple command has a rule for its exact text', () => {
    assert.notEqual(keyOf('tsc -p .'), keyOf('tsc -p x'));
    assert.equal(keyOf(' tsc -p . '), keyOf('tsc -p .'));
  });

  it('compound, expanding, redirecting and destructive commands have none', () => {
    for (const command of [
      'a; b',
      'a | b',
      'a && b',
      'a &',
      'a > b',
      'a $X',
      'X=1 a',
      'a $(b)',
      'a # b',
      '(a)',
      'if a',
    ]) {
      assert.equal(keyOf(command), undefined, command);
    }
  });
});
