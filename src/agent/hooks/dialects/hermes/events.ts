import type { DialectEvents } from '../declared.ts';

const told = <const E>(event: E) => ({ event, answers: false }) as const;
const asked = <const E>(event: E) => ({ event, answers: true }) as const;

/** The events of Hermes that are ours as well, under the same names. */
export const events = {
  pre_tool_call: asked('pre_tool_call'),
  post_tool_call: told('post_tool_call'),
  transform_tool_result: told('transform_tool_result'),
  transform_terminal_output: told('transform_terminal_output'),
  transform_llm_output: told('transform_llm_output'),
  pre_llm_call: asked('pre_llm_call'),
  post_llm_call: told('post_llm_call'),
  pre_verify: asked('pre_verify'),
  pre_api_request: told('pre_api_request'),
  post_api_request: told('post_api_request'),
  api_request_error: told('api_request_error'),
  on_stream_start: told('on_stream_start'),
  on_stream_delta: told('on_stream_delta'),
  on_stream_end: told('on_stream_end'),
  on_interim_message: told('on_interim_message'),
  on_session_start: told('on_session_start'),
  on_session_end: told('on_session_end'),
  on_session_finalize: told('on_session_finalize'),
  on_session_reset: told('on_session_reset'),
  agent_loop_stopped: told('agent_loop_stopped'),
  subagent_start: told('subagent_start'),
  subagent_stop: told('subagent_stop'),
  pre_command: told('pre_command'),
  pre_approval_request: told('pre_approval_request'),
  post_approval_response: told('post_approval_response'),
} as const satisfies DialectEvents;

/** Events of Hermes for which there is no occasion here. */
export const absent: ReadonlySet<string> = new Set([
  'pre_auxiliary_call',
  'post_auxiliary_call',
  'transform_api_error_classification',
  'on_skill_lifecycle',
  'pre_gateway_dispatch',
  'gateway_platform_event',
  'pre_tts_synthesis',
  'pre_transcription',
  'on_room_member_activity',
]);

/** Keys of the block that are no events. */
export const reserved = {
  outbound: 'hooks.outbound is not read: webhooks of Midcourse are in the setting midcourse.webhooks.',
  output_spill: 'hooks.output_spill has no effect here.',
} as const;

/** Only here a matcher counts. */
export function hasMatcher(event: string): boolean {
  return event === 'pre_tool_call' || event === 'post_tool_call';
}
