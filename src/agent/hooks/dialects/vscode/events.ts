import type { DialectEvents } from '../declared.ts';

/** The events of VS Code; the last two are proposed there and fire here. */
export const events = {
  SessionStart: { event: 'on_session_start', answers: true },
  UserPromptSubmit: { event: 'pre_llm_call', answers: true },
  PreToolUse: { event: 'pre_tool_call', answers: true },
  PostToolUse: { event: 'post_tool_call', answers: true },
  PreCompact: { event: 'pre_compact', answers: true },
  SubagentStart: { event: 'subagent_start', answers: false },
  SubagentStop: { event: 'subagent_stop', answers: false },
  Stop: { event: 'pre_verify', answers: true },
  SessionEnd: { event: 'on_session_finalize', answers: false },
  ErrorOccurred: { event: 'api_request_error', answers: false },
} as const satisfies DialectEvents;

export type VscodeEvent = keyof typeof events;

/** Names of Copilot's command line, which VS Code reads as its own. */
const sameAs: Readonly<Record<string, VscodeEvent>> = {
  sessionStart: 'SessionStart',
  userPromptSubmitted: 'UserPromptSubmit',
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  preCompact: 'PreCompact',
  subagentStart: 'SubagentStart',
  subagentStop: 'SubagentStop',
  agentStop: 'Stop',
  sessionEnd: 'SessionEnd',
  errorOccurred: 'ErrorOccurred',
};

/** The event under VS Code's own name. */
export function eventName(declaredAs: string): string {
  return Object.hasOwn(sameAs, declaredAs) ? (sameAs[declaredAs] ?? declaredAs) : declaredAs;
}

/** Seconds of a hook that asks for none. */
export const unasked = 30;
