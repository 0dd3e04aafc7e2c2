import assert from 'node:assert/strict';
import { rulesOf } from '../../../../src/agent/hooks/dialects/index.ts';
import type { HookPayload } from '../../../../src/hooks-api.ts';
import { callOf, command, firstHook, payloadOf, reader, resultOf } from '../dialect-reading.ts';

const codex = rulesOf('codex');

function at(event: string, payload: HookPayload, more: object = {}) {
  const hooks = { [event]: [{ hooks: [{ type: 'command', command: './hook.sh', ...more }] }] };
  return reader(codex, firstHook(codex, JSON.stringify({ hooks })), payload);
}

const specific = (hookEventName: string, fields: object) => ({ hookSpecificOutput: { hookEventName, ...fields } });
const preToolUse = (fields: object) => specific('PreToolUse', fields);
const card = payloadOf('pre_approval_request', {
  tool_call_id: 'call-1',
  tool_name: 'terminal',
  tool_input: { command: 'ls' },
  summary: 'Run: ls',
  why: 'It runs.',
  choices: ['once', 'deny'],
});
const prompt = payloadOf('pre_llm_call', { user_message: 'hi', kind: 'message', item_id: 'i', is_first_turn: true });
const stop = payloadOf('pre_verify', { attempt: 0, final_response: 'Done.', changed_paths: [] });
const start = payloadOf('on_session_start', { source: 'startup' });
const interrupt = payloadOf('agent_loop_stopped', {
  reason: 'user_stop',
  invalidation_reason: 'stop_button',
  phase: 'model',
  had_partial_text: false,
  open_tool_calls: 0,
});

