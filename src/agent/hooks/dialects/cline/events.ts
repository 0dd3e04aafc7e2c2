import type { DialectEvents } from '../declared.ts';

/** The events of Cline, which are the names of its files. */
export const events = {
  TaskStart: { event: 'on_session_start', answers: true },
  TaskResume: { event: 'on_session_start', answers: true },
  TaskCancel: { event: 'agent_loop_stopped', answers: false },
  TaskComplete: { event: 'post_llm_call', answers: false },
  TaskError: { event: 'api_request_error', answers: false },
  SessionShutdown: { event: 'on_session_finalize', answers: false },
  UserPromptSubmit: { event: 'pre_llm_call', answers: true },
  PreToolUse: { event: 'pre_tool_call', answers: true },
  PostToolUse: { event: 'post_tool_call', answers: true },
  PreCompact: { event: 'pre_compact', answers: true },
  Notification: { event: 'notification', answers: false },
} as const satisfies DialectEvents;

export type ClineEvent = keyof typeof events;

/** Milliseconds; a stop and the end of a session wait for nobody as long as that. */
export function timeoutOf(event: string): number {
  return event === 'TaskCancel' || event === 'SessionShutdown' ? 3000 : 30_000;
}
