import type { DeclaredHook, DialectRules, Reading, ReadOutput } from '../../../src/agent/hooks/dialects/index.ts';
import type { HookEvent, HookPayload, HookPayloads } from '../../../src/hooks-api.ts';

/** A payload as the loop makes it. @param _event only for the shape of the rest */
export function payloadOf<E extends HookEvent>(
  _event: E,
  own: HookPayloads[E],
  change: Partial<HookPayload> = {},
): HookPayload<E> {
  const payload: unknown = {
    schema: 'midcourse.hooks.v1',
    session_id: 'session-1',
    session_key: 'session-1',
    turn_id: 'turn-1',
    platform: 'vscode',
    cwd: '/project',
    model: 'openai/gpt-5.5',
    ...own,
    ...change,
  };
  return payload as HookPayload<E>;
}

export function callOf(tool_name: string, tool_input: unknown): HookPayload<'pre_tool_call'> {
  return payloadOf('pre_tool_call', { tool_call_id: 'call-1', tool_name, tool_input });
}

export const command = callOf('terminal', { command: 'ls' });

export function resultOf(change: Partial<HookPayloads['post_tool_call']> = {}): HookPayload<'post_tool_call'> {
  return payloadOf('post_tool_call', {
    tool_call_id: 'call-1',
    tool_name: 'terminal',
    tool_input: { command: 'ls' },
    tool_result: 'a\n[exit 0]',
    status: 'success',
    duration_ms: 5,
    tool_facts: { output: 'a\n', exit_code: 0 },
    ...change,
  });
}

/** The first hook of a file's text. */
export function firstHook(rules: DialectRules, text: string): DeclaredHook {
  const { hooks, broken } = rules.readConfig(text);
  const [hook] = hooks;
  if (!hook) throw new Error(broken ?? 'it declares no hook');
  return hook;
}

/** What a run that ended so is taken to say. @param stdout an object becomes JSON */
export function reader(rules: DialectRules, hook: DeclaredHook, payload: HookPayload) {
  const reading: Reading = { payload, hook, by: './hook.sh' };
  return (stdout: object | string, { exitCode = 0, stderr = '' } = {}): ReadOutput => {
    const text = typeof stdout === 'string' ? stdout : JSON.stringify(stdout);
    return rules.readOutput({ exitCode, stdout: text, stderr }, reading);
  };
}
