/**
 * The invariants of the control machine that join its state with the world around it. Those that one write or one
 * effect can break are checked where it is recorded (`ledger.ts`, `environment.ts`).
 */

import {
  type ControlEvent,
  type ControlState,
  isPending,
  leads,
  SAME_PRESS,
  type StepResult,
} from '../../src/agent/control/index.ts';
import type { Item } from '../../src/api.ts';
import type { Outside } from './environment.ts';
import type { Ledger } from './ledger.ts';
import { hold } from './violation.ts';

export interface Moment {
  readonly control: ControlState;
  readonly outside: Outside;
  readonly ledger: Ledger;
}

/** Checks one step: `after` is the world once the writes are stored and the effects carried out. */
export function check(before: Moment, event: ControlEvent, result: StepResult, after: Moment): void {
  itemsAreInOnePlace(after);
  deliveredInOrder(before, result);
  textsThatLeadStartFirst(result);
  stoppedMeansGivenBack(before, event, after);
  stopEnds(before, event, after);
  stopAfterStepCommits(before, event, result);
  stopReachesChildren(event, after);
  somethingAnswers(after);
}

/** 1: what is stored as waiting is on the list, once, and as stored; nothing else is. */
function itemsAreInOnePlace({ control, ledger }: Moment): void {
  const listed = new Set<string>();
  for (const item of control.items) {
    hold(!listed.has(item.id), '1 items', `${item.id} is listed twice`);
    listed.add(item.id);
    hold(ledger.items.get(item.id) === item, '1 items', () => `${item.id} is listed otherwise than it is stored`);
  }
  for (const item of ledger.items.values()) {
    const { state } = item;
    const waits = state.is === 'pending' || state.is === 'held' || (state.is === 'returned' && !state.acknowledged);
    hold(waits === listed.has(item.id), '1 items', () => `${item.id} is ${state.is}, listed: ${listed.has(item.id)}`);
  }
  const firstQueued = control.items.findIndex((item) => !leads(item));
  const lastLeading = control.items.findLastIndex(leads);
  hold(firstQueued === -1 || lastLeading < firstQueued, '2 order', 'a queue entry stands before a text that leads');
  hold(control.turn || !control.items.some(isPending), '7 progress', 'a text waits although nothing runs');
}

/** 2: no text overtakes an older one of its kind, nor a queue entry a text that leads, unless the user moved it. */
function deliveredInOrder({ control, ledger }: Moment, { writes, state }: StepResult): void {
  const rows = writes.filter((write) => write.write === 'user');
  if (rows.length === 0) return;
  const delivered = rows.flatMap((row) => row.items);
  delivered.forEach((item, index) => {
    const later = delivered.slice(index + 1);
    for (const other of [...later, ...state.items.filter(isPending)]) {
      if (!isWaiting(control, other.id) || ledger.moved.has(item.id) || ledger.moved.has(other.id)) continue;
      hold(other.kind !== item.kind || other.seq > item.seq, '2 order', `${item.id} overtakes ${other.id}`);
    }
  });
}

/** 2: a turn is not started with a queue entry while texts wait that lead. */
function textsThatLeadStartFirst({ state, effects }: StepResult): void {
  const prepare = effects.findLast((effect) => effect.do === 'prepare');
  if (!prepare || !effects.some((effect) => effect.do === 'turnStarted' && effect.turnId === prepare.turnId)) return;
  if (prepare.items.every(leads)) return;
  hold(
    !state.items.some((item) => isPending(item) && leads(item)),
    '2 order',
    'a queue entry starts before a text that leads',
  );
}

function isWaiting(control: ControlState, id: string): boolean {
  return control.items.some((item: Item) => item.id === id && isPending(item));
}

/** 4: after a stop nothing that was there before waits any more; only what the user sends afterwards starts a turn. */
function stoppedMeansGivenBack(before: Moment, event: ControlEvent, { control, ledger }: Moment): void {
  if (event.type === 'stop') {
    if (isSamePress(before.control, event.at)) return;
    hold(!control.items.some(isPending), '4 after a stop', 'a text still waits after the stop');
  }
  const turn = before.ledger.turn;
  const committed = turn && !turn.stopped && ledger.turn?.id === turn.id && ledger.turn.stopped;
  if (!committed) return;
  const older = control.items.filter(
    (item) => isPending(item) && !(event.type === 'stopAndSend' && item.id === event.id),
  );
  hold(older.length === 0, '4 after a stop', 'a text still waits after the stop');
}

/**
 * 7: a stop waits for nothing but calls that run, and for those no longer than the abandon timer, which is then always
 * under way (`callsAreUnderWay`).
 */
function stopEnds({ control: { turn } }: Moment, event: ControlEvent, { control }: Moment): void {
  if (turn?.id === undefined || control.turn?.id !== turn.id) return;
  hold(event.type !== 'stop' || control.turn.activity.is === 'stopping', '7 stop', 'the turn goes on after a stop');
  hold(event.type !== 'abandon' || turn.activity.is !== 'stopping', '7 stop', 'the turn outlives its last bound');
}

