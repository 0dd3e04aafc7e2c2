/**
 * The way from one request to the next: draining what the user sent, asking the model, back-off, redirects.
 */

import type { ExitReason, Item } from '../../api.ts';
import { beginBatch } from './batch.ts';
import { endTurn, giveBackQueue, isFailure, stopTurn, writePartial } from './ending.ts';
import { finalize, heardOfUser } from './finalizing.ts';
import { isPending, returnItem, waitingLeads } from './items.ts';
import type { Transition } from './transition.ts';
import type { Activity, LoopEvent, Notice, Turn } from './types.ts';

/** Redirects that may restart one request; the next one ends the turn. */
export const MAX_RESTARTS = 3;
/** Times that one answer may go on after it was cut; the next cut ends the turn. */
export const MAX_CONTINUATIONS = 3;

type Of<T extends LoopEvent['type']> = Extract<LoopEvent, { type: T }>;

/**
 * The next request of the turn, after the texts that wait have gone in; or the end, when the budget is used up: behind
 * a batch with one request more, so that somebody says what was done and what is left.
 */
export function nextRequest(step: Transition, behind: 'batch' | 'text' = 'text'): void {
  if (behind === 'batch' && wrapUp(step)) return;
  if (endOverBudget(step)) return;
  if (step.turn.compaction === 'wanted') return compact(step, 'next');
  if (drainBefore(step, 'next')) return;
  const turn = step.turn;
  tellNotices(step, turn.request + 1);
  step.setTurn({
    request: turn.request + 1,
    attempt: 1,
    restarts: 0,
    stepsUsed: turn.stepsUsed + 1,
    activity: { is: 'model' },
  });
  ask(step);
}

function ask(step: Transition): void {
  const { id: turnId, request, attempt, compaction, continuation, wrapsUp: last } = step.turn;
  const continues = continuation !== undefined;
  step.effects.push({ do: 'request', turnId, request, attempt, mayCompact: compaction !== 'done', continues, last });
}

/** Texts that wait begin a turn of their own: then that answers for this one too. */
function wrapUp(step: Transition): boolean {
  const { stepsUsed, id: turnId, request } = step.turn;
  if (!step.state.wrapsUp || stepsUsed < step.state.stepBudget || waitingLeads(step.state).length > 0) return false;
  tellNotices(step, request + 1);
  step.writes.push({ write: 'nudge', ...step.newRow(), turnId, request: request + 1, why: 'step_budget' });
  step.setTurn({ request: request + 1, attempt: 1, restarts: 0, wrapsUp: true, activity: { is: 'model' } });
  ask(step);
  return true;
}

/** Before texts go in: they lead the next turn then, instead of standing in the history with nobody to read them. */
export function endOverBudget(step: Transition): boolean {
  if (step.turn.stepsUsed < step.state.stepBudget) return false;
  endTurn(step, 'step_budget', 'model', undefined);
  return true;
}

/** The same request once more, with a new attempt number: what the old attempt still sends is dropped by it. */
function requestAgain(step: Transition): void {
  step.setTurn({ attempt: step.turn.attempt + 1, activity: { is: 'model' } });
  ask(step);
}

/** True when texts wait: their prompt hooks are asked first, and the request follows from `prepared`. */
function drainBefore(step: Transition, then: 'next' | 'again' | 'cut'): boolean {
  const waiting = waitingLeads(step.state);
  if (waiting.length === 0 || step.turn.wrapsUp) return false;
  step.setActivity({ is: 'hook', ready: [], asking: waiting.map((item) => item.id), then });
  step.effects.push({ do: 'prepare', turnId: step.turn.id, items: waiting });
  return true;
}

