/**
 * What a hook of Claude Code reads: the fields of each event, exactly those that the program itself sends
 * (test/fixtures/recorded-hooks).
 */

import type { HookPayload } from '../../../../hooks-api.ts';
import {
  claudeTools,
  foreignCall,
  foreignFailure,
  foreignResponse,
  isAboutCall,
  known,
} from '../tool-aliases/index.ts';
import type { DeclaredHook, HookSurroundings } from '../types.ts';
import { errorOf } from './errors.ts';
import type { ClaudeEvent } from './events.ts';

type Fields = Record<string, unknown>;

/** Which of the common fields an event has. */
interface Common {
  readonly mode?: true;
  readonly effort?: true;
}

const COMMON: Readonly<Record<ClaudeEvent, Common>> = {
  SessionStart: {},
  SessionEnd: {},
  UserPromptSubmit: { mode: true },
  PreToolUse: { mode: true, effort: true },
  PermissionRequest: { mode: true, effort: true },
  PostToolUse: { mode: true, effort: true },
  PostToolUseFailure: { mode: true, effort: true },
  PostToolBatch: { mode: true, effort: true },
  Notification: {},
  MessageDisplay: {},
  SubagentStart: {},
  SubagentStop: { mode: true, effort: true },
  Stop: { mode: true, effort: true },
  StopFailure: { effort: true },
  PreCompact: {},
  PostCompact: {},
  PreModelSwitch: {},
  PostModelSwitch: {},
};

export async function stdin(
  { declaredAs }: DeclaredHook,
  payload: HookPayload,
  surroundings: HookSurroundings,
): Promise<Fields> {
  const event = declaredAs as ClaudeEvent;
  // A delegated agent is a part of the session that it works for.
  const session = payload.parent_session_id ?? payload.session_id;
  const { mode, effort } = COMMON[event];
  return {
    session_id: session,
    transcript_path: (await surroundings.transcriptPath(session)) ?? '',
    cwd: payload.cwd,
    ...(startsSession(payload) ? {} : known({ prompt_id: payload.prompt_id })),
    ...(mode ? { permission_mode: 'default' } : {}),
    ...agentFields(payload),
    ...(effort && payload.effort !== undefined ? { effort: { level: payload.effort } } : {}),
    hook_event_name: event,
    ...(await ownFields(event, payload, surroundings)),
  };
}

/** Nothing was asked yet. */
function startsSession(payload: HookPayload): boolean {
  return 'source' in payload && ['startup', 'clear', 'resume'].includes(payload.source);
}

function agentFields(payload: HookPayload): Fields {
  if ('child_session_id' in payload) {
    return { agent_id: payload.child_session_id, agent_type: agentType(payload) };
  }
  return payload.agent_id === undefined ? {} : { agent_id: payload.agent_id, agent_type: agentType(payload) };
}

/** Claude Code's name for an agent without a role. */
const NO_ROLE = 'general-purpose';

export function agentType(payload: HookPayload): string {
  return ('child_role' in payload ? payload.child_role : payload.agent_type) ?? NO_ROLE;
}

async function ownFields(event: ClaudeEvent, payload: HookPayload, surroundings: HookSurroundings): Promise<Fields> {
  if ('child_summary' in payload) return await subagentStop(payload, surroundings);
  if ('from_model' in payload) return modelSwitch(payload);
  if ('tool_calls' in payload) return toolBatch(payload);
  if (isAboutCall(payload)) return callFields(event, payload);
  if ('user_message' in payload) return { prompt: payload.user_message };
  if ('final_response' in payload) return stop(payload.attempt > 0, payload.final_response);
  if ('will_retry' in payload) return stopFailure(payload);
  if ('text' in payload) return messageDisplay(payload);
  if ('notification_type' in payload) return notification(payload);
  if ('custom_instructions' in payload) {
    return { trigger: payload.trigger, custom_instructions: payload.custom_instructions || null };
  }
  if ('summary' in payload && 'trigger' in payload) {
    return { trigger: payload.trigger, compact_summary: payload.summary };
  }
  if ('source' in payload) return sessionStart(payload);
  return event === 'SessionEnd' ? { reason: endReason(payload) } : {};
}

