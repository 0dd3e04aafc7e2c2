import assert from 'node:assert/strict';
import { rulesOf } from '../../../../src/agent/hooks/dialects/index.ts';
import type { HookPayload } from '../../../../src/hooks-api.ts';
import { callOf, command, firstHook, payloadOf, reader, resultOf } from '../dialect-reading.ts';

const copilot = rulesOf('copilot');
const file = (event: string, entry: object) => JSON.stringify({ version: 1, hooks: { [event]: [entry] } });
const at = (event: string, payload: HookPayload) =>
  reader(copilot, firstHook(copilot, file(event, { command: 'x' })), payload);

describe("hook files of Copilot's command line", () => {
  it('run programs without a shell, and addresses that are safe', () => {
    assert.deepEqual(firstHook(copilot, file('preToolUse', { exec: './a', args: ['b'] })).handler, {
      type: 'command',
      command: './a',
      args: ['b'],
    });
    const http = (url: string) => firstHook(copilot, file('postToolUse', { type: 'http', url }));
    assert.equal(http('https://example.com/hook').kind, 'http');
    assert.equal(http('http://127.0.0.1:9/hook').broken, undefined);
    assert.match(http('http://example.com/hook').broken ?? '', /Use https/);
    assert.match(firstHook(copilot, file('preToolUse', { exec: './a', bash: 'b' })).broken ?? '', /cannot be beside/);
  });

  it('list what does not run with the reason', () => {
    const why = (event: string, entry: object = { command: 'x' }) =>
      firstHook(copilot, file(event, entry)).unsupported ?? '';
    assert.match(why('preMcpToolCall'), /mcp__/);
    assert.match(why('sessionStart', { type: 'prompt', prompt: 'hi' }), /does not send texts/);
    assert.match(why('preTooluse'), /Is preToolUse meant\?/);
    assert.match(firstHook(copilot, file('preToolUse', { command: 'x', matcher: '(' })).broken ?? '', /expression/);
    assert.match(copilot.readConfig('{ "hooks": {} }').warnings.join(), /"version": 1/);
  });

  it('tell a failed call from a good one', () => {
    const good = firstHook(copilot, file('postToolUse', { command: 'x' }));
    const bad = firstHook(copilot, file('postToolUseFailure', { command: 'x' }));
    for (const [payload, fires] of [
      [resultOf(), [true, false]],
      [resultOf({ status: 'error' }), [false, true]],
      [resultOf({ status: 'blocked' }), [false, false]],
    ] as const) {
      assert.deepEqual(
        [good, bad].map((hook) => copilot.matches(hook, payload)),
        fires,
      );
    }
  });
});

describe("answers of hooks of Copilot's command line", () => {
  it('change the arguments of a call and the result of one', () => {
    const edit = callOf('patch', { path: '/project/a', old_string: 'b', new_string: 'c' });
    const modifiedArgs = { path: '/project/a', old_str: 'b', new_str: 'd' };
    assert.deepEqual(at('preToolUse', edit)({ modifiedArgs }).answer, {
      input: { path: '/project/a', old_string: 'b', new_string: 'd' },
    });
    const modifiedResult = { resultType: 'success', textResultForLlm: 'clean' };
    assert.deepEqual(at('postToolUse', resultOf())({ modifiedResult, additionalContext: 'note' }).answer, {
      replace: 'clean',
      context: 'note',
    });
  });

  it('count also in the form of Claude Code, with a warning', () => {
    const said = at('preToolUse', command)({ hookSpecificOutput: { permissionDecision: 'deny' } });
    assert.ok(said.answer.block);
    assert.equal(said.warnings.length, 1);
  });

  it('decide about a permission, and may end the turn with a no', () => {
    const of = { tool_call_id: 'c', tool_name: 'terminal', tool_input: { command: 'ls' } };
    const card = payloadOf('pre_approval_request', { ...of, summary: 's', why: 'w', choices: ['once'] });
    const read = at('permissionRequest', card);
    assert.equal(read({ behavior: 'allow' }).answer.permission?.decision, 'allow');
    const denied = read({ behavior: 'deny', message: 'no', interrupt: true }).answer;
    assert.deepEqual([denied.permission?.decision, denied.stopTurn?.reason], ['deny', 'no']);
    assert.equal(read('', { exitCode: 2 }).answer.permission?.decision, 'deny');
  });

  it('have the agent go on with a reason, and say what has no effect', () => {
    const stop = payloadOf('pre_verify', { attempt: 0, final_response: 'x', changed_paths: [] });
    assert.equal(at('agentStop', stop)({ decision: 'block', reason: 'test' }).answer.goOn?.text, 'test');
    assert.deepEqual(at('agentStop', stop)({ decision: 'allow' }).answer, {});
    const compact = payloadOf('pre_compact', { trigger: 'auto', custom_instructions: '' });
    assert.match(at('preCompact', compact)({ decision: 'block' }).warnings.join(), /only tells/);
  });

  it('fail with another exit code: the call is refused, everything else goes on', () => {
    assert.ok(at('preToolUse', command)('', { exitCode: 1 }).answer.block);
    const after = at('postToolUse', resultOf())('', { exitCode: 1 });
    assert.deepEqual([after.answer, after.failed], [{}, 'It ended with exit code 1.']);
    const failed = at('postToolUseFailure', resultOf({ status: 'error' }))('try again', { exitCode: 2 });
    assert.deepEqual(failed.answer, { context: 'try again' });
  });
});
