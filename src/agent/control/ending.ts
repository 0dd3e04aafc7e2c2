/**
 * How a turn ends, and what starts after it.
 */

import type { ExitReason, Item, Phase, ResultStatus } from '../../api.ts';
import { beginReview, cancelReview, REVIEW_GRACE, stopChildren } from './background.ts';
import { holdAllPending, holdItem, isOnItsWay, isPending, leads, returnItem, waitingLeads } from './items.ts';
import type { Transition } from './transition.ts';
import type { Activity, Call, StopCause } from './types.ts';

/** Milliseconds after which a tool that ignores its abort is abandoned. */
export const ABANDON_AFTER = 2000;

export function phaseOf(activity: Activity): Phase {
  switch (activity.is) {
    case 'starting':
    case 'hook':
    case 'model':
    case 'backoff':
    case 'compaction':
    case 'finalizing':
      return activity.is;
    case 'stopping':
      return activity.phase;
    case 'tool':
      if (activity.calls.some((call) => call.state.is === 'approval')) return 'approval';
      if (activity.calls.some((call) => call.state.is === 'question')) return 'question';
      return waitsForHooks(activity.calls) ? 'hook' : 'tool';
    default:
      return activity satisfies never;
  }
}

/** True when nothing of the batch moves but hooks. */
function waitsForHooks(calls: readonly Call[]): boolean {
  const open = calls.filter(({ state }) => state.is !== 'done' && state.is !== 'waiting');
  return open.length > 0 && open.every(({ hooks }) => hooks);
}

/**
 * Stops the turn in whatever it does. Everything that can end at once ends in this step; only calls that really run
 * are waited for, at most `ABANDON_AFTER`.
 */
export function stopTurn(step: Transition, cause: StopCause, at: number): void {
  const turn = step.turn;
  const { activity } = turn;
  const phase = phaseOf(activity);
  step.writes.push({ write: 'turn', turnId: turn.id, state: 'stopped', cause });
  giveBackItems(step, cause.onQueue);
  stopChildren(step);
  cancelReview(step);

  switch (activity.is) {
    case 'starting':
      step.effects.push({ do: 'cancelPrepare', turnId: turn.id });
      giveBackOwnTexts(step, [...activity.ready, ...activity.asking], 'stopped');
      return endTurn(step, stopExit(cause), phase, cause);
    case 'hook':
      step.effects.push({ do: 'cancelPrepare', turnId: turn.id });
      if (activity.then !== 'next') writePartial(step, 'stop');
      return endTurn(step, stopExit(cause), phase, cause);
    case 'model':
    case 'backoff':
      step.effects.push(
        { do: 'abortRequest', turnId: turn.id, request: turn.request, attempt: turn.attempt },
        { do: 'cancelWait', turnId: turn.id },
      );
      writePartial(step, 'stop');
      return endTurn(step, stopExit(cause), phase, cause);
    case 'compaction':
      step.effects.push({ do: 'cancelCompaction', turnId: turn.id });
      return endTurn(step, stopExit(cause), phase, cause);
    case 'finalizing':
      step.effects.push({ do: 'cancelFinalize', turnId: turn.id });
      return endTurn(step, stopExit(cause), phase, cause);
    case 'tool':
      return stopCalls(step, activity.calls, cause, phase, at);
    case 'stopping':
      return;
    default:
      activity satisfies never;
  }
}

function stopCalls(step: Transition, calls: readonly Call[], cause: StopCause, phase: Phase, at: number): void {
  const turnId = step.turn.id;
  const after = calls.map((call): Call => {
    if (call.state.is === 'running') step.effects.push({ do: 'abortCall', turnId, callId: call.id });
    return closeUnstarted(step, call);
  });
  step.setActivity({ is: 'stopping', cause, phase, calls: after, pressedAt: at });
  if (after.some((call) => call.state.is === 'running')) {
    step.effects.push({ do: 'abandonAfter', turnId, ms: ABANDON_AFTER });
  }
  finishStopIfQuiet(step);
}

/** Ends a stopping turn once none of its calls runs any more. */
export function finishStopIfQuiet(step: Transition): void {
  const { activity } = step.turn;
  if (activity.is !== 'stopping') throw new Error(`control: not stopping but ${activity.is}`);
  storeResults(step);
  if (activity.calls.every((call) => call.state.is === 'done')) {
    endTurn(step, stopExit(activity.cause), activity.phase, activity.cause);
  }
}

/** A call that will not run: its result is known now, its card closes. */
export function closeCall(step: Transition, call: Call, status: ResultStatus): Call {
  step.effects.push({ do: 'closeCall', turnId: step.turn.id, callId: call.id, status });
  return { ...call, state: { is: 'done', status } };
}

