/**
 * The tool calls of one answer, from the first that begins to the boundary after the last.
 */

import { closeCall, closeUnstarted, finishStopIfQuiet, stopTurn, storeResults } from './ending.ts';
import { waitingLeads } from './items.ts';
import { nextRequest } from './requests.ts';
import type { Transition } from './transition.ts';
import type { Call, CallState, LoopEvent } from './types.ts';

export function beginBatch(
  step: Transition,
  calls: readonly { readonly id: string; readonly segment: number }[],
  at: number,
): void {
  const { stopAfterStep } = step.turn;
  step.setActivity({
    is: 'tool',
    calls: calls.map(({ id, segment }) => ({ id, segment, state: { is: 'waiting' }, stored: false, hooks: false })),
  });
  if (stopAfterStep) stopTurn(step, stopAfterStep, at);
  else advance(step, at);
}

/** Stores what is known, begins what may begin, and crosses the boundary when nothing is left. */
function advance(step: Transition, at: number): void {
  storeResults(step);
  const { activity, stopAfterStep, id: turnId } = step.turn;
  if (activity.is !== 'tool') return;
  const open = activity.calls.filter((call) => call.state.is !== 'done');
  if (open.length === 0) {
    if (stopAfterStep) stopTurn(step, stopAfterStep, at);
    else nextRequest(step, 'batch');
    return;
  }
  if (open.some((call) => call.state.is !== 'waiting')) return;
  const segment = Math.min(...open.map((call) => call.segment));
  const begun = open.filter((call) => call.segment === segment);
  step.setCalls(activity.calls.map((call) => (begun.includes(call) ? { ...call, state: { is: 'beginning' } } : call)));
  for (const call of begun) step.effects.push({ do: 'begin', turnId, callId: call.id });
}

/**
 * New guidance at an open card: all cards of the turn close, calls that have not started get a not-run result, running
 * ones finish; then the boundary comes.
 */
export function cutBatch(step: Transition, at: number): void {
  const { activity } = step.turn;
  if (activity.is !== 'tool') return;
  const calls = activity.calls.map((call) => closeUnstarted(step, call));
  step.setActivity({ ...activity, calls });
  advance(step, at);
}

/** Only said of a call that has not ended; what it waits for changes nothing but the phase. */
export function onHooks(step: Transition, { callId, wait }: Extract<LoopEvent, { type: 'hooks' }>): void {
  const { activity } = step.turn;
  if (activity.is !== 'tool') return;
  const isMeant = (call: Call) => call.id === callId && call.state.is !== 'done' && call.hooks !== wait;
  if (!activity.calls.some(isMeant)) return;
  step.setCalls(activity.calls.map((call) => (isMeant(call) ? { ...call, hooks: wait } : call)));
}

/** Its permission is known: nothing was to be asked. */
export function onCleared(step: Transition, callId: string): void {
  runCall(step, callId, ['beginning']);
}

/** A card is about to open. It is a boundary: what the user already sent, or a stop after this step, closes it at once. */
export function onCard(
  step: Transition,
  event: Extract<LoopEvent, { type: 'approval' | 'question' }> & { at: number },
): void {
  const card: CallState = event.type === 'approval' ? { is: 'approval' } : { is: 'question', freeText: event.freeText };
  if (!changeCall(step, event.callId, ['beginning'], card)) return;
  if (step.turn.stopAfterStep || waitingLeads(step.state).length > 0) cutBatch(step, event.at);
}

/** The user allowed the call, or answered its question. */
export function onAllowed(step: Transition, callId: string): void {
  runCall(step, callId, ['approval', 'question']);
}

function runCall(step: Transition, callId: string, from: readonly CallState['is'][]): void {
  if (!changeCall(step, callId, from, { is: 'running' })) return;
  const turnId = step.turn.id;
  step.writes.push({ write: 'callStarted', turnId, callId });
  step.effects.push({ do: 'run', turnId, callId });
}

/** The first result of a call counts; a later one belongs to a call that is over. */
export function onResult(step: Transition, event: Extract<LoopEvent, { type: 'result' }> & { at: number }): void {
  const open = ['beginning', 'approval', 'question', 'running'] as const;
  const { activity } = step.turn;
  if (activity.is === 'stopping') {
    if (!activity.calls.some((call) => isOpen(call, event.callId, open))) return;
    step.setCalls(activity.calls.map((call) => (isOpen(call, event.callId, open) ? done(call, event) : call)));
    return finishStopIfQuiet(step);
  }
  if (!changeCall(step, event.callId, open, { is: 'done', status: event.status })) return;
  advance(step, event.at);
}

/** Tools that ignored their abort are given up; their late results are dropped. */
export function onAbandon(step: Transition): void {
  const { activity } = step.turn;
  if (activity.is !== 'stopping') return;
  step.setCalls(
    activity.calls.map((call) => (call.state.is === 'running' ? closeCall(step, call, 'abandoned') : call)),
  );
  finishStopIfQuiet(step);
}

function done(call: Call, event: Extract<LoopEvent, { type: 'result' }>): Call {
  return { ...call, state: { is: 'done', status: event.status } };
}

function isOpen(call: Call, callId: string, from: readonly CallState['is'][]): boolean {
  return call.id === callId && from.includes(call.state.is);
}

/** Only while the batch runs: a stopping turn starts nothing. */
function changeCall(step: Transition, callId: string, from: readonly CallState['is'][], to: CallState): boolean {
  const { activity } = step.turn;
  if (activity.is !== 'tool' || !activity.calls.some((call) => isOpen(call, callId, from))) return false;
  step.setCalls(activity.calls.map((call) => (isOpen(call, callId, from) ? { ...call, state: to } : call)));
  return true;
}
