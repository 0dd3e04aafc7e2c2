/** Hooks after a turn has ended. */

import type { TurnResult } from '../../../api.ts';
import type { HookPayloads } from '../../../hooks-api.ts';
import type { TurnEnd } from '../../control/index.ts';
import { atMost } from '../at-most.ts';
import type { LiveTurn } from '../live-turn.ts';
import type { Clock } from '../types.ts';
import type { SessionHooks } from './session-hooks.ts';

/** Milliseconds after which a turn counts as settled although hooks of its end still run. */
const SETTLES_AFTER = 1000;
/** The most that a hook of `agent_loop_stopped` may ask for; what it gets without asking is the dispatcher's to say. */
const STOPPED_LIMIT = 3000;

/** After the turn has ended. Resolves when the turn has settled; hooks that take longer go on by themselves. */
export async function tellEnd(
  hooks: SessionHooks,
  clock: Clock,
  turn: LiveTurn,
  end: TurnEnd,
  result: TurnResult,
): Promise<void> {
  if (!end.running) return;
  const { completed, interrupted, failed, exitReason } = result;
  const signal = new AbortController().signal;
  if (end.cause) {
    await tellStopped(hooks, clock, turn, stoppedPayload(end.cause, end.phase, result.partial, turn));
  } else if (completed && hooks.has('post_llm_call')) {
    const of = { response: result.finalText };
    await atMost(clock, SETTLES_AFTER, hooks.tellAll('post_llm_call', of, turn, signal));
  }
  if (!hooks.has('on_session_end')) return;
  const of = { completed, interrupted, failed, turn_exit_reason: exitReason };
  await atMost(clock, SETTLES_AFTER, hooks.tellAll('on_session_end', of, turn, signal));
}

/** `agent_loop_stopped`, also for a turn that is cut because its window closes. Resolves in bounded time. */
export async function tellStopped(
  hooks: SessionHooks,
  clock: Clock,
  turn: LiveTurn,
  of: HookPayloads['agent_loop_stopped'],
): Promise<void> {
  if (!hooks.has('agent_loop_stopped')) return;
  const controller = new AbortController();
  await atMost(clock, STOPPED_LIMIT, hooks.tellAll('agent_loop_stopped', of, turn, controller.signal));
  controller.abort();
}

export function stoppedPayload(
  { by, reason }: { readonly by: string; readonly reason: string },
  phase: string,
  partial: boolean,
  turn: LiveTurn,
): HookPayloads['agent_loop_stopped'] {
  return {
    reason: by !== 'user' ? by : reason === 'stop_and_send' ? 'user_message' : 'user_stop',
    invalidation_reason: reason,
    phase,
    had_partial_text: partial,
    open_tool_calls: [...turn.calls.values()].filter((call) => !call.result).length,
  };
}
