/** The events of Claude Code: which of ours fires them, what their matcher is about, what exit code 2 means. */

import type { HookPayload } from '../../../../hooks-api.ts';
import type { DialectEvent } from '../declared.ts';

/** What a matcher is compared with. */
export type Subject = 'tool' | 'source' | 'reason' | 'trigger' | 'notification' | 'agent' | 'error' | 'model';

interface ClaudeEventRule extends DialectEvent {
  /** Undefined: a matcher has no effect. */
  readonly subject?: Subject;
  /** All that the subject can be here, so that a matcher that never fits is told. */
  readonly values?: readonly string[];
  /**
   * - `block`: refuses what was about to happen
   * - `go_on`: the agent goes on instead of ending
   * - `feedback`: the model reads it after the result, which stands
   * - `user`: shown to the user, and nothing else
   */
  readonly exit2: 'block' | 'go_on' | 'feedback' | 'user';
  /** Seconds a hook gets that asks for none, where it is not 600. */
  readonly seconds?: number;
}

const compactions = ['manual', 'auto'];

export const events = {
  SessionStart: {
    event: 'on_session_start',
    answers: true,
    subject: 'source',
    values: ['startup', 'resume', 'clear', 'compact'],
    exit2: 'user',
  },
  SessionEnd: {
    event: 'on_session_finalize',
    answers: false,
    subject: 'reason',
    values: ['clear', 'other'],
    exit2: 'user',
    seconds: 1.5,
  },
  UserPromptSubmit: { event: 'pre_llm_call', answers: true, exit2: 'block', seconds: 30 },
  PreToolUse: { event: 'pre_tool_call', answers: true, subject: 'tool', exit2: 'block' },
  PermissionRequest: { event: 'pre_approval_request', answers: true, subject: 'tool', exit2: 'user' },
  PostToolUse: { event: 'post_tool_call', answers: true, subject: 'tool', exit2: 'feedback' },
  PostToolUseFailure: { event: 'post_tool_call', answers: true, subject: 'tool', exit2: 'feedback' },
  PostToolBatch: { event: 'post_tool_batch', answers: false, exit2: 'user' },
  Notification: {
    event: 'notification',
    answers: false,
    subject: 'notification',
    values: ['permission_prompt', 'idle_prompt', 'agent_needs_input', 'agent_completed'],
    exit2: 'user',
  },
  MessageDisplay: { event: 'on_interim_message', answers: false, exit2: 'user', seconds: 10 },
  SubagentStart: { event: 'subagent_start', answers: false, subject: 'agent', exit2: 'user' },
  SubagentStop: { event: 'subagent_stop', answers: false, subject: 'agent', exit2: 'user' },
  Stop: { event: 'pre_verify', answers: true, exit2: 'go_on' },
  StopFailure: { event: 'api_request_error', answers: false, subject: 'error', exit2: 'user' },
  PreCompact: { event: 'pre_compact', answers: true, subject: 'trigger', values: compactions, exit2: 'block' },
  PostCompact: { event: 'post_compact', answers: false, subject: 'trigger', values: compactions, exit2: 'user' },
  PreModelSwitch: { event: 'pre_model_switch', answers: false, subject: 'model', exit2: 'user' },
  PostModelSwitch: { event: 'post_model_switch', answers: false, subject: 'model', exit2: 'user' },
} as const satisfies Readonly<Record<string, ClaudeEventRule>>;

export type ClaudeEvent = keyof typeof events;

/** @returns undefined for what is no event of Claude Code, or none that fires here */
export function ruleOf(declaredAs: string): ClaudeEventRule | undefined {
  return Object.hasOwn(events, declaredAs) ? events[declaredAs as ClaudeEvent] : undefined;
}

/** Events of Claude Code for which nothing happens here, in words that say what to do instead. */
export const unsupported: Readonly<Record<string, string>> = {
  Setup: 'Midcourse has no set-up run; SessionStart fires when a session starts.',
  UserPromptExpansion:
    'Midcourse does not ask hooks before a slash command becomes a prompt; UserPromptSubmit fires with the prompt.',
  PermissionDenied: 'No classifier denies calls in Midcourse; PermissionRequest fires when the user is asked.',
  TaskCreated: 'Midcourse has no tasks of a team.',
  TaskCompleted: 'Midcourse has no tasks of a team.',
  TeammateIdle: 'Midcourse has no teammates; SubagentStop fires when a delegated agent ends.',
  InstructionsLoaded: 'Midcourse tells no hooks which instruction files it has read.',
  ConfigChange: 'Midcourse tells no hooks of changed settings.',
  CwdChanged: 'Midcourse tells no hooks when a command ends in another folder.',
  DirectoryAdded: 'Midcourse tells no hooks of new workspace folders.',
  FileChanged: 'Midcourse watches no files for hooks; PostToolUse fires after the edits of the agent.',
  WorktreeCreate: 'Midcourse makes no worktrees.',
  WorktreeRemove: 'Midcourse removes no worktrees.',
  Elicitation: 'Midcourse shows no forms of MCP servers to hooks.',
  ElicitationResult: 'Midcourse shows no forms of MCP servers to hooks.',
  PreSkillShellCommand: 'Midcourse runs no shell commands while it loads a skill.',
  Interrupt:
    'Claude Code has no event for an interrupt. Write the hook in .codex/hooks.json (Interrupt), or in a plugin (agent_loop_stopped).',
  agent_loop_stopped:
    'Claude Code has no event for an interrupt. Write the hook in .codex/hooks.json (Interrupt), or in a plugin (agent_loop_stopped).',
};

/** Of two events that one of ours fires, the one that is meant; and nothing that Claude Code would not tell. */
export function fires(declaredAs: string, payload: HookPayload): boolean {
  if (payload.agent_id !== undefined && ofSessions.has(declaredAs)) return false;
  if (declaredAs === 'StopFailure') return 'will_retry' in payload && !payload.will_retry;
  if (declaredAs === 'PostToolUse') return 'status' in payload && payload.status === 'success';
  if (declaredAs === 'PostToolUseFailure') return hasFailed(payload);
  if (declaredAs === 'PostToolBatch') return !wasStopped(payload);
  return true;
}

/** A delegated agent has no session and no prompts of its own: SubagentStart and SubagentStop tell of it. */
const ofSessions: ReadonlySet<string> = new Set<ClaudeEvent>([
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'MessageDisplay',
  'Stop',
  'StopFailure',
]);

/** A call that was refused or stopped did not fail, and Claude Code tells nothing of it. */
function hasFailed(payload: HookPayload): boolean {
  return 'tool_result' in payload && (payload.status === 'error' || payload.status === 'timeout');
}

function wasStopped(payload: HookPayload): boolean {
  return 'tool_calls' in payload && payload.tool_calls.some(({ status }) => status === 'cancelled');
}