/** 7: no agent is left at work by a stop, nor one that attaches to a turn that is over. */
function stopReachesChildren(event: ControlEvent, { control, outside }: Moment): void {
  const { turn } = control;
  const stopped = event.type === 'stop' ? !isSamePress(control, event.at) || !turn : turn?.activity.is === 'stopping';
  for (const child of outside.children) {
    const late = event.type === 'childStarted' && event.childId === child.id && turn?.id !== child.startedBy;
    hold(!(stopped || late) || child.stopped, '7 stop', `${child.id} works on after a stop`);
    hold(
      control.children.some(({ id }) => id === child.id),
      '9 turns',
      `${child.id} works, and the session does not know`,
    );
  }
}

/** 4: a stop after this step lets this request be answered and this batch finish, and nothing more. */
function stopAfterStepCommits(
  { control: { turn } }: Moment,
  event: ControlEvent,
  { effects, state }: StepResult,
): void {
  if (!turn?.stopAfterStep || turn.activity.is === 'stopping') return;
  for (const effect of effects) {
    if (effect.do === 'turnEnded') {
      const byUser = 'text' in event || event.type === 'redirectNow';
      // At the limit of redirects the user's own text goes on; the queue does not.
      const goesOn = state.items.filter((item) => isPending(item) && !(byUser && leads(item)));
      hold(goesOn.length === 0, '4 after a stop', 'what waited runs on although the turn was to stop after this step');
      return;
    }
    const next = effect.do === 'request' && effect.request !== turn.request;
    const begins = effect.do === 'begin' && event.type === 'answered';
    hold(
      !next && !begins && effect.do !== 'finalize',
      '4 after a stop',
      () => `${effect.do} although the turn was to stop after this step`,
    );
  }
}

export function isSamePress({ turn }: ControlState, at: number): boolean {
  return turn?.activity.is === 'stopping' && at - turn.activity.pressedAt < SAME_PRESS;
}

/** 7: whatever the machine waits for is under way outside; whatever is under way is waited for. */
function somethingAnswers({ control, outside }: Moment): void {
  const { turn } = control;
  const activity = turn?.activity;
  const of = (what: { readonly turnId: string } | undefined) => what !== undefined && what.turnId === turn?.id;
  const awaits = (expected: boolean, there: boolean, what: string) =>
    hold(expected === there, '7 progress', () =>
      expected ? `${activity?.is} waits for ${what}, which will never come` : `nobody waits for ${what}`,
    );
  const held = activity?.is === 'starting' && activity.held;
  const gathers = activity?.is === 'hook' && activity.asking.length === 0;
  const asks = (activity?.is === 'starting' && !held) || (activity?.is === 'hook' && !gathers);
  awaits(held, outside.hold !== undefined && outside.hold === turn?.id, 'the review');
  awaits(asks, of(outside.prepare), 'prompt hooks');
  awaits(gathers, outside.gather !== undefined && outside.gather === turn?.id, 'the end of the tick');
  if (asks) {
    hold(
      (activity.asking.length > 0 || (activity.is === 'starting' && turn?.compaction === 'wanted')) &&
        activity.asking.every((id) => outside.prepare?.itemIds.includes(id)),
      '7 progress',
      'prompt hooks are asked about other texts than the machine waits for',
    );
  }
  awaits(activity?.is === 'model', of(outside.request), 'a request');
  if (activity?.is === 'model') {
    hold(
      outside.request?.request === turn?.request && outside.request?.attempt === turn?.attempt,
      '7 progress',
      'the request under way is another attempt than the machine waits for',
    );
  }
  awaits(activity?.is === 'backoff', of(outside.wait), 'a wait');
  awaits(
    activity?.is === 'compaction',
    outside.compaction !== undefined && outside.compaction === turn?.id,
    'a compaction',
  );
  awaits(control.review !== 'none', outside.review !== undefined, 'the review');
  awaits(activity?.is === 'finalizing', of(outside.finalize), 'end work');
  callsAreUnderWay({ control, outside });
}

function callsAreUnderWay({ control, outside }: Pick<Moment, 'control' | 'outside'>): void {
  const activity = control.turn?.activity;
  const calls = activity?.is === 'tool' || activity?.is === 'stopping' ? activity.calls : [];
  const open = calls.filter((call) => call.state.is !== 'done' && call.state.is !== 'waiting');
  hold(
    activity?.is !== 'tool' || open.length > 0,
    '7 progress',
    'the batch waits although none of its calls is under way',
  );
  hold(
    activity?.is !== 'stopping' || (open.length > 0 && outside.abandon === control.turn?.id),
    '7 progress',
    'the stop waits for nothing, or without a bound',
  );
  for (const call of open) {
    const there = outside.calls.find(({ callId }) => callId === call.id);
    const expected = call.state.is === 'beginning' ? 'begun' : call.state.is;
    hold(there?.is === expected, '7 progress', () => `${call.id} is ${call.state.is}, outside it is ${there?.is}`);
    hold(activity?.is !== 'stopping' || there.aborted, '7 stop', `${call.id} was not told to stop`);
  }
  for (const { callId, is } of outside.calls) {
    hold(
      open.some(({ id }) => id === callId),
      '9 turns',
      `${callId} is ${is} although nobody waits for it`,
    );
  }
}