describe('answers of hooks of Codex', () => {
  it('fail with a field that Codex does not know, at every depth', () => {
    const read = at('PreToolUse', command);
    assert.match(read({ blocked: true }).failed ?? '', /blocked/);
    const inside = preToolUse({ permissionDecision: 'deny', permissionDecisionReason: 'no', why: 'x' });
    assert.match(read(inside).failed ?? '', /why/);
    assert.deepEqual(read(inside).answer, {});
    assert.match(read(specific('PostToolUse', {})).failed ?? '', /hookEventName/);
  });

  it('refuse a call with deny, with the older block, and with exit code 2', () => {
    const read = at('PreToolUse', command);
    const words = 'Command blocked by PreToolUse hook: no. Command: ls';
    for (const { answer } of [
      read(preToolUse({ permissionDecision: 'deny', permissionDecisionReason: 'no' })),
      read({ decision: 'block', reason: 'no' }),
      read('', { exitCode: 2, stderr: 'no\n' }),
    ]) {
      assert.deepEqual(answer, { block: { reason: 'no', by: './hook.sh', modelText: words } });
    }
  });

  it('refuse also without a reason, with a warning: a refusal is never passed over', () => {
    const read = at('PreToolUse', command);
    for (const said of [read(preToolUse({ permissionDecision: 'deny' })), read('', { exitCode: 2 })]) {
      assert.ok(said.answer.block);
      assert.equal(said.warnings.length, 1);
    }
  });

  it('know no ask, no approve and no continue at PreToolUse', () => {
    const read = at('PreToolUse', command);
    for (const said of [
      preToolUse({ permissionDecision: 'ask' }),
      { decision: 'approve' },
      { continue: false },
      { stopReason: 'x' },
      { suppressOutput: true },
    ]) {
      assert.ok(read(said).failed, JSON.stringify(said));
      assert.deepEqual(read(said).answer, {});
    }
    assert.equal(read({ continue: true }).failed, undefined);
  });

  it('change the input with allow, without it with a warning, and never allow by themselves', () => {
    const read = at('PreToolUse', command);
    const input = { updatedInput: { command: 'ls -l' } };
    const allowed = read(preToolUse({ permissionDecision: 'allow', ...input }));
    assert.deepEqual([allowed.answer, allowed.warnings], [{ input: { command: 'ls -l' } }, []]);
    assert.equal(read(preToolUse(input)).warnings.length, 1);
    assert.deepEqual(read(preToolUse(input)).answer, { input: { command: 'ls -l' } });
    assert.deepEqual(read(preToolUse({ permissionDecision: 'allow' })).answer, {});
  });

  it('change a patch back into our edit, and refuse one that the tool cannot make', () => {
    const write = at('PreToolUse', callOf('write_file', { path: 'a.txt', content: 'x\n' }));
    const changed = (patch: string) =>
      write(preToolUse({ permissionDecision: 'allow', updatedInput: { command: patch } })).answer;
    assert.deepEqual(changed('*** Begin Patch\n*** Add File: b.txt\n+one\n+two\n*** End Patch\n'), {
      input: { path: 'b.txt', content: 'one\ntwo\n' },
    });
    assert.match(
      changed('*** Begin Patch\n*** Delete File: a.txt\n*** End Patch').block?.reason ?? '',
      /deletes a\.txt/,
    );
    const edit = at(
      'PreToolUse',
      callOf('patch', { path: 'a.txt', old_string: 'a', new_string: 'b', replace_all: true }),
    );
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n keep\n-a\n+c\n*** End Patch';
    assert.deepEqual(edit(preToolUse({ permissionDecision: 'allow', updatedInput: { command: patch } })).answer, {
      input: { path: 'a.txt', old_string: 'keep\na', new_string: 'keep\nc', replace_all: true },
    });
  });

  it('decide about a permission, and deny with what is reserved', () => {
    const read = at('PermissionRequest', card);
    const decide = (decision: object) => read(specific('PermissionRequest', { decision }));
    assert.equal(decide({ behavior: 'allow' }).answer.permission?.decision, 'allow');
    assert.deepEqual(decide({ behavior: 'deny', message: 'never' }).answer.permission, {
      decision: 'deny',
      reason: 'never',
      by: './hook.sh',
    });
    for (const reserved of [{ updatedInput: {} }, { updatedPermissions: [] }, { interrupt: true }]) {
      const said = decide({ behavior: 'allow', ...reserved });
      assert.equal(said.answer.permission?.decision, 'deny', JSON.stringify(reserved));
      assert.ok(said.failed);
    }
    assert.equal(read('', { exitCode: 2, stderr: 'no' }).answer.permission?.decision, 'deny');
  });

  it('reject a result with a reason in its place, or replace it, or add to it', () => {
    const read = at('PostToolUse', resultOf());
    assert.deepEqual(read({ decision: 'block', reason: 'look again' }).answer, { replace: 'look again' });
    assert.deepEqual(read('', { exitCode: 2, stderr: 'look again' }).answer, { replace: 'look again' });
    assert.deepEqual(read(specific('PostToolUse', { updatedToolOutput: 'clean' })).answer, { replace: 'clean' });
    assert.deepEqual(read(specific('PostToolUse', { additionalContext: 'note' })).answer, { context: 'note' });
    assert.ok(read({ decision: 'block' }).failed);
  });

  it('are plain text for the model where a session or a turn begins, and nowhere else', () => {
    assert.deepEqual(at('SessionStart', start)('remember this').answer, { context: 'remember this' });
    assert.deepEqual(at('UserPromptSubmit', prompt)('remember this').answer, { context: 'remember this' });
    assert.deepEqual(at('PreToolUse', command)('remember this').answer, {});
    assert.ok(at('Stop', stop)('remember this').failed);
    assert.ok(at('SessionStart', start)('{"continue": ').failed);
  });

  it('are cut to the limit that the hook sets itself', () => {
    const read = at('SessionStart', start, { additionalContextLimit: 2 });
    assert.match(read('0123456789').answer.context ?? '', /^01234567\n\[… 2 more characters/);
  });

  it('have the agent go on with a reason, and end the turn for all else', () => {
    const read = at('Stop', stop);
    assert.deepEqual(read({ decision: 'block', reason: 'test it' }).answer, {
      goOn: { text: 'test it', by: './hook.sh' },
    });
    assert.equal(read('', { exitCode: 2, stderr: 'test it' }).answer.goOn?.text, 'test it');
    assert.deepEqual(read({ continue: true }).answer, {});
    assert.deepEqual(read({ continue: false, decision: 'block', reason: 'test it' }).answer, {});
    assert.ok(read({ decision: 'block' }).failed);
  });

  it('change nothing at an interrupt but what the user reads', () => {
    const read = at('Interrupt', interrupt);
    assert.deepEqual(read({ systemMessage: 'saved' }), { answer: {}, message: 'saved', warnings: [] });
    assert.equal(read({ continue: true }).failed, undefined);
    for (const said of [{ continue: false }, { stopReason: 'x' }, { suppressOutput: true }, { decision: 'block' }]) {
      assert.ok(read(said).failed, JSON.stringify(said));
    }
    assert.ok(read('text').failed);
    assert.ok(read('', { exitCode: 2, stderr: 'no' }).failed);
    assert.ok(read('', { exitCode: 1 }).failed);
  });

  it('fail with any other exit code, with what is on stderr', () => {
    assert.match(at('PreToolUse', command)('{}', { exitCode: 1, stderr: 'oops' }).failed ?? '', /exit code 1: oops/);
  });
});
