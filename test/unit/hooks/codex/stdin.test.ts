import assert from 'node:assert/strict';
import { rulesOf } from '../../../../src/agent/hooks/dialects/index.ts';
import type { HookPayload } from '../../../../src/hooks-api.ts';
import { callOf, command, firstHook, payloadOf } from '../dialect-reading.ts';

const codex = rulesOf('codex');
const surroundings = {
  transcriptPath: async (id: string) => (id === 'unsaved' ? undefined : `/transcripts/${id}.jsonl`),
  home: '/home/someone',
  folders: ['/project'],
};

async function stdin(event: string, payload: HookPayload): Promise<Record<string, unknown>> {
  const hook = firstHook(
    codex,
    JSON.stringify({ hooks: { [event]: [{ hooks: [{ type: 'command', command: 'x' }] }] } }),
  );
  return await codex.stdin(hook, payload, surroundings);
}

describe('stdin of hooks of Codex', () => {
  it('has null for a transcript that there is none of, and the model without its provider', async () => {
    const { transcript_path, model } = await stdin('PreToolUse', { ...command, session_id: 'unsaved' });
    assert.deepEqual([transcript_path, model], [null, 'gpt-5.5']);
    const { model: long } = await stdin('PreToolUse', { ...command, model: 'openrouter/openai/gpt-5.5' });
    assert.equal(long, 'openai/gpt-5.5');
  });

  it('names the agent inside of a delegated one, as a part of the session that it works for', async () => {
    const inside = { parent_session_id: 'parent', agent_id: 'session-1', agent_type: 'explorer' };
    const told = await stdin('PreToolUse', { ...command, ...inside });
    assert.deepEqual(
      [told.session_id, told.agent_id, told.agent_type, told.transcript_path],
      ['parent', 'session-1', 'explorer', '/transcripts/parent.jsonl'],
    );
    assert.ok(!('agent_id' in (await stdin('PreToolUse', command))));
  });

  it('tells of the start and the end of an agent', async () => {
    const agent = { parent_turn_id: 'turn-1', child_session_id: 'child', child_name: 'scout' };
    const start = await stdin(
      'SubagentStart',
      payloadOf('subagent_start', { ...agent, child_goal: 'look', background: false }),
    );
    assert.deepEqual(Object.keys(start).toSorted(), [
      'agent_id',
      'agent_type',
      'cwd',
      'hook_event_name',
      'model',
      'permission_mode',
      'session_id',
      'transcript_path',
      'turn_id',
    ]);
    const end = await stdin(
      'SubagentStop',
      payloadOf('subagent_stop', { ...agent, child_summary: 'found', child_status: 'completed', duration_ms: 1 }),
    );
    assert.deepEqual(
      [end.agent_id, end.agent_transcript_path, end.stop_hook_active, end.last_assistant_message],
      ['child', '/transcripts/child.jsonl', false, 'found'],
    );
  });

  it('counts what was cached as a part of the input', async () => {
    const usage = { input: 100, output: 20, cache_read: 800, cache_write: 100, reasoning: 5 };
    const request = { request_id: 'r', request: 1, attempt: 2, kind: 'compaction', provider: 'openai' } as const;
    const told = await stdin(
      'PostModelRequest',
      payloadOf('post_api_request', { ...request, status: 'completed', duration_ms: 1, usage, response_id: 'resp' }),
    );
    assert.deepEqual(told.token_usage, {
      input_tokens: 1000,
      cached_input_tokens: 800,
      cache_write_input_tokens: 100,
      output_tokens: 20,
      reasoning_output_tokens: 5,
      total_tokens: 1020,
    });
    assert.deepEqual([told.kind, told.attempt_number], ['foreground_compaction', 2]);
  });

  it('has edits as patches, steps as a plan, agents as spawn_agent, and calls of Codex itself as its own', async () => {
    const call = async (name: string, input: unknown) => {
      const { tool_name, tool_input } = await stdin('PreToolUse', callOf(name, input));
      return [tool_name, tool_input];
    };
    assert.deepEqual(await call('patch', { path: 'a.ts', old_string: 'a\nb', new_string: 'c\n' }), [
      'apply_patch',
      { command: '*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n-b\n+c\n*** End Patch\n' },
    ]);
    assert.deepEqual(await call('todo', { items: [{ id: 'x', content: 'look', status: 'pending' }] }), [
      'update_plan',
      { plan: [{ step: 'look', status: 'pending' }] },
    ]);
    assert.deepEqual(await call('delegate', { name: 'scout', task: 'look' }), [
      'spawn_agent',
      { agent_type: 'scout', message: 'look' },
    ]);
    assert.deepEqual(await call('codex_command', { item: 'i', command: 'ls', cwd: '/project' }), [
      'Bash',
      { command: 'ls' },
    ]);
    assert.deepEqual(await call('codex_mcp', { item: 'i', server: 's', tool: 't', arguments: { a: 1 } }), [
      'mcp__s__t',
      { a: 1 },
    ]);
    assert.deepEqual(await call('read_file', { path: 'a' }), ['read_file', { path: 'a' }]);
  });
});