/** Closes a call that has not begun to run: an open card is withdrawn, any other was not run. Others stay as they are. */
export function closeUnstarted(step: Transition, call: Call): Call {
  switch (call.state.is) {
    case 'approval':
    case 'question':
      return closeCall(step, call, 'withdrawn');
    case 'waiting':
    case 'beginning':
      return closeCall(step, call, 'not_run');
    case 'running':
    case 'done':
      return call;
    default:
      return call.state satisfies never;
  }
}

/** Stores results in call order: each as soon as all before it are known. */
export function storeResults(step: Transition): void {
  const { activity, id: turnId, request } = step.turn;
  if (activity.is !== 'tool' && activity.is !== 'stopping') return;
  let inOrder = true;
  const calls = activity.calls.map((call) => {
    if (call.stored) return call;
    if (call.state.is !== 'done') inOrder = false;
    if (!inOrder || call.state.is !== 'done') return call;
    const row = step.newRow();
    step.writes.push({ write: 'result', ...row, turnId, request, callId: call.id, status: call.state.status });
    return { ...call, stored: true };
  });
  step.setCalls(calls);
}

export function writePartial(step: Transition, interrupted: 'stop' | 'redirect' | 'stream_cut'): void {
  const { id: turnId, request } = step.turn;
  step.writes.push({ write: 'partial', ...step.newRow(), turnId, request, interrupted });
}

/** Rows first, then the end, then the next turn if one waits: no idle state is shown between. */
export function endTurn(step: Transition, exit: ExitReason, phase: Phase, cause: StopCause | undefined): void {
  const turn = step.turn;
  if (turn.running) step.writes.push({ write: 'closing', ...step.newRow(), turnId: turn.id });
  const end = { exit, phase, cause, running: turn.running, requests: turn.request };
  step.writes.push({ write: 'turn', turnId: turn.id, state: 'ended', end });
  step.effects.push({ do: 'turnEnded', turnId: turn.id, end });
  step.state = { ...step.state, turn: undefined, unread: [] };
  if (cause && turn.running) step.state = { ...step.state, untoldStop: { phase, by: cause.by } };
  if (isFailure(exit)) holdAllPending(step);
  startNextTurn(step);
  if (exit === 'answered' && turn.running) beginReview(step, turn.id);
}

/** Starts a turn with the texts that lead, or else with the first queue entry. */
export function startNextTurn(step: Transition): void {
  if (step.state.turn) return;
  const leading = waitingLeads(step.state);
  const first = leading.length > 0 ? leading : step.state.items.filter(isPending).slice(0, 1);
  if (first.length > 0) startTurn(step, first);
}

/** @param items none for a turn that only compacts */
export function startTurn(step: Transition, items: readonly Item[]): void {
  const { seq } = step.newRow();
  cancelReview(step);
  const held = step.state.review === 'cancelling';
  const id = `${step.state.sessionId}-t${seq}`;
  step.state = {
    ...step.state,
    turn: {
      id,
      running: false,
      request: 0,
      attempt: 0,
      restarts: 0,
      stepsUsed: 0,
      activity: { is: 'starting', ready: [], asking: items.map((item) => item.id), held },
      stopAfterStep: undefined,
      compaction: items.length === 0 ? 'wanted' : 'none',
      continuation: undefined,
      wrapsUp: false,
      goneOn: { verify: 0, stop: 0 },
    },
  };
  step.effects.push(
    { do: 'turnStarted', turnId: id, seq },
    held ? { do: 'holdStart', turnId: id, ms: REVIEW_GRACE } : { do: 'prepare', turnId: id, items },
  );
}

function stopExit(cause: StopCause): ExitReason {
  return cause.by === 'user' ? 'interrupted_by_user' : `interrupted_by_system(${cause.by})`;
}

/** True for the ends after which nothing that waits starts by itself. */
export function isFailure(exit: ExitReason): boolean {
  return (
    exit === 'model_error' ||
    exit === 'context_exhausted' ||
    exit === 'storage_failed' ||
    exit === 'tool_persistence_failed'
  );
}

/** Texts that wait for the stopped turn go back to the user; queue entries are held or go back too. */
export function giveBackItems(step: Transition, onQueue: 'hold' | 'return'): void {
  const { activity } = step.turn;
  const own = activity.is === 'starting' ? [...activity.ready, ...activity.asking] : [];
  for (const item of step.state.items) {
    if (isPending(item) && leads(item) && !own.includes(item.id)) returnItem(step, item, 'stopped');
  }
  giveBackQueue(step, onQueue);
}

export function giveBackQueue(step: Transition, onQueue: 'hold' | 'return'): void {
  for (const item of step.state.items) {
    if (!isPending(item) || leads(item) || isOnItsWay(step.state, item.id)) continue;
    if (onQueue === 'return') returnItem(step, item, 'stopped');
    else holdItem(step, item);
  }
}

/** A turn that never got its first text into the history gives that text back. */
export function giveBackOwnTexts(step: Transition, ids: readonly string[], why: string): void {
  for (const item of step.state.items.filter((item) => ids.includes(item.id))) returnItem(step, item, why);
}
