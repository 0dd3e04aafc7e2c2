/** What Copilot's command line sends: camelCase, and the arguments of a call as the JSON text that the model wrote. */

import type { HookPayload } from '../../../../hooks-api.ts';
import { copilotTools } from '../tool-aliases/copilot.ts';
import { foreignCall, isAboutCall } from '../tool-aliases/index.ts';
import type { DeclaredHook, HookSurroundings } from '../types.ts';

type Fields = Record<string, unknown>;

export async function stdin(
  { declaredAs }: DeclaredHook,
  payload: HookPayload,
  { transcriptPath }: HookSurroundings,
): Promise<Fields> {
  const sessionId = payload.parent_session_id ?? payload.session_id;
  const common = { sessionId, timestamp: Date.now(), cwd: payload.cwd };
  if (!hasTranscript.has(declaredAs)) return { ...common, ...ownFields(declaredAs, payload) };
  const path = (await transcriptPath(sessionId)) ?? '';
  return { ...common, transcriptPath: path, ...ownFields(declaredAs, payload) };
}

const hasTranscript: ReadonlySet<string> = new Set(['agentStop', 'subagentStart', 'subagentStop', 'preCompact']);

function ownFields(declaredAs: string, payload: HookPayload): Fields {
  if (isAboutCall(payload)) return callFields(declaredAs, payload);
  if ('user_message' in payload) return { prompt: payload.user_message };
  if ('source' in payload) return { source: sourceOf(payload.source) };
  if ('custom_instructions' in payload) {
    return { trigger: payload.trigger, customInstructions: payload.custom_instructions };
  }
  if ('final_response' in payload) return { stopReason: 'end_turn', stop_hook_active: payload.attempt > 0 };
  if ('child_summary' in payload)
    return { ...agentOf(payload), response: payload.child_summary, stopReason: 'end_turn' };
  if ('child_goal' in payload) return { agentName: payload.child_name, agentDescription: payload.child_goal };
  if ('will_retry' in payload) {
    const error = { name: payload.error_type, message: payload.error_message };
    return { error, errorContext: 'model_call', recoverable: payload.will_retry };
  }
  if ('notification_type' in payload) {
    const { message, title, notification_type } = payload;
    return { hook_event_name: 'Notification', message, title, notification_type };
  }
  return declaredAs === 'sessionEnd' && 'reason' in payload ? { reason: endOf(payload.reason) } : {};
}

function callFields(declaredAs: string, payload: HookPayload & { tool_name: string; tool_input: unknown }): Fields {
  const { name, input } = foreignCall(copilotTools, payload);
  const call = { toolName: name, toolArgs: JSON.stringify(input) };
  if (!('tool_result' in payload)) return call;
  if (declaredAs === 'postToolUseFailure') return { ...call, error: payload.error_message ?? payload.tool_result };
  return { ...call, toolResult: { resultType: 'success', textResultForLlm: payload.tool_result } };
}

function agentOf({ child_session_id, child_name, agent_type }: HookPayload<'subagent_stop'>): Fields {
  return { agentId: child_session_id, agentType: agent_type ?? child_name, agentName: child_name };
}

function sourceOf(source: string): 'startup' | 'resume' | 'new' {
  if (source === 'resume') return 'resume';
  return source === 'startup' ? 'startup' : 'new';
}

/** A window that is closed ends the program; everything else is the user's wish. */
function endOf(reason: string): 'complete' | 'user_exit' {
  return reason === 'window_closed' ? 'complete' : 'user_exit';
}