function callFields(event: ClaudeEvent, payload: HookPayload & { tool_name: string; tool_input: unknown }): Fields {
  const { name, input } = foreignCall(claudeTools, payload);
  const call = { tool_name: name, tool_input: input };
  if (event === 'PermissionRequest') return { ...call, permission_suggestions: suggestions(name, payload) };
  const id = 'tool_call_id' in payload ? { tool_use_id: payload.tool_call_id } : {};
  if (!('tool_result' in payload)) return { ...call, ...id };
  if (event === 'PostToolUseFailure') {
    const error = foreignFailure(claudeTools, payload);
    return { ...call, ...id, error, is_interrupt: payload.status === 'cancelled', duration_ms: payload.duration_ms };
  }
  return { ...call, tool_response: foreignResponse(claudeTools, payload), ...id, duration_ms: payload.duration_ms };
}

/** What *always* would allow, as the rule that Claude Code would add. */
function suggestions(toolName: string, payload: HookPayload): readonly Fields[] {
  if (!('choices' in payload) || !payload.choices.includes('always')) return [];
  const rule = known({ toolName, ruleContent: payload.command });
  return [{ type: 'addRules', destination: 'localSettings', rules: [rule], behavior: 'allow' }];
}

function toolBatch({ tool_calls, cwd }: HookPayload<'post_tool_batch'>): Fields {
  return {
    tool_calls: tool_calls.map((call) => {
      const { name, input } = foreignCall(claudeTools, { ...call, cwd });
      const tool_response = foreignResponse(claudeTools, { ...call, cwd });
      return { tool_name: name, tool_input: input, tool_use_id: call.tool_call_id, tool_response };
    }),
  };
}

function stop(active: boolean, message: string): Fields {
  return { stop_hook_active: active, last_assistant_message: message, background_tasks: [], session_crons: [] };
}

async function subagentStop(
  { child_session_id, child_summary }: HookPayload<'subagent_stop'>,
  surroundings: HookSurroundings,
): Promise<Fields> {
  const agent_transcript_path = (await surroundings.transcriptPath(child_session_id)) ?? '';
  return { agent_transcript_path, ...stop(false, child_summary) };
}

/** The last message is the error, as the user sees it. */
function stopFailure(payload: HookPayload<'api_request_error'>): Fields {
  return { error: errorOf(payload), last_assistant_message: `API Error: ${payload.error_message}` };
}

/** A message comes whole here, so each has one part. */
function messageDisplay({ turn_id, iteration, text }: HookPayload<'on_interim_message'>): Fields {
  return { turn_id, message_id: `${turn_id ?? ''}-${iteration}`, index: 0, final: true, delta: text };
}

function notification({ message, title, notification_type }: HookPayload<'notification'>): Fields {
  return { message, ...(title === '' ? {} : { title }), notification_type };
}

function sessionStart({ source, model }: HookPayload<'on_session_start'>): Fields {
  return { source, ...(source === 'compact' && model !== undefined ? { model: modelName(model) } : {}) };
}

/** What Midcourse does not know of a switch is null. */
function modelSwitch({ from_model, to_model, source }: HookPayload<'pre_model_switch' | 'post_model_switch'>): Fields {
  return {
    from_model: modelName(from_model),
    to_model: modelName(to_model),
    requested_model: modelName(to_model),
    source: source === 'api' ? 'sdk' : source,
    context_tokens: null,
    prompt_cache_warm: false,
    cache_ttl: null,
    estimated_cache_write_usd: null,
    pricing: 'unknown',
  };
}

/** Without our `provider/`. */
export function modelName(ref: string): string {
  return ref.replace(/^[^/]*\//, '');
}

export function endReason(payload: HookPayload): 'clear' | 'other' {
  return 'reason' in payload && payload.reason === 'new_session' ? 'clear' : 'other';
}
