import type { HookPayload } from '../../../../hooks-api.ts';
import { hermesTools } from '../tool-aliases/hermes.ts';
import { foreignCall, isAboutCall } from '../tool-aliases/index.ts';
import type { DeclaredHook } from '../types.ts';

/** Ours, where Hermes has another name for the same. */
const renamed: Readonly<Record<string, string>> = {
  tool_result: 'result',
  response: 'assistant_response',
  request_id: 'api_request_id',
};

/** What has a place of its own beside `extra`. */
const placed: ReadonlySet<string> = new Set(['schema', 'session_id', 'cwd', 'tool_name', 'tool_input']);

export async function stdin({ declaredAs }: DeclaredHook, payload: HookPayload): Promise<Record<string, unknown>> {
  const rest = Object.entries(payload).filter(([key]) => !placed.has(key));
  return {
    hook_event_name: declaredAs,
    ...callOf(payload),
    session_id: payload.session_id || (payload.parent_session_id ?? ''),
    cwd: payload.cwd,
    profile: 'default',
    extra: {
      telemetry_schema_version: 'hermes.observer.v1',
      task_id: payload.session_id,
      ...Object.fromEntries(rest.map(([key, value]) => [renamed[key] ?? key, value])),
    },
  };
}

/** Arguments that are no object are left out. */
function callOf(payload: HookPayload): { tool_name: string | null; tool_input: unknown } {
  if (!isAboutCall(payload)) return { tool_name: null, tool_input: null };
  const { name, input } = foreignCall(hermesTools, payload);
  const { tool_input: own } = payload;
  const isObject = typeof own === 'object' && own !== null && !Array.isArray(own);
  return { tool_name: name, tool_input: isObject ? input : null };
}
