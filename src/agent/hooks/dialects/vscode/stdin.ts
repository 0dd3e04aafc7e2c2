/** What VS Code's own agent sends: snake_case throughout. */

import type { HookPayload } from '../../../../hooks-api.ts';
import { foreignCall, isAboutCall } from '../tool-aliases/index.ts';
import { vscodeTools } from '../tool-aliases/vscode.ts';
import type { DeclaredHook, HookSurroundings } from '../types.ts';
import { eventName } from './events.ts';

type Fields = Record<string, unknown>;

export async function stdin(
  { declaredAs }: DeclaredHook,
  payload: HookPayload,
  { transcriptPath }: HookSurroundings,
): Promise<Fields> {
  const session_id = payload.parent_session_id ?? payload.session_id;
  const transcript_path = await transcriptPath(session_id);
  return {
    timestamp: new Date().toISOString(),
    hook_event_name: eventName(declaredAs),
    session_id,
    ...(transcript_path === undefined ? {} : { transcript_path }),
    cwd: payload.cwd,
    ...ownFields(payload),
  };
}

function ownFields(payload: HookPayload): Fields {
  if (isAboutCall(payload)) {
    const { name, input } = foreignCall(vscodeTools, payload);
    return { tool_name: name, tool_input: input, ...idOf(payload), ...responseOf(payload) };
  }
  if ('user_message' in payload) return { prompt: payload.user_message };
  if ('source' in payload) return { source: 'new' };
  if ('trigger' in payload) return { trigger: payload.trigger };
  if ('final_response' in payload) return { stop_hook_active: payload.attempt > 0 };
  if ('child_summary' in payload) return { ...agentOf(payload), stop_hook_active: false };
  if ('child_session_id' in payload) return agentOf(payload);
  if ('will_retry' in payload) return { error: { name: payload.error_type, message: payload.error_message } };
  return 'reason' in payload ? { reason: payload.reason } : {};
}

function idOf(payload: HookPayload): Fields {
  return 'tool_call_id' in payload ? { tool_use_id: payload.tool_call_id } : {};
}

function responseOf(payload: HookPayload): Fields {
  return 'tool_result' in payload ? { tool_response: payload.tool_result } : {};
}

function agentOf({
  child_session_id,
  child_name,
  agent_type,
}: HookPayload<'subagent_start' | 'subagent_stop'>): Fields {
  return { agent_id: child_session_id, agent_type: agent_type ?? child_name };
}
