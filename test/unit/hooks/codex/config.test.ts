import assert from 'node:assert/strict';
import { rulesOf } from '../../../../src/agent/hooks/dialects/index.ts';
import type { Fit, Soon } from '../../../../src/agent/kernel/patterns/index.ts';
import { callOf, command, firstHook, payloadOf, resultOf } from '../dialect-reading.ts';

const codex = rulesOf('codex');

/** A file with one hook. */
function file(event: string, handler: object, matcher?: string): string {
  return JSON.stringify({ hooks: { [event]: [{ matcher, hooks: [handler] }] } });
}

const runs = { type: 'command', command: './a.sh' };

function matches(matcher: string, tool = 'terminal', input: unknown = { command: 'ls' }): Soon<Fit> {
  return codex.matches(firstHook(codex, file('PreToolUse', runs, matcher)), callOf(tool, input));
}

describe('hook files of Codex', () => {
  it('have their hooks read with place, offset, limit and status line', () => {
    const text = file('PreToolUse', { ...runs, timeout: 5, statusMessage: 'Checking', additionalContextLimit: 10 });
    const { offset = -1, ...hook } = firstHook(codex, text);
    assert.ok(text.slice(offset).startsWith('{"type":"command"'));
    assert.deepEqual(hook, {
      declaredAs: 'PreToolUse',
      event: 'pre_tool_call',
      place: 'PreToolUse[0].hooks[0]',
      kind: 'command',
      timeout: 5000,
      failClosed: false,
      answers: true,
      handler: { type: 'command', command: './a.sh' },
      warnings: [],
      statusMessage: 'Checking',
      contextLimit: 10,
    });
  });

  it('give an interrupt and the end of a session 1 second, at most 3, and everything else 600', () => {
    const timeoutOf = (event: string, timeout?: number) => firstHook(codex, file(event, { ...runs, timeout })).timeout;
    assert.deepEqual(
      [timeoutOf('Interrupt'), timeoutOf('SessionEnd', 2), timeoutOf('Interrupt', 60), timeoutOf('Stop')],
      [1000, 2000, 3000, 600_000],
    );
    assert.match(firstHook(codex, file('Interrupt', { ...runs, timeout: 60 })).warnings.join(), /at most 3 seconds/);
  });

  it('run with other keys at the root, with a warning', () => {
    const read = codex.readConfig('{ "$schema": "x", "description": "y", "hooks": { "Stop": [] } }');
    assert.equal(read.broken, undefined);
    assert.deepEqual(read.warnings.length, 1);
    assert.match(read.warnings[0] ?? '', /\$schema/);
  });

  it('list what does not run with the reason: prompts, agents, unknown events, tools at the end of a session', () => {
    const why = (event: string, handler: object) => firstHook(codex, file(event, handler)).unsupported ?? '';
    assert.match(why('Stop', { type: 'prompt', prompt: 'x' }), /type prompt/);
    assert.match(why('Stop', { type: 'agent', prompt: 'x' }), /type agent/);
    assert.match(why('PreTooluse', runs), /Is PreToolUse meant\?/);
    assert.match(why('SessionEnd', { type: 'mcp_tool', server: 'a', tool: 'b' }), /no tool of a server/);
    assert.equal(firstHook(codex, file('Stop', { type: 'mcp_tool', server: 'a', tool: 'b' })).kind, 'mcp_tool');
  });

  it('list what cannot be read with the reason, beside the others', () => {
    const text = JSON.stringify({
      hooks: { Stop: [{ hooks: [runs, { type: 'command' }, { type: 'webhook' }] }, 5], PreToolUse: {} },
    });
    const read = codex.readConfig(text);
    assert.deepEqual(
      read.hooks.map(({ broken }) => broken !== undefined),
      [false, true, true, true],
    );
    assert.match(read.hooks[2]?.broken ?? '', /no hooks of the type webhook/);
    assert.match(read.warnings.join(), /PreToolUse is no list/);
    assert.match(codex.readConfig('{').broken ?? '', /not valid JSON.*line 1/);
  });

  it('wait for no async hook, except at the end of a session, which knows none', () => {
    const hook = firstHook(codex, file('PostToolUse', { ...runs, async: true }));
    assert.deepEqual([hook.answers, hook.handler], [false, { type: 'command', command: './a.sh', async: true }]);
    const end = firstHook(codex, file('SessionEnd', { ...runs, async: true }));
    assert.deepEqual(end.handler, { type: 'command', command: './a.sh' });
  });

  it('match names as they stand, or as a part of the name by an expression', () => {
    assert.equal(matches('Bash'), true);
    assert.equal(matches('Edit|Bash'), true);
    assert.equal(matches('Bas'), false);
    assert.equal(matches('Bas.*'), true);
    assert.equal(matches('(?i)^bash$'), true);
    assert.equal(matches('*'), true);
    assert.equal(matches(''), true);
  });

  it('match an edit as apply_patch, Write and Edit, and an agent as spawn_agent and Agent', () => {
    for (const name of ['apply_patch', 'Write', 'Edit', '^apply_patch$']) {
      assert.equal(matches(name, 'write_file', { path: 'a', content: 'b' }), true, name);
      assert.equal(matches(name, 'patch', { path: 'a', old_string: 'b', new_string: 'c' }), true, name);
    }
    for (const name of ['spawn_agent', 'Agent']) assert.equal(matches(name, 'delegate', { task: 'x' }), true, name);
    assert.equal(matches('mcp__github__.*', 'mcp__github__list'), true);
  });

  it('warn of a matcher that asks for arguments, and are broken by one that is no expression', () => {
    assert.match(firstHook(codex, file('PreToolUse', runs, 'Bash(rm *)')).warnings.join(), /never with arguments/);
    assert.match(firstHook(codex, file('PreToolUse', runs, 'a(')).broken ?? '', /no regular expression/);
    assert.match(firstHook(codex, file('Stop', runs, 'a(')).warnings.join(), /has no matcher/);
  });

  it('hear of results that count as success only, of a stop of the session only, and of a start by its source', () => {
    const after = firstHook(codex, file('PostToolUse', runs));
    assert.equal(codex.matches(after, resultOf()), true);
    for (const status of ['error', 'blocked', 'cancelled', 'timeout'] as const) {
      assert.equal(codex.matches(after, resultOf({ status })), false, status);
    }
    const stop = firstHook(codex, file('Stop', runs));
    const end = { attempt: 0, final_response: 'x', changed_paths: [] };
    assert.equal(codex.matches(stop, payloadOf('pre_verify', end)), true);
    assert.equal(codex.matches(stop, payloadOf('pre_verify', end, { agent_id: 'child' })), false);
    const start = firstHook(codex, file('SessionStart', runs, 'clear|resume'));
    assert.equal(codex.matches(start, payloadOf('on_session_start', { source: 'resume' })), true);
    assert.equal(codex.matches(start, payloadOf('on_session_start', { source: 'startup' })), false);
    assert.equal(codex.matches(firstHook(codex, file('PreToolUse', runs)), command), true);
  });
});
