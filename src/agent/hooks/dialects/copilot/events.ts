import type { DialectEvents } from '../declared.ts';

/** The events of Copilot's command line. What its hooks answer to a prompt is not read there, so nobody waits. */
export const events = {
  sessionStart: { event: 'on_session_start', answers: true },
  sessionEnd: { event: 'on_session_finalize', answers: false },
  userPromptSubmitted: { event: 'pre_llm_call', answers: false },
  preToolUse: { event: 'pre_tool_call', answers: true },
  postToolUse: { event: 'post_tool_call', answers: true },
  postToolUseFailure: { event: 'post_tool_call', answers: true },
  permissionRequest: { event: 'pre_approval_request', answers: true },
  agentStop: { event: 'pre_verify', answers: true },
  subagentStart: { event: 'subagent_start', answers: false },
  subagentStop: { event: 'subagent_stop', answers: false },
  errorOccurred: { event: 'api_request_error', answers: false },
  preCompact: { event: 'pre_compact', answers: false },
  notification: { event: 'notification', answers: false },
} as const satisfies DialectEvents;

export type CopilotEvent = keyof typeof events;

/** Events of Copilot's command line for which there is no occasion here, with what to do instead. */
export const absent: Readonly<Record<string, string>> = {
  userPromptTransformed: 'Midcourse sends prompts as they are written; userPromptSubmitted fires with the prompt.',
  preMcpToolCall: 'Midcourse fires preToolUse for tools of MCP servers as well; write a matcher such as mcp__.*',
};

/** Seconds of a hook that asks for none. */
export const unasked = 30;
