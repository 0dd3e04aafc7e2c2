import { homedir } from 'node:os';
import type { HookPayload } from '../../../../hooks-api.ts';
import { clineTools } from '../tool-aliases/cline.ts';
import { foreignCall, isAboutCall } from '../tool-aliases/index.ts';
import type { DeclaredHook, HookSurroundings } from '../types.ts';
import type { ClineEvent } from './events.ts';

type Fields = Record<string, unknown>;

export async function stdin(
  { declaredAs }: DeclaredHook,
  payload: HookPayload,
  { folders }: HookSurroundings,
): Promise<Fields> {
  const event = declaredAs as ClineEvent;
  return {
    clineVersion: 'midcourse',
    hookName: event,
    timestamp: String(Date.now()),
    taskId: payload.parent_session_id ?? payload.session_id,
    workspaceRoots: folders.length > 0 ? folders : [homedir()],
    userId: '',
    model: modelOf(payload.model),
    [event.charAt(0).toLowerCase() + event.slice(1)]: about(event, payload),
  };
}

/** `provider/model` in two. */
function modelOf(model: string | undefined): Fields {
  const [provider = '', ...slug] = (model ?? '').split('/');
  return { provider, slug: slug.join('/') };
}

function about(event: ClineEvent, payload: HookPayload): Fields {
  if (isAboutCall(payload)) return callOf(payload);
  if ('user_message' in payload) return { prompt: payload.user_message, attachments: [] };
  if ('notification_type' in payload) {
    const { message, title, notification_type: type } = payload;
    return { type, title, message };
  }
  if ('custom_instructions' in payload) return { compactionStrategy: payload.trigger };
  if ('will_retry' in payload) return { ...task(payload), error: payload.error_message };
  const { session_id: ulid } = payload;
  switch (event) {
    case 'TaskCancel':
      return task(payload, { completionStatus: 'cancelled' });
    case 'TaskComplete':
      return task(payload, 'response' in payload ? { result: payload.response } : {});
    case 'TaskResume':
      return { ...task(payload), previousState: {} };
    default:
      return task(payload, { ulid });
  }
}

function task({ session_id }: HookPayload, more: Fields = {}): Fields {
  return { taskMetadata: { taskId: session_id, ulid: session_id, ...more } };
}

function callOf(payload: HookPayload & { tool_name: string; tool_input: unknown }): Fields {
  const { name, input } = foreignCall(clineTools, payload);
  const call = { toolName: name, parameters: input };
  if (!('tool_result' in payload)) return call;
  const { tool_result: result, status, duration_ms: executionTimeMs } = payload;
  return { ...call, result, success: status === 'success', executionTimeMs };
}
