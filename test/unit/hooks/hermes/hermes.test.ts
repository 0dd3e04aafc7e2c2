import assert from 'node:assert/strict';
import { rulesOf } from '../../../../src/agent/hooks/dialects/index.ts';
import type { HookPayload } from '../../../../src/hooks-api.ts';
import { callOf, command, firstHook, payloadOf, reader, resultOf } from '../dialect-reading.ts';

const hermes = rulesOf('hermes');
const surroundings = { transcriptPath: async () => undefined, home: '/home/someone', folders: ['/project'] };

function at(event: string, payload: HookPayload, more: object = {}) {
  return reader(
    hermes,
    firstHook(hermes, JSON.stringify({ hooks: { [event]: [{ command: 'x', ...more }] } })),
    payload,
  );
}

describe("Hermes' configuration", () => {
  it('has its hooks read from YAML with their offset; the rest of the file is not looked at', () => {
    const text = 'model: x\nhooks:\n  pre_tool_call:\n    - matcher: terminal\n      command: ./check.sh\n';
    const { offset = -1, ...hook } = firstHook(hermes, text);
    assert.ok(text.slice(offset).startsWith('matcher: terminal'));
    assert.deepEqual(hook.handler, { type: 'command', command: './check.sh', noShell: true });
    assert.deepEqual(hermes.readConfig('model: x\n'), { hooks: [], warnings: [] });
    assert.deepEqual(hermes.readConfig(''), { hooks: [], warnings: [] });
    assert.match(hermes.readConfig('hooks: [').broken ?? '', /not valid YAML/);
  });

  it('says of an unknown event which is near, and of one without an occasion that there is none', () => {
    const why = (event: string) =>
      firstHook(hermes, JSON.stringify({ hooks: { [event]: [{ command: 'x' }] } })).unsupported ?? '';
    assert.match(why('pre_toolcall'), /Is pre_tool_call meant\?/);
    assert.match(why('pre_transcription'), /no occasion/);
  });

  it('has webhooks and spilled output set aside with a word, not taken for events', () => {
    const read = hermes.readConfig(JSON.stringify({ hooks: { outbound: [{ url: 'x' }], output_spill: {} } }));
    assert.deepEqual([read.hooks.length, read.warnings.length], [0, 2]);
    assert.match(read.warnings[0] ?? '', /midcourse\.webhooks/);
  });

  it('matches the whole name of a tool', () => {
    const hook = firstHook(hermes, '{ "hooks": { "pre_tool_call": [{ "command": "x", "matcher": "term|patch" }] } }');
    assert.equal(hermes.matches(hook, command), false);
    assert.equal(hermes.matches(hook, callOf('patch', {})), true);
  });

  it('lets a hook fail closed at pre_tool_call only, under both names of the key', () => {
    const closes = (event: string, more: object) =>
      firstHook(hermes, JSON.stringify({ hooks: { [event]: [{ command: 'x', ...more }] } })).failClosed;
    assert.equal(closes('pre_tool_call', { fail_closed: true }), true);
    assert.equal(closes('pre_tool_call', { failClosed: true }), true);
    assert.equal(closes('pre_llm_call', { fail_closed: true }), false);
  });
});

describe("answers of Hermes' shell hooks", () => {
  it('block with exit code 2 before a call, by stdout before stderr; elsewhere it is a failure', () => {
    const before = at('pre_tool_call', command);
    const json = '{"decision":"block","reason":"stdout"}';
    assert.equal(before(json, { exitCode: 2, stderr: 'stderr' }).answer.block?.reason, 'stdout');
    assert.equal(before('text', { exitCode: 2, stderr: 'e'.repeat(500) }).answer.block?.reason.length, 400);
    const after = at('post_tool_call', resultOf())('', { exitCode: 2, stderr: 'no' });
    assert.deepEqual(after.answer, {});
    assert.match(after.failed ?? '', /exit code 2: no/);
  });

  it('change arguments key by key, in both forms', () => {
    const read = at('pre_tool_call', callOf('terminal', { command: 'ls', timeout: 5 }));
    const input = { command: 'ls -l', timeout: 5 };
    assert.deepEqual(read({ action: 'modify', args: { command: 'ls -l' } }).answer, { input });
    assert.deepEqual(read({ decision: 'modify', tool_input: { command: 'ls -l' } }).answer, { input });
    assert.equal(read({ action: 'modify', args: ['ls'] }).warnings.length, 1);
  });

  it('take approve for a question to the user, never for a yes', () => {
    const { answer } = at('pre_tool_call', command)({ action: 'approve', message: 'sure?' });
    assert.deepEqual(answer, { ask: { reason: 'sure?', by: './hook.sh' } });
  });

  it('block a call when they are to fail closed and write something that is no object', () => {
    const read = at('pre_tool_call', command, { fail_closed: true });
    assert.ok(read('not json').answer.block);
    assert.ok(read('', { exitCode: 1 }).answer.block);
    assert.deepEqual(read('{}').answer, {});
  });

  it('say that a decision has no effect where an event only tells', () => {
    assert.match(at('post_tool_call', resultOf())({ action: 'block' }).warnings.join(), /no effect/);
  });
});

describe("stdin of Hermes' shell hooks", () => {
  const stdin = async (event: string, payload: HookPayload) =>
    await hermes.stdin(
      firstHook(hermes, JSON.stringify({ hooks: { [event]: [{ command: 'x' }] } })),
      payload,
      surroundings,
    );

  it('has the call and the session at the top, and everything else in extra under the names of Hermes', async () => {
    const { extra, ...told } = await stdin('post_tool_call', resultOf());
    assert.deepEqual(told, {
      hook_event_name: 'post_tool_call',
      tool_name: 'terminal',
      tool_input: { command: 'ls' },
      session_id: 'session-1',
      cwd: '/project',
      profile: 'default',
    });
    const { result, status, duration_ms, telemetry_schema_version, turn_id } = extra as Record<string, unknown>;
    assert.deepEqual(
      [result, status, duration_ms, telemetry_schema_version, turn_id],
      ['a\n[exit 0]', 'success', 5, 'hermes.observer.v1', 'turn-1'],
    );
  });

  it('has no tool where there is none', async () => {
    const { tool_name, tool_input, extra } = await stdin(
      'post_llm_call',
      payloadOf('post_llm_call', { response: 'x' }),
    );
    assert.deepEqual([tool_name, tool_input], [null, null]);
    assert.equal((extra as Record<string, unknown>).assistant_response, 'x');
  });
});
