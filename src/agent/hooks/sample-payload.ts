import type { HookEvent, HookPayload, HookPayloadBase, HookPayloads } from '../../hooks-api.ts';
import type { Hook } from './types.ts';

export interface SampleFacts {
  /** Absolute. */
  readonly cwd: string;
  readonly model: string;
}

/** What a hook is given when it is tried out: harmless, complete, and for a tool that it wants to see where one fits. */
export function samplePayload(hook: Pick<Hook, 'event' | 'matches'>, facts: SampleFacts): HookPayload {
  const payloads = sampleCalls(facts).map((call) => payloadOf(hook.event, call, facts));
  // A matcher that is not judged at once counts for none of them: any sample will do.
  return payloads.find((payload) => hook.matches(payload) === true) ?? (payloads[0] as HookPayload);
}

interface SampleCall {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly tool_input: unknown;
}

function sampleCalls({ cwd }: SampleFacts): readonly SampleCall[] {
  const path = `${cwd}/sample.txt`;
  const call = (tool_name: string, tool_input: unknown): SampleCall => ({
    tool_call_id: 'sample-call',
    tool_name,
    tool_input,
  });
  return [
    call('terminal', { command: 'echo sample' }),
    call('write_file', { path, content: 'A sample.\n' }),
    call('patch', { path, old_string: 'A sample.', new_string: 'Another sample.' }),
    call('read_file', { path }),
    call('search_files', { query: 'sample' }),
    call('mcp__sample__echo', { message: 'sample' }),
  ];
}

function payloadOf(event: HookEvent, call: SampleCall, { cwd, model }: SampleFacts): HookPayload {
  const base: HookPayloadBase = {
    schema: 'midcourse.hooks.v1',
    session_id: 'sample-session',
    session_key: 'sample-session',
    turn_id: 'sample-turn',
    platform: 'vscode',
    cwd,
    model,
    prompt_id: 'sample-prompt',
  };
  return { ...base, ...samplesOf(call, model)[event] } as HookPayload;
}

function samplesOf(call: SampleCall, model: string): { readonly [E in HookEvent]: HookPayloads[E] } {
  const result = { ...call, tool_result: 'sample', status: 'success', duration_ms: 12 } as const;
  const stream = { iteration: 1, provider: model.split('/')[0] ?? model, surface: 'chat' } as const;
  const request = {
    request_id: 'sample-request',
    request: 1,
    attempt: 1,
    kind: 'sampling',
    provider: stream.provider,
  } as const;
  const child = {
    parent_turn_id: 'sample-turn',
    child_session_id: 'sample-child',
    child_name: 'sample',
  } as const;
  const models = { from_model: model, to_model: model, source: 'user' } as const;
  return {
    on_session_start: { source: 'startup' },
    on_session_finalize: { reason: 'session_closed' },
    on_session_reset: { reason: 'new_session', old_session_id: 'sample-old-session' },
    pre_llm_call: { user_message: 'A sample message', kind: 'message', item_id: 'sample-item', is_first_turn: true },
    pre_tool_call: call,
    post_tool_call: result,
    transform_tool_result: result,
    transform_terminal_output: {
      tool_call_id: call.tool_call_id,
      command: 'echo sample',
      output: 'sample\n',
      returncode: 0,
    },
    transform_llm_output: { response_text: 'A sample answer.' },
    pre_approval_request: {
      ...call,
      summary: 'echo sample',
      why: 'A sample.',
      command: 'echo sample',
      choices: ['once', 'session', 'always', 'deny'],
    },
    post_approval_response: { ...call, choice: 'once', decided_by: 'user' },
    pre_verify: { attempt: 0, final_response: 'A sample answer.', changed_paths: [] },
    post_llm_call: { response: 'A sample answer.' },
    on_session_end: { completed: true, interrupted: false, failed: false, turn_exit_reason: 'completed' },
    agent_loop_stopped: {
      reason: 'user_stop',
      invalidation_reason: 'stop_button',
      phase: 'model',
      had_partial_text: false,
      open_tool_calls: 0,
    },
    pre_api_request: { ...request, message_count: 2 },
    post_api_request: { ...request, status: 'completed', duration_ms: 1200 },
    api_request_error: {
      ...request,
      error_type: 'server_error',
      error_message: 'A sample error.',
      will_retry: false,
    },
    on_stream_start: stream,
    on_stream_delta: { ...stream, delta: 'A sample', kind: 'text' },
    on_stream_end: { ...stream, final_text: 'A sample answer.', finished: true },
    on_interim_message: { ...stream, text: 'A sample answer.', already_streamed: true, final: true },
    subagent_start: { ...child, child_goal: 'A sample goal', background: false },
    subagent_stop: { ...child, child_summary: 'A sample.', child_status: 'completed', duration_ms: 1200 },
    pre_compact: { trigger: 'manual', custom_instructions: '' },
    post_compact: { trigger: 'manual', summary: 'A sample summary.' },
    pre_command: { command: 'sample', args_raw: '', surface: 'chat' },
    notification: {
      message: 'A sample notification.',
      title: 'Midcourse',
      notification_type: 'permission_prompt',
    },
    pre_model_switch: models,
    post_model_switch: models,
    post_tool_batch: { tool_calls: [result] },
  };
}
