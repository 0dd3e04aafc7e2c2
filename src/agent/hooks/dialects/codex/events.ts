import type { DialectEvents } from '../declared.ts';

/** The events of Codex. Of those that only observe, nobody waits for the hooks. */
export const events = {
  SessionStart: { event: 'on_session_start', answers: true },
  SessionEnd: { event: 'on_session_finalize', answers: false },
  UserPromptSubmit: { event: 'pre_llm_call', answers: true },
  PreToolUse: { event: 'pre_tool_call', answers: true },
  PermissionRequest: { event: 'pre_approval_request', answers: true },
  PostToolUse: { event: 'post_tool_call', answers: true },
  PreModelRequest: { event: 'pre_api_request', answers: false },
  PostModelRequest: { event: 'post_api_request', answers: false },
  PreCompact: { event: 'pre_compact', answers: true },
  PostCompact: { event: 'post_compact', answers: false },
  SubagentStart: { event: 'subagent_start', answers: false },
  SubagentStop: { event: 'subagent_stop', answers: false },
  Stop: { event: 'pre_verify', answers: true },
  Interrupt: { event: 'agent_loop_stopped', answers: false },
} as const satisfies DialectEvents;

export type CodexEvent = keyof typeof events;

/** Seconds: a hook of these must not hold up a stop or the end of the program. */
const brief: ReadonlySet<string> = new Set(['Interrupt', 'SessionEnd']);
const unasked = { brief: 1, other: 600 };
const most = { brief: 3 };

/** Milliseconds of a run, with a word where the file asks for more than it gets. */
export function timeoutOf(event: string, seconds: number | undefined): { timeout: number; warnings: string[] } {
  if (!brief.has(event)) return { timeout: (seconds ?? unasked.other) * 1000, warnings: [] };
  const asked = seconds ?? unasked.brief;
  if (asked <= most.brief) return { timeout: asked * 1000, warnings: [] };
  return { timeout: most.brief * 1000, warnings: [`${event} gets at most ${most.brief} seconds, not ${asked}.`] };
}
