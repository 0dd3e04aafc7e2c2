import type { HookEvent } from '../../hooks-api.ts';
import type { Hook } from './types.ts';

/** Every event, with what a hook of it is for. `steers`: its answer counts. */
const kinds: Readonly<Record<HookEvent, 'steers' | 'observes'>> = {
  on_session_start: 'steers',
  on_session_finalize: 'observes',
  on_session_reset: 'observes',
  pre_llm_call: 'steers',
  pre_tool_call: 'steers',
  post_tool_call: 'observes',
  transform_tool_result: 'steers',
  transform_terminal_output: 'steers',
  transform_llm_output: 'steers',
  pre_approval_request: 'steers',
  post_approval_response: 'observes',
  pre_verify: 'steers',
  post_llm_call: 'observes',
  on_session_end: 'observes',
  agent_loop_stopped: 'observes',
  pre_api_request: 'observes',
  post_api_request: 'observes',
  api_request_error: 'observes',
  on_stream_start: 'observes',
  on_stream_delta: 'observes',
  on_stream_end: 'observes',
  on_interim_message: 'observes',
  subagent_start: 'observes',
  subagent_stop: 'observes',
  pre_compact: 'steers',
  post_compact: 'observes',
  pre_command: 'observes',
  notification: 'observes',
  pre_model_switch: 'observes',
  post_model_switch: 'observes',
  post_tool_batch: 'observes',
};

export const hookEvents = Object.keys(kinds) as readonly HookEvent[];

export function isHookEvent(name: string): name is HookEvent {
  return Object.hasOwn(kinds, name);
}

/**
 * True for a hook whose run a stop ends, because its answer is of no use any more. All others go on by themselves:
 * they are told of something that did happen.
 */
export function endsWithTurn(hook: Pick<Hook, 'event' | 'answers'>): boolean {
  return hook.answers && kinds[hook.event] === 'steers';
}