/** Prompt hooks have answered for some texts. */
export function onPrepared(step: Transition, event: Of<'prepared'>): void {
  const { activity } = step.turn;
  if (activity.is !== 'starting' && activity.is !== 'hook') return;
  // An answer for other texts is late: those that are asked about now have hooks of their own to wait for.
  if (activity.asking.some((id) => !event.itemIds.includes(id))) return;
  if (activity.is === 'hook' && activity.asking.length === 0) return;
  for (const { id, why } of event.blocked) {
    const item = step.state.items.find((candidate) => candidate.id === id);
    if (item && activity.asking.includes(id)) returnItem(step, item, why);
  }
  const ready = [...activity.ready, ...activity.asking].filter((id) =>
    step.state.items.some((item) => item.id === id && isPending(item)),
  );
  if (activity.is === 'starting') startWith(step, ready, event.blocked.length > 0);
  else enterWith(step, activity, ready);
}

function startWith(step: Transition, ready: readonly string[], blocked: boolean): void {
  const items = byIds(step, ready);
  if (items.length === 0 && step.turn.compaction === 'wanted') {
    step.writes.push({ write: 'turn', turnId: step.turn.id, state: 'started' });
    return compact(step, 'end');
  }
  if (items.length === 0) {
    // Nothing is left to start with: a hook refused it, or the user took it back.
    return endTurn(step, blocked ? 'interrupted_by_system(hook)' : 'interrupted_by_user', 'starting', undefined);
  }
  step.writes.push({ write: 'turn', turnId: step.turn.id, state: 'started' });
  deliver(step, items, 'message', 'next');
  step.setTurn({ running: true });
  nextRequest(step);
}

function enterWith(step: Transition, activity: Extract<Activity, { is: 'hook' }>, ready: readonly string[]): void {
  if (activity.then === 'next' && endOverBudget(step)) return;
  step.setActivity({ ...activity, ready, asking: [] });
  const more = waitingLeads(step.state);
  if (more.length > 0) return askHooks(step, { ...activity, ready }, more);
  const items = byIds(step, ready);
  if (items.length > 0 && activity.then === 'cut') {
    // It is applied once its request goes out. What else is sent in this moment joins it, and a stop still takes it back.
    step.effects.push({ do: 'gather', turnId: step.turn.id });
    return;
  }
  if (items.length > 0) deliver(step, items, 'steer', activity.then);
  step.setActivity({ is: 'model' });
  if (activity.then === 'next') nextRequest(step);
  else requestAgain(step);
}

/** Nothing more comes in the moment of the redirect: it goes in, and its request goes out. */
export function onGathered(step: Transition): void {
  const { activity, restarts } = step.turn;
  if (activity.is !== 'hook' || activity.then !== 'cut' || activity.asking.length > 0) return;
  const more = waitingLeads(step.state);
  if (more.length > 0) return askHooks(step, activity, more);
  const items = byIds(step, activity.ready);
  // Whoever has taken all of them back has still cut the answer.
  if (items.length > 0) {
    writePartial(step, 'redirect');
    step.setTurn({ continuation: undefined, restarts: restarts + 1 });
    deliver(step, items, 'redirect', 'cut');
  }
  requestAgain(step);
}

/** They came while the hooks ran, or in the moment of the redirect: one row holds them all, in order. */
function askHooks(step: Transition, activity: Extract<Activity, { is: 'hook' }>, items: readonly Item[]): void {
  step.setActivity({ ...activity, asking: items.map((item) => item.id) });
  step.effects.push({ do: 'prepare', turnId: step.turn.id, items });
}

function byIds(step: Transition, ids: readonly string[]): readonly Item[] {
  return step.state.items.filter((item) => ids.includes(item.id));
}

