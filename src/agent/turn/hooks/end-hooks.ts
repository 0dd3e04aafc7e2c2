/** Hooks at the end of a turn: before it, where they may have the agent go on, and after it. */

import type { TurnResult } from '../../../api.ts';
import type { HookPayloads } from '../../../hooks-api.ts';
import type { Effect, GoOn, GoOnKind, TurnEnd } from '../../control/index.ts';
import type { WhichHooks } from '../../hooks/port.ts';
import type { LiveTurn } from '../live-turn.ts';
import type { Clock } from '../types.ts';
import type { SessionHooks } from './session-hooks.ts';

/** Milliseconds after which a turn counts as settled although hooks of its end still run. */
const SETTLES_AFTER = 1000;
/** The most that a hook of `agent_loop_stopped` may ask for; what it gets without asking is the dispatcher's to say. */
const STOPPED_LIMIT = 3000;

/** `stop`: written for a system whose hooks are asked at each end. Ours and those of Hermes look at changed files. */
const WHICH: Readonly<Record<GoOnKind, WhichHooks>> = {
  stop: ({ dialect }) => dialect !== 'midcourse' && dialect !== 'hermes',
  verify: ({ dialect }) => dialect === 'midcourse' || dialect === 'hermes',
};

/** The kinds of hooks that the machine wants asked and that have something to look at. */
export function endHooks(
  hooks: SessionHooks,
  turn: LiveTurn,
  { ask }: Extract<Effect, { do: 'finalize' }>,
): readonly GoOnKind[] {
  if (!hooks.has('pre_verify')) return [];
  return ask.filter((kind) => kind === 'stop' || turn.changed.size > 0);
}

/** Never rejects. */
export async function askEndHooks(
  hooks: SessionHooks,
  turn: LiveTurn,
  kinds: readonly GoOnKind[],
  goneOn: Readonly<Record<GoOnKind, number>>,
): Promise<readonly GoOn[]> {
  const answers = await Promise.all(
    kinds.map(async (kind): Promise<GoOn | undefined> => {
      const of = { attempt: goneOn[kind], final_response: turn.finalText, changed_paths: [...turn.changed] };
      const { signal } = turn.controller;
      const { goOn } = await hooks.ask({ event: 'pre_verify', of, turn, signal, which: WHICH[kind] });
      return goOn && { kind, ...goOn };
    }),
  );
  return answers.filter((goOn) => goOn !== undefined);
}

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

async function atMost(clock: Clock, ms: number, done: Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.after(ms, resolve);
    void done.then(() => {
      cancel();
      resolve();
    });
  });
}
