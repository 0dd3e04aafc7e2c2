/**
 * Where the loop fires its hooks. A hook that fails, hangs or throws changes nothing but its own answer.
 */

import type { Item, TranscriptRow, TurnResult } from '../../api.ts';
import type { LoopEvent, TurnEnd } from '../control/index.ts';
import type { LiveTurn } from './live-turn.ts';
import type { AgentPorts } from './types.ts';

/** Milliseconds that `agent_loop_stopped` and `on_session_end` may take; the user interface does not wait for them. */
const END_HOOK_LIMIT = 1000;

/** `on_session_start`, as the first turn of a session starts; nobody waits for it. */
export function fireSessionStart(ports: AgentPorts, sessionId: string, model: string | undefined): void {
  if (!ports.hooks.has('on_session_start')) return;
  const payload = { session_id: sessionId, session_key: sessionId, platform: 'vscode', model: model ?? '' };
  void ports.hooks.fire('on_session_start', payload, new AbortController().signal);
}

/** `pre_llm_call` for texts on their way into the history. Without such a hook the answer comes in the same tick. */
export function prepareTexts(
  ports: AgentPorts,
  sessionId: string,
  turn: LiveTurn,
  items: readonly Item[],
  tell: (event: LoopEvent) => void,
): void {
  const itemIds = items.map((item) => item.id);
  if (!ports.hooks.has('pre_llm_call')) return tell({ type: 'prepared', turnId: turn.id, itemIds, blocked: [] });
  void askPromptHooks(ports, sessionId, turn, items).then((blocked) =>
    tell({ type: 'prepared', turnId: turn.id, itemIds, blocked }),
  );
}

async function askPromptHooks(
  ports: AgentPorts,
  sessionId: string,
  turn: LiveTurn,
  items: readonly Item[],
): Promise<{ id: string; why: string }[]> {
  const answers = await Promise.all(
    items.map(async (item) => {
      const payload = { session_id: sessionId, turn_id: turn.id, prompt: item.text, kind: item.kind };
      return { item, answer: await ports.hooks.fire('pre_llm_call', payload, turn.controller.signal) };
    }),
  );
  for (const { item, answer } of answers) {
    if (answer.context !== undefined) turn.hookContext.set(item.id, answer.context);
  }
  return answers.flatMap(({ item, answer }) =>
    answer.block === undefined ? [] : [{ id: item.id, why: answer.block }],
  );
}

/** `post_tool_call`, once for each result that is in the history; nobody waits for it. */
export function firePostToolCalls(
  ports: AgentPorts,
  sessionId: string,
  turn: LiveTurn,
  rows: readonly TranscriptRow[],
): void {
  for (const row of rows) {
    if (row.kind !== 'tool_result' || row.callId === undefined) continue;
    const call = turn.calls.get(row.callId)?.call;
    void ports.hooks.fire(
      'post_tool_call',
      {
        session_id: sessionId,
        turn_id: turn.id,
        tool_call_id: row.callId,
        tool_name: call?.name,
        tool_input: call?.input,
        tool_result: row.displayText,
        status: HOOK_STATUS[row.status ?? 'success'],
      },
      new AbortController().signal,
    );
  }
}

const HOOK_STATUS: Record<NonNullable<TranscriptRow['status']>, string> = {
  success: 'success',
  yielded: 'success',
  error: 'error',
  blocked: 'blocked',
  denied: 'blocked',
  timeout: 'timeout',
  withdrawn: 'cancelled',
  not_run: 'cancelled',
  stopped: 'cancelled',
  abandoned: 'cancelled',
};

/** The hooks of a turn's end, after it has ended. Resolves when they are through or their time is over. */
export async function fireEndHooks(
  ports: AgentPorts,
  sessionId: string,
  turn: LiveTurn,
  end: TurnEnd,
  result: TurnResult,
): Promise<void> {
  if (!end.running) return;
  const of = { session_id: sessionId, session_key: sessionId, platform: 'vscode', turn_id: turn.id };
  if (end.cause) {
    await limited(ports, 'agent_loop_stopped', {
      ...of,
      reason:
        end.cause.by !== 'user' ? end.cause.by : end.cause.reason === 'stop_and_send' ? 'user_message' : 'user_stop',
      invalidation_reason: end.cause.reason,
      phase: end.phase,
      had_partial_text: result.partial,
      open_tool_calls: [...turn.calls.values()].filter((call) => !call.result).length,
    });
  } else if (result.completed) {
    await limited(ports, 'post_llm_call', { ...of, response: result.finalText });
  }
  const { completed, interrupted, failed, exitReason } = result;
  await limited(ports, 'on_session_end', { ...of, completed, interrupted, failed, turn_exit_reason: exitReason });
}

async function limited(
  ports: AgentPorts,
  event: 'agent_loop_stopped' | 'post_llm_call' | 'on_session_end',
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (!ports.hooks.has(event)) return;
  const controller = new AbortController();
  await new Promise<void>((resolve) => {
    const cancel = ports.clock.after(END_HOOK_LIMIT, () => {
      controller.abort();
      ports.log.warn(`a hook of ${event} took longer than ${END_HOOK_LIMIT} ms; the session went on without it`);
      resolve();
    });
    void ports.hooks.fire(event, payload, controller.signal).then(() => {
      cancel();
      resolve();
    });
  });
}