/** Moves items from the waiting list into the history: one user row, in one transaction with their new state. */
function deliver(
  step: Transition,
  items: readonly Item[],
  kind: 'message' | 'steer' | 'redirect',
  then: 'next' | 'again' | 'cut',
): void {
  const turn = step.turn;
  const request = then === 'next' ? turn.request + 1 : turn.request;
  tellNotices(step, request);
  const row = step.newRow();
  const delivered = items.map(
    (item): Item => ({
      ...item,
      state: { is: 'delivered', turnId: turn.id, request, rowId: row.rowId, read: false },
    }),
  );
  for (const item of delivered) {
    step.dropItem(item.id);
    step.writes.push({ write: 'item', item });
  }
  step.writes.push({
    write: 'user',
    ...row,
    turnId: turn.id,
    request,
    kind,
    items: delivered,
    cut: then === 'cut',
    untoldStop: step.state.untoldStop,
  });
  step.state = { ...step.state, unread: [...step.state.unread, ...delivered], untoldStop: undefined };
  heardOfUser(step);
}

/** The end of background work waits for the next boundary or the next user text; it starts nothing by itself. */
export function onNoticed(step: Transition, notice: Notice): void {
  if (step.state.notices.some(({ id }) => id === notice.id)) return;
  step.state = { ...step.state, notices: [...step.state.notices, notice] };
}

function tellNotices(step: Transition, request: number): void {
  for (const { text } of step.state.notices) {
    step.writes.push({ write: 'notice', ...step.newRow(), turnId: step.turn.id, request, text });
  }
  step.state = { ...step.state, notices: [] };
}

function isCurrent(turn: Turn, event: { request: number; attempt: number }): boolean {
  return turn.request === event.request && turn.attempt === event.attempt;
}

/** The response head has arrived: the model has read what that request carries. */
export function onHead(step: Transition, event: Of<'head'>): void {
  if (step.turn.activity.is !== 'model' || !isCurrent(step.turn, event)) return;
  for (const item of step.state.unread) {
    if (item.state.is !== 'delivered') continue;
    step.writes.push({ write: 'item', item: { ...item, state: { ...item.state, read: true } } });
  }
  step.state = { ...step.state, unread: [] };
}

export function onAnswered(step: Transition, event: Of<'answered'> & { at: number }): void {
  const turn = step.turn;
  if (turn.activity.is !== 'model' || !isCurrent(turn, event)) return;
  if (!event.substance) return endUnanswered(step, 'no_answer', event.at);
  step.writes.push({ write: 'answer', ...step.newRow(), turnId: turn.id, request: turn.request });
  step.setTurn({ continuation: undefined });
  if (event.calls.length > 0) return beginBatch(step, event.calls, event.at);
  if (turn.wrapsUp && !turn.stopAfterStep) return endTurn(step, 'step_budget', 'model', undefined);
  // From here on the answer is whole: a stop has nothing of it to keep.
  step.setActivity({ is: 'finalizing' });
  if (turn.stopAfterStep) return stopTurn(step, turn.stopAfterStep, event.at);
  finalize(step);
}

/**
 * What was said so far goes into the history with a word to the model to go on, and the next request follows. An answer
 * that is cut again and again ends the turn; one row says its pieces from then on, so that no later request asks the
 * model to go on with them.
 */
export function onContinues(step: Transition, event: Of<'continues'> & { at: number }): void {
  const turn = step.turn;
  const { id: turnId, request } = turn;
  if (turn.activity.is !== 'model' || !isCurrent(turn, event)) return;
  if (turn.stopAfterStep) return stopTurn(step, turn.stopAfterStep, event.at);
  if (turn.wrapsUp || turn.stepsUsed >= step.state.stepBudget) {
    writePartial(step, 'stream_cut');
    return endTurn(step, 'step_budget', 'model', undefined);
  }
  const { why } = event;
  const piece = step.newRow();
  const { from, pieces } = turn.continuation ?? { from: piece.seq, pieces: 0 };
  if (pieces === MAX_CONTINUATIONS) {
    step.writes.push({ write: 'stitched', ...piece, turnId, request, from });
    return endTurn(step, 'model_error', 'model', undefined);
  }
  step.writes.push({ write: 'fragment', ...piece, turnId, request, why });
  // A model that has only thought goes on by itself at first.
  if (why !== 'incomplete' || pieces > 0) step.writes.push({ write: 'nudge', ...step.newRow(), turnId, request, why });
  step.setTurn({ continuation: { from, pieces: pieces + 1 } });
  nextRequest(step);
}

