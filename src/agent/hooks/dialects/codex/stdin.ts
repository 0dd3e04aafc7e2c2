/** What Codex sends, field by field as its version 0.171 does. */

import type { HookPayload } from '../../../../hooks-api.ts';
import { codexTools } from '../tool-aliases/codex.ts';
import { foreignCall, foreignResponse } from '../tool-aliases/index.ts';
import type { DeclaredHook, HookSurroundings } from '../types.ts';
import type { CodexEvent } from './events.ts';

type Fields = Record<string, unknown>;

export async function stdin(
  { declaredAs }: DeclaredHook,
  payload: HookPayload,
  surroundings: HookSurroundings,
): Promise<Fields> {
  // A delegated agent is a part of the session that it works for.
  const session_id = payload.parent_session_id ?? payload.session_id;
  const transcript_path = (await surroundings.transcriptPath(session_id)) ?? null;
  const { turn_id = '', cwd } = payload;
  const place = { transcript_path, cwd };
  const named = { hook_event_name: declaredAs };
  const model = modelName(payload.model);
  const base = { session_id, turn_id, ...place, ...named, model };
  const asked = { permission_mode: 'default' };
  const event = declaredAs as CodexEvent;
  switch (event) {
    case 'SessionStart':
      return { session_id, ...place, ...named, model, ...asked, ...pick(payload, 'source') };
    case 'SessionEnd':
      return { session_id, ...place, ...named, reason: 'other' };
    case 'UserPromptSubmit':
      return { ...base, ...asked, ...renamed(payload, { prompt: 'user_message' }), ...agentOf(payload) };
    case 'PreToolUse':
      return { ...base, ...asked, ...callOf(payload), ...useId(payload), ...agentOf(payload) };
    case 'PermissionRequest':
      return { ...base, ...asked, ...callOf(payload), ...agentOf(payload) };
    case 'PostToolUse':
      return { ...base, ...asked, ...callOf(payload), ...responseOf(payload), ...useId(payload), ...agentOf(payload) };
    case 'PreCompact':
    case 'PostCompact':
      return { ...base, ...pick(payload, 'trigger'), ...agentOf(payload) };
    case 'Stop':
      return { ...base, ...asked, ...stopOf(payload) };
    case 'Interrupt':
      return { ...base, ...asked };
    case 'SubagentStart':
      return { ...base, ...asked, ...childOf(payload) };
    case 'SubagentStop':
      return { ...base, ...asked, ...childOf(payload), ...(await childEnd(payload, surroundings)) };
    case 'PreModelRequest':
      return modelRequest(payload, place, named);
    case 'PostModelRequest':
      return { ...modelRequest(payload, place, named), ...modelAnswer(payload) };
    default:
      return event satisfies never;
  }
}

/** Codex names its models without a provider. */
function modelName(model: string | undefined): string {
  return model?.slice(model.indexOf('/') + 1) ?? '';
}

function pick(payload: HookPayload, field: string): Fields {
  return { [field]: (payload as unknown as Fields)[field] };
}

function renamed(payload: HookPayload, names: Readonly<Record<string, string>>): Fields {
  const from = payload as unknown as Fields;
  return Object.fromEntries(Object.entries(names).map(([name, ours]) => [name, from[ours]]));
}

function callOf(payload: HookPayload): Fields {
  if (!('tool_name' in payload)) return {};
  const { name, input } = foreignCall(codexTools, payload);
  return { tool_name: name, tool_input: input };
}

function useId(payload: HookPayload): Fields {
  return renamed(payload, { tool_use_id: 'tool_call_id' });
}

function responseOf(payload: HookPayload): Fields {
  return 'tool_result' in payload ? { tool_response: foreignResponse(codexTools, payload) } : {};
}

/** Inside a delegated agent. */
function agentOf({ agent_id, agent_type }: HookPayload): Fields {
  return { ...(agent_id === undefined ? {} : { agent_id }), ...(agent_type === undefined ? {} : { agent_type }) };
}

function childOf(payload: HookPayload): Fields {
  if (!('child_session_id' in payload)) return {};
  return { agent_id: payload.child_session_id, agent_type: payload.agent_type ?? payload.child_name };
}

async function childEnd(payload: HookPayload, { transcriptPath }: HookSurroundings): Promise<Fields> {
  if (!('child_summary' in payload)) return {};
  return {
    agent_transcript_path: (await transcriptPath(payload.child_session_id)) ?? null,
    stop_hook_active: false,
    last_assistant_message: payload.child_summary || null,
  };
}

function stopOf(payload: HookPayload): Fields {
  if (!('final_response' in payload)) return {};
  return { stop_hook_active: payload.attempt > 0, last_assistant_message: payload.final_response || null };
}

function modelRequest(payload: HookPayload, place: Fields, named: Fields): Fields {
  if (!('request_id' in payload)) return {};
  const { turn_id = '', request_id, attempt } = payload;
  return {
    kind: payload.kind === 'compaction' ? 'foreground_compaction' : 'sampling',
    request_id,
    attempt_number: attempt,
    session_id: payload.parent_session_id ?? payload.session_id,
    thread_id: payload.session_id,
    turn_id,
    ...place,
    model: modelName(payload.model),
    ...named,
  };
}

function modelAnswer(payload: HookPayload): Fields {
  if (!('request_id' in payload) || !('status' in payload)) return {};
  const { status, error_message, response_id, usage } = payload;
  return {
    status: status === 'aborted' ? 'cancelled' : status,
    error: error_message ?? null,
    // A request that was not answered has used nothing that is known.
    token_usage: usage && status === 'completed' ? tokensOf(usage) : null,
    response_id: response_id ?? null,
  };
}

type Tokens = NonNullable<HookPayload<'post_api_request'>['usage']>;

/** With what was cached: Codex counts it as a part of the input. */
function tokensOf({ input, output, cache_read, cache_write, reasoning }: Tokens): Fields {
  const read = input + cache_read + cache_write;
  return {
    input_tokens: read,
    cached_input_tokens: cache_read,
    cache_write_input_tokens: cache_write,
    output_tokens: output,
    reasoning_output_tokens: reasoning,
    total_tokens: read + output,
  };
}
