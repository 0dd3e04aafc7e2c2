import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, it } from 'mocha';
import { claudeRules } from '../../../../src/agent/hooks/dialects/claude/index.ts';
import { bash, declared, payload, read, recorded } from './payloads.ts';

const by = './hook.sh';
const afterCall = payload('post_tool_call', {
  tool_call_id: 'call-1',
  tool_name: 'terminal',
  tool_input: { command: 'ls' },
  tool_result: 'a',
  status: 'success',
  duration_ms: 1,
});
const prompt = payload('pre_llm_call', { user_message: 'x', kind: 'message', item_id: 'i', is_first_turn: true });
const stop = payload('pre_verify', { attempt: 0, final_response: 'Done.', changed_paths: [] });
const start = payload('on_session_start', { source: 'startup' });
const compact = payload('pre_compact', { trigger: 'manual', custom_instructions: '' });
const card = payload('pre_approval_request', {
  ...{ tool_call_id: 'call-1', tool_name: 'terminal', tool_input: { command: 'ls' } },
  ...{ summary: '', why: '', choices: ['once', 'deny'] },
});

function specific(event: string, fields: object): object {
  return { hookSpecificOutput: { hookEventName: event, ...fields } };
}

describe('answers of Claude Code hooks', () => {
  it('tells the model of a blocked call in the recorded words', () => {
    const text = String((recorded('blocked-as-seen-by-model') as unknown as { content: string }).content);
    const hook = {
      ...declared('PreToolUse'),
      handler: { type: 'command', command: '<home>/dump.sh PreToolUse' } as const,
    };
    const end = { exitCode: 2, stdout: '', stderr: 'blocked by the test hook\n' };
    const { block } = claudeRules.readOutput(end, { payload: bash('echo BLOCKME'), hook, by }).answer;
    equal(block?.modelText, text);
    equal(block?.reason, 'blocked by the test hook');
  });

  it('blocks by exit code 2 without a word, in words', () => {
    const { answer } = read('PreToolUse', bash('ls'), { exitCode: 2 });
    match(answer.block?.reason ?? '', /No stderr output/);
  });

  it('takes the reason of the JSON where exit code 2 comes without one', () => {
    const stdout = specific('PreToolUse', { permissionDecision: 'allow', permissionDecisionReason: 'not on Fridays' });
    equal(read('PreToolUse', bash('ls'), { exitCode: 2, stdout }).answer.block?.reason, 'not on Fridays');
  });

  it('keeps the turn’s prompt out by exit code 2', () => {
    equal(read('UserPromptSubmit', prompt, { exitCode: 2, stderr: 'secrets' }).answer.block?.reason, 'secrets');
  });

  it('has the agent go on at Stop by exit code 2 and by a decision', () => {
    match(read('Stop', stop, { exitCode: 2, stderr: 'tests fail' }).answer.goOn?.text ?? '', /tests fail/);
    match(
      read('Stop', stop, { stdout: { decision: 'block', reason: 'tests fail' } }).answer.goOn?.text ?? '',
      /tests fail/,
    );
  });

  it('only tells the user of exit code 2 where nothing can be refused', () => {
    const end = read('SessionStart', start, { exitCode: 2, stderr: 'no network' });
    deepEqual(end.answer, {});
    match(end.failed ?? '', /exit code 2: no network/);
    deepEqual(read('PermissionRequest', card, { exitCode: 2, stderr: 'x' }).answer, {});
  });

  it('gives stderr of exit code 2 after a call to the model', () => {
    const { block } = read('PostToolUse', afterCall, { exitCode: 2, stderr: 'not formatted' }).answer;
    equal(block?.modelText, 'PostToolUse:Bash hook error: [./hook.sh]: not formatted');
  });

  it('reads JSON on any other exit code, and says that the code was odd', () => {
    const stdout = specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'no' });
    const end = read('PreToolUse', bash('ls'), { exitCode: 1, stdout });
    equal(end.answer.block?.reason, 'no');
    match(end.warnings.join(), /exit code 1/);
  });

  it('fails without a decision on another exit code without JSON', () => {
    const end = read('PreToolUse', bash('ls'), { exitCode: 1, stdout: 'plain', stderr: 'boom' });
    deepEqual(end.answer, {});
    match(end.failed ?? '', /exit code 1: boom/);
  });

  it('takes plain text as context at the start and beside a prompt only', () => {
    equal(read('SessionStart', start, { stdout: 'branch main\n' }).answer.context, 'branch main');
    equal(read('UserPromptSubmit', prompt, { stdout: 'it is Monday' }).answer.context, 'it is Monday');
    deepEqual(read('PreToolUse', bash('ls'), { stdout: 'fine' }).answer, {});
    deepEqual(read('Stop', stop, { stdout: 'fine' }).answer, {});
  });

  it('says that what begins like an object is none', () => {
    const end = read('UserPromptSubmit', prompt, { stdout: '{ "decision": block }' });
    match(end.warnings.join(), /none/);
  });

  it('asks, allows and defers', () => {
    const say = (permissionDecision: string) =>
      read('PreToolUse', bash('ls'), {
        stdout: specific('PreToolUse', { permissionDecision, permissionDecisionReason: 'r' }),
      });
    deepEqual(say('ask').answer, { ask: { reason: 'r', by } });
    deepEqual(say('allow').answer, { permission: { decision: 'allow', reason: 'r', by } });
    deepEqual(say('defer').answer, {});
    equal(say('defer').warnings.length, 1);
  });

  it('reads the old forms of a decision', () => {
    equal(read('PreToolUse', bash('ls'), { stdout: { decision: 'block', reason: 'no' } }).answer.block?.reason, 'no');
    equal(read('PreToolUse', bash('ls'), { stdout: { decision: 'approve' } }).answer.permission?.decision, 'allow');
  });

  it('takes updatedInput as the whole new input, in the shape of our tool', () => {
    const stdout = specific('PreToolUse', { updatedInput: { command: 'ls -l', timeout: 5000 } });
    deepEqual(read('PreToolUse', bash('ls', { cwd: 'src', background: true }), { stdout }).answer.input, {
      command: 'ls -l',
      timeout: 5,
    });
  });

  it('does not run a call whose updatedInput cannot be used', () => {
    const stdout = specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { cmd: 'ls' } });
    const { answer } = read('PreToolUse', bash('ls'), { stdout });
    match(answer.block?.reason ?? '', /no command/);
    equal(answer.permission, undefined);
  });

  it('adds context beside a call, a prompt and a result', () => {
    const say = (event: string) => ({ stdout: specific(event, { additionalContext: 'c' }) });
    equal(read('PreToolUse', bash('ls'), say('PreToolUse')).answer.context, 'c');
    equal(read('UserPromptSubmit', prompt, say('UserPromptSubmit')).answer.context, 'c');
    equal(read('PostToolUse', afterCall, say('PostToolUse')).answer.context, 'c');
    equal(read('SessionStart', start, say('SessionStart')).answer.context, 'c');
  });

  it('replaces a result by updatedToolOutput in Claude Code’s shape', () => {
    const stdout = specific('PostToolUse', { updatedToolOutput: { stdout: 'masked', stderr: '', interrupted: false } });
    equal(read('PostToolUse', afterCall, { stdout }).answer.replace, 'masked');
  });

  it('replaces results of MCP tools only by updatedMCPToolOutput', () => {
    const stdout = specific('PostToolUse', { updatedMCPToolOutput: [{ type: 'text', text: 'masked' }] });
    equal(read('PostToolUse', afterCall, { stdout }).answer.replace, undefined);
    equal(read('PostToolUse', { ...afterCall, tool_name: 'mcp__a__b' }, { stdout }).answer.replace, 'masked');
  });

  it('decides a card in the user’s place, with another input', () => {
    const decision = { behavior: 'allow', updatedInput: { command: 'ls -a' } };
    deepEqual(read('PermissionRequest', card, { stdout: specific('PermissionRequest', { decision }) }).answer, {
      permission: { decision: 'allow', reason: '', by },
      input: { command: 'ls -a' },
    });
  });

  it('denies a card and ends the turn where the hook says interrupt', () => {
    const decision = { behavior: 'deny', message: 'never', interrupt: true };
    const { answer } = read('PermissionRequest', card, { stdout: specific('PermissionRequest', { decision }) });
    deepEqual(answer, {
      permission: { decision: 'deny', reason: 'never', by },
      stopTurn: { reason: 'never', by },
    });
  });

  it('refuses a compaction', () => {
    equal(read('PreCompact', compact, { exitCode: 2, stderr: 'not now' }).answer.block?.reason, 'not now');
  });

  it('ends the turn by continue: false, over a decision to go on', () => {
    const stdout = { continue: false, stopReason: 'enough', decision: 'block', reason: 'go on' };
    deepEqual(read('Stop', stop, { stdout }).answer, { stopTurn: { reason: 'enough', by } });
  });

  it('hands words for the user over', () => {
    equal(read('PreToolUse', bash('ls'), { stdout: { systemMessage: 'hello' } }).message, 'hello');
  });

  it('fails with the field that is wrong', () => {
    const end = read('PreToolUse', bash('ls'), { stdout: specific('PreToolUse', { permissionDecision: 'denied' }) });
    match(end.failed ?? '', /permissionDecision/);
  });

  it('fails where the answer is for another event', () => {
    match(read('Stop', stop, { stdout: specific('PreToolUse', {}) }).failed ?? '', /for PreToolUse, and this is Stop/);
  });

  it('warns of fields that nothing is known of, and of those without effect', () => {
    const end = read('UserPromptSubmit', prompt, {
      stdout: { foo: 1, ...specific('UserPromptSubmit', { sessionTitle: 't', bar: 2 }) },
    });
    deepEqual(end.warnings.map((text) => text.split(' ')[0]).sort(), ['bar', 'foo', 'sessionTitle']);
  });

  it('reads a decision that stands where VS Code has it', () => {
    const { answer } = read('Stop', stop, { stdout: specific('Stop', { decision: 'block', reason: 'tests' }) });
    match(answer.goOn?.text ?? '', /tests/);
  });

  it('takes null for nothing', () => {
    const stdout = { continue: null, stopReason: null, decision: null, hookSpecificOutput: null };
    deepEqual(read('Stop', stop, { stdout }), { answer: {}, warnings: [] });
  });
});

describe('a model’s verdict for Claude Code hooks', () => {
  const verdict = (event: string, of: ReturnType<typeof bash> | typeof stop | typeof afterCall, impossible = false) =>
    claudeRules.readVerdict?.(
      { ok: false, reason: 'tests are missing', impossible },
      { payload: of, hook: declared(event, { type: 'prompt', prompt: 'Is it tested?', command: undefined }), by },
    );

  it('blocks a call', () => equal(verdict('PreToolUse', bash('ls'))?.answer.block?.reason, 'tests are missing'));

  it('has the agent go on', () => match(verdict('Stop', stop)?.answer.goOn?.text ?? '', /tests are missing/));

  it('lets the agent end where what is asked cannot be reached', () => {
    deepEqual(verdict('Stop', stop, true)?.answer, {});
    equal(verdict('Stop', stop, true)?.message, 'tests are missing');
  });

  it('ends the turn after a result', () => ok(verdict('PostToolUse', afterCall)?.answer.stopTurn));
});