export function onFailed(step: Transition, event: Of<'failed'> & { at: number }): void {
  const turn = step.turn;
  if (turn.activity.is !== 'model' || !isCurrent(turn, event)) return;
  if (event.retry) {
    step.setActivity({ is: 'backoff', retryAfter: event.retry.retryAfter });
    step.effects.push({
      do: 'wait',
      turnId: turn.id,
      request: turn.request,
      attempt: turn.attempt,
      ms: event.retry.ms,
    });
    return;
  }
  const mayMend = turn.compaction !== 'done' && !turn.stopAfterStep;
  if (event.exit === 'context_exhausted' && mayMend) return compact(step, 'overflow');
  endUnanswered(step, event.exit, event.at);
}

/** The request is over without an answer; a stop that waited for its end comes now, so that nothing follows by itself. */
function endUnanswered(step: Transition, exit: ExitReason, at: number): void {
  const { stopAfterStep, wrapsUp } = step.turn;
  if (stopAfterStep && (wrapsUp || !isFailure(exit))) return stopTurn(step, stopAfterStep, at);
  writePartial(step, 'stream_cut');
  endTurn(step, wrapsUp ? 'step_budget' : exit, 'model', undefined);
}

export function onWaited(step: Transition, event: Of<'waited'>): void {
  const turn = step.turn;
  if (turn.activity.is !== 'backoff' || !isCurrent(turn, event)) return;
  if (!drainBefore(step, 'again')) requestAgain(step);
}

export function onCompacting(step: Transition, event: Of<'compacting'>): void {
  if (step.turn.activity.is !== 'model' || !isCurrent(step.turn, event)) return;
  compact(step, 'again');
}

function compact(step: Transition, then: Extract<Activity, { is: 'compaction' }>['then']): void {
  const { id: turnId, request } = step.turn;
  step.setTurn({ compaction: 'done', activity: { is: 'compaction', then } });
  const trigger = then === 'next' || then === 'end' ? 'manual' : 'auto';
  step.effects.push({ do: 'compact', turnId, request, trigger });
}

/** The swap is this one write: a stop that came before left the history as it was. Texts that waited go in behind it. */
export function onCompacted(step: Transition, ok: boolean): void {
  const { activity, id: turnId, request } = step.turn;
  if (activity.is !== 'compaction') return;
  if (ok) step.writes.push({ write: 'summary', ...step.newRow(), turnId, request });
  switch (activity.then) {
    case 'overflow':
      if (!ok) return endTurn(step, 'context_exhausted', 'compaction', undefined);
      if (!drainBefore(step, 'again')) requestAgain(step);
      return;
    case 'again':
      if (!drainBefore(step, 'again')) requestAgain(step);
      return;
    case 'next':
      return nextRequest(step);
    case 'end':
      return endTurn(step, ok ? 'answered' : 'model_error', 'compaction', undefined);
    default:
      activity satisfies never;
  }
}

/** Cuts the request that is under way and asks it again with the waiting texts; at the limit the turn ends. */
export function restartRequest(step: Transition): 'restarted' | 'limit' {
  const turn = step.turn;
  step.effects.push(
    { do: 'abortRequest', turnId: turn.id, request: turn.request, attempt: turn.attempt },
    { do: 'cancelWait', turnId: turn.id },
  );
  if (turn.restarts >= MAX_RESTARTS) {
    writePartial(step, 'redirect');
    if (turn.stopAfterStep) giveBackQueue(step, turn.stopAfterStep.onQueue);
    endTurn(step, 'redirect_limit', 'model', undefined);
    return 'limit';
  }
  drainBefore(step, 'cut');
  return 'restarted';
}
