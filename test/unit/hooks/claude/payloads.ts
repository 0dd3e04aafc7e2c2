import { readFileSync } from 'node:fs';
import { claudeRules } from '../../../../src/agent/hooks/dialects/claude/index.ts';
import type {
  DeclaredHook,
  HookSurroundings,
  Reading,
  ReadOutput,
} from '../../../../src/agent/hooks/dialects/types.ts';
import type { HookEvent, HookPayload, HookPayloads } from '../../../../src/hooks-api.ts';

export const WORK = '/project';

export const surroundings: HookSurroundings = {
  transcriptPath: async (sessionId) => `/transcripts/${sessionId}.jsonl`,
  home: '/home/someone',
  folders: [WORK],
};

/** A payload as the loop makes it. */
export function payload<E extends HookEvent>(
  _event: E,
  of: HookPayloads[E],
  change: Partial<HookPayload<'pre_tool_call'>> = {},
): HookPayload<E> {
  return {
    schema: 'midcourse.hooks.v1',
    session_id: 'session-1',
    session_key: 'session-1',
    turn_id: 'turn-1',
    platform: 'vscode',
    cwd: WORK,
    model: 'anthropic/claude-opus-5-5',
    effort: 'medium',
    prompt_id: 'prompt-1',
    ...change,
    ...of,
  } as unknown as HookPayload<E>;
}

export function bash(command: string, more: object = {}): HookPayload<'pre_tool_call'> {
  const of = { tool_call_id: 'call-1', tool_name: 'terminal', tool_input: { command, ...more } };
  return payload('pre_tool_call', of);
}

/** The one hook of a settings file with this group. */
export function declared(event: string, handler: object = {}, group: object = {}): DeclaredHook {
  const hooks = { [event]: [{ ...group, hooks: [{ type: 'command', command: './hook.sh', ...handler }] }] };
  const [hook] = claudeRules.readConfig(JSON.stringify({ hooks })).hooks;
  if (!hook) throw new Error('nothing was declared');
  return hook;
}

/** What the hook of an event is taken to say. */
export function read(
  event: string,
  of: HookPayload,
  end: { readonly exitCode?: number; readonly stdout?: string | object; readonly stderr?: string },
): ReadOutput {
  const { exitCode = 0, stdout = '', stderr = '' } = end;
  const reading: Reading = { payload: of, hook: declared(event), by: './hook.sh' };
  const text = typeof stdout === 'string' ? stdout : JSON.stringify(stdout);
  return claudeRules.readOutput({ exitCode, stdout: text, stderr }, reading);
}

export type Recorded = Readonly<Record<string, unknown>>;

/** What Claude Code sent for an event, with the folder of the tests. */
export function recorded(event: string): readonly Recorded[] {
  const url = new URL(`../../../fixtures/recorded-hooks/claude/${event}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8').replaceAll('<work>', WORK));
}
