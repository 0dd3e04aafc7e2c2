/**
 * What the user (or a system producer) asks for. Every verb answers with a receipt in the same step.
 */

import type { Downgrade, Item, ItemKind, ItemState, Receipt, Refusal, Verb } from '../../api.ts';
import { cancelReview, stopChildren } from './background.ts';
import { cutBatch, onAllowed } from './batch.ts';
import { giveBackItems, startNextTurn, startTurn, stopTurn } from './ending.ts';
import {
  insertionIndex,
  isOnItsWay,
  isPending,
  leads,
  queuePosition,
  wouldGrowTooLong,
  wouldOverflow,
} from './items.ts';
import { restartRequest } from './requests.ts';
import type { Transition } from './transition.ts';
import type { ControlEvent, StopCause, Turn, VerbEvent } from './types.ts';

/** Milliseconds within which a second press of Stop is a key repeat or a double click. */
export const SAME_PRESS = 300;

type Event<T extends VerbEvent['type']> = Extract<ControlEvent, { type: T }>;
type TextVerb = 'send' | 'steer' | 'redirect' | 'queue' | 'stopAndSend';

export function onText(step: Transition, event: Event<TextVerb>): void {
  const first = step.state.receipts.get(event.id);
  if (first) {
    step.receipt = first;
    return;
  }
  const verb: Verb = event.type;
  if (event.text.trim() === '' && event.attachments.length === 0) {
    return refuse(step, event, verb, 'empty', 'There is nothing to send: type a message first.');
  }
  if (wouldOverflow(step.state, event.text, event.providerText)) {
    return refuse(step, event, verb, 'full', 'Too much is waiting in this session: withdraw or send something first.');
  }
  if (event.type === 'send' && answerOpenQuestion(step, event)) return;
  if (event.type === 'stopAndSend') return stopAndSend(step, event);
  const wanted = event.type === 'send' ? event.busyInput : event.type;
  const toQueue = step.state.turn && wanted !== 'queue' ? whyToQueue(step.state.turn, event) : undefined;
  const item = makeItem(event, step.state.turn ? (toQueue ? 'queue' : wanted) : 'message');
  step.insertItem(item, insertionIndex(step.state.items, item));
  if (toQueue) return accept(step, event, verb, 'queued', { downgradedFrom: wanted, reason: toQueue });
  admit(step, event, verb, item);
}

/** Why a text that would steer or redirect becomes a queue entry; undefined when it does not. */
function whyToQueue(turn: Turn, event: Event<TextVerb | 'sendNow' | 'redirectNow'>): Downgrade | undefined {
  if (!event.seesImages) return 'no_vision';
  // What is merely sent while a turn is being stopped is no guidance for it: it takes its place in the order.
  return event.type === 'send' && turn.activity.is === 'stopping' ? 'stopping' : undefined;
}

function makeItem(event: Event<TextVerb>, kind: ItemKind): Item {
  const sentAs = event.type === 'send' || event.type === 'stopAndSend' ? 'message' : event.type;
  const { id, text, attachments, origin, seq, providerText } = event;
  const item: Item = { id, sentAs, kind, text, attachments, seq, revision: 1, origin, state: { is: 'pending' } };
  return providerText === undefined ? item : { ...item, providerText };
}

/** Lets an item that is on the waiting list take effect in what the session does now. */
function admit(step: Transition, event: ControlEvent & { id: string }, verb: Verb, item: Item): void {
  const activity = step.state.turn?.activity;
  if (!activity) {
    startTurn(step, [item]);
    return accept(step, event, verb, 'started');
  }
  if (item.kind === 'queue') return accept(step, event, verb, 'queued');
  const redirected = item.kind === 'redirect';
  // Nothing follows the last word of a turn: the text leads the next one.
  if (step.turn.wrapsUp && activity.is !== 'stopping') {
    return accept(step, event, verb, 'queued', { downgradedFrom: asVerb(item), reason: 'finalizing' });
  }
  switch (activity.is) {
    case 'stopping':
    case 'finalizing':
      return accept(step, event, verb, 'queued', { downgradedFrom: asVerb(item), reason: activity.is });
    case 'starting':
      return accept(step, event, verb, 'steering', redirected ? downgrade('starting') : {});
    case 'compaction':
      return accept(step, event, verb, 'steering', redirected ? downgrade('compacting') : {});
    case 'hook':
      if (redirected && activity.then === 'cut') return accept(step, event, verb, 'redirecting');
      return accept(step, event, verb, 'steering', redirected ? downgrade('no_request') : {});
    case 'model':
      return redirected ? redirectModel(step, event, verb) : accept(step, event, verb, 'steering');
    case 'backoff':
      // While the server's own Retry-After runs the request may not be repeated earlier: the text waits for its end.
      if (redirected && !activity.retryAfter) return redirectModel(step, event, verb);
      return accept(step, event, verb, redirected ? 'redirecting' : 'steering');
    case 'tool': {
      accept(step, event, verb, 'steering', redirected ? downgrade('tools_running') : {});
      const turnId = step.turn.id;
      if (redirected) {
        for (const call of activity.calls) {
          if (call.state.is === 'running') step.effects.push({ do: 'askYield', turnId, callId: call.id });
        }
      }
      if (activity.calls.some((call) => call.state.is === 'approval' || call.state.is === 'question')) {
        cutBatch(step, event.at);
      }
      return;
    }
    default:
      activity satisfies never;
  }
}

function redirectModel(step: Transition, event: ControlEvent & { id: string }, verb: Verb): void {
  const turnId = step.turn.id;
  const outcome = restartRequest(step);
  if (outcome === 'restarted') accept(step, event, verb, 'redirecting', {}, turnId);
  else accept(step, event, verb, 'queued', { downgradedFrom: 'redirect', reason: 'redirect_limit' }, turnId);
}

function downgrade(reason: Downgrade): { downgradedFrom: Verb; reason: Downgrade } {
  return { downgradedFrom: 'redirect', reason };
}

function asVerb(item: Item): Verb {
  return item.kind === 'message' ? 'send' : item.kind;
}

/** Composer text answers an open question that takes free text. */
function answerOpenQuestion(step: Transition, event: Event<'send'>): boolean {
  const turn = step.state.turn;
  // An answer is text only: a message with attachments is guidance, so that nothing of it is lost.
  if (turn?.activity.is !== 'tool' || event.attachments.length > 0) return false;
  const asked = turn.activity.calls.find((call) => call.state.is === 'question' && call.state.freeText);
  if (!asked) return false;
  step.effects.push({ do: 'answerQuestion', turnId: turn.id, callId: asked.id, text: event.text });
  // Answered from here on: the next text is not a second answer.
  onAllowed(step, asked.id);
  accept(step, event, 'send', 'changed');
  return true;
}

function stopAndSend(step: Transition, event: Event<'stopAndSend'>): void {
  const turnId = step.state.turn?.id;
  const item = makeItem(event, 'message');
  const cause: StopCause = { seq: event.seq, by: 'user', reason: event.reason, onQueue: event.onQueue };
  const activity = step.state.turn?.activity;
  if (!activity) {
    step.insertItem(item, insertionIndex(step.state.items, item));
    startTurn(step, [item]);
    return accept(step, event, 'stopAndSend', 'started');
  }
  if (activity.is === 'finalizing' || activity.is === 'stopping') {
    step.insertItem(item, insertionIndex(step.state.items, item));
    return accept(step, event, 'stopAndSend', 'queued', { downgradedFrom: 'stopAndSend', reason: activity.is });
  }
  // The stop gives back what waited before it; the text is newer than the stop, so it is not among them.
  stopTurn(step, cause, event.at);
  step.insertItem(item, insertionIndex(step.state.items, item));
  startNextTurn(step);
  accept(step, event, 'stopAndSend', 'stopping', {}, turnId);
}

export function onStop(step: Transition, event: Event<'stop'>): void {
  const turn = step.state.turn;
  if (!turn) {
    const { children, review } = step.state;
    stopChildren(step);
    cancelReview(step);
    const works = children.length > 0 || review === 'running';
    return accept(step, event, 'stop', works ? 'stopping' : 'nothing_running');
  }
  if (turn.activity.is === 'stopping') {
    const { activity } = turn;
    // The clock may have been put back between the two.
    if (Math.abs(event.at - activity.pressedAt) >= SAME_PRESS) {
      step.setActivity({ ...activity, pressedAt: event.at });
      // It is a stop of its own: what was sent since the first one is older than this one.
      giveBackItems(step, event.onQueue);
      stopChildren(step);
      for (const call of activity.calls) {
        if (call.state.is === 'running') step.effects.push({ do: 'killCall', turnId: turn.id, callId: call.id });
      }
    }
  } else {
    stopTurn(step, { seq: event.seq, by: event.by, reason: event.reason, onQueue: event.onQueue }, event.at);
  }
  accept(step, event, 'stop', 'stopping', {}, turn.id);
}

export function onStopAfterStep(step: Transition, event: Event<'stopAfterStep'>): void {
  const turn = step.state.turn;
  const activity = turn?.activity.is;
  if (!turn || activity === 'finalizing' || activity === 'stopping') {
    return accept(step, event, 'stopAfterStep', 'nothing_running');
  }
  const cause: StopCause = { seq: event.seq, by: 'user', reason: event.reason, onQueue: event.onQueue };
  if (activity === 'starting' || activity === 'hook' || activity === 'compaction') stopTurn(step, cause, event.at);
  else {
    step.setTurn({ stopAfterStep: turn.stopAfterStep ?? cause });
    const { activity: now } = step.turn;
    if (now.is === 'tool' && now.calls.some(({ state }) => state.is === 'approval' || state.is === 'question')) {
      cutBatch(step, event.at);
    }
  }
  accept(step, event, 'stopAfterStep', 'stopping', {}, turn.id);
}

export function onWithdraw(step: Transition, event: Event<'withdraw'>): void {
  const item = step.state.items.find((candidate) => candidate.id === event.id) ?? findItem(step, event, 'withdraw');
  if (!item) return;
  if (item.state.is === 'returned') acknowledge(step, item, item.state);
  else withdraw(step, item);
  accept(step, event, 'withdraw', 'changed');
}

function withdraw(step: Transition, item: Item): void {
  step.dropItem(item.id);
  step.writes.push({ write: 'item', item: { ...item, state: { is: 'withdrawn' } } });
}

export function onEdit(step: Transition, event: Event<'edit'>): void {
  const item = findItem(step, event, 'edit');
  if (!item) return;
  if (isOnItsWay(step.state, item.id)) {
    return refuse(
      step,
      event,
      'edit',
      'already_delivered',
      'The model is being given this message; keep your edit as a new one.',
    );
  }
  if (event.text.trim() === '' && item.attachments.length === 0) {
    return refuse(step, event, 'edit', 'empty', 'The message would be empty: remove it instead.');
  }
  if (event.revision !== item.revision) {
    return refuse(
      step,
      event,
      'edit',
      'stale_revision',
      'This message was changed elsewhere meanwhile: look at it again.',
    );
  }
  if (wouldGrowTooLong(step.state, item, event.text)) {
    return refuse(step, event, 'edit', 'full', 'Too much text is waiting in this session: make it shorter.');
  }
  const { providerText: _of, ...rest } = item;
  const { text, providerText } = event;
  step.putItem({ ...rest, text, revision: item.revision + 1, ...(providerText === undefined ? {} : { providerText }) });
  accept(step, event, 'edit', 'changed');
}

/** Within its group only: a queue entry never goes before texts that lead, nor the other way round. */
export function onMove(step: Transition, event: Event<'move'>): void {
  const item = findItem(step, event, 'move');
  if (!item) return;
  const others = step.state.items.filter((other) => other.id !== item.id);
  const before = event.before === undefined ? -1 : others.findIndex((other) => other.id === event.before);
  if (event.before !== undefined && before === -1) {
    return refuse(step, event, 'move', 'unknown_item', 'The message to move it before is not waiting any more.');
  }
  const lastOfGroup = others.findLastIndex((other) => leads(other) === leads(item));
  const start = leads(item) ? 0 : others.filter(leads).length;
  const end = Math.max(lastOfGroup + 1, start);
  const index = before === -1 ? end : Math.min(Math.max(before, start), end);
  step.dropItem(item.id);
  step.insertItem({ ...item, revision: item.revision + 1 }, index);
  keepOrder(step);
  accept(step, event, 'move', 'changed');
}

/** *Send now* makes a waiting or held entry a steer; *Redirect now* makes it a redirect. */
export function onNow(step: Transition, event: Event<'sendNow' | 'redirectNow'>): void {
  const verb: Verb = event.type === 'sendNow' ? 'sendNow' : 'redirect';
  const item = findItem(step, event, verb);
  if (!item) return;
  if (isOnItsWay(step.state, item.id)) return accept(step, event, verb, 'steering');
  const wanted: ItemKind = event.type === 'redirectNow' ? 'redirect' : item.kind === 'queue' ? 'steer' : item.kind;
  const toQueue = step.state.turn && whyToQueue(step.state.turn, event);
  const kind = toQueue ? 'queue' : wanted;
  const now: Item = { ...item, kind, state: { is: 'pending' }, revision: item.revision + 1 };
  if (leads(item) === leads(now)) step.putItem(now);
  else {
    step.dropItem(item.id);
    step.insertItem(now, step.state.items.filter(leads).length);
    keepOrder(step);
  }
  if (toQueue) return accept(step, event, verb, 'queued', { downgradedFrom: verb, reason: toQueue });
  admit(step, event, verb, now);
}

/** Sequence numbers no longer tell the order: it is stored. */
function keepOrder(step: Transition): void {
  step.writes.push({ write: 'order', ids: step.state.items.map(({ id }) => id) });
}

export function onResumeQueue(step: Transition, event: Event<'resumeQueue'>): void {
  for (const item of step.state.items.filter((candidate) => candidate.state.is === 'held')) {
    step.putItem({ ...item, state: { is: 'pending' } });
  }
  const idle = !step.state.turn;
  startNextTurn(step);
  accept(step, event, 'resumeQueue', idle && step.state.turn ? 'started' : 'changed');
}

export function onClearQueue(step: Transition, event: Event<'clearQueue'>): void {
  for (const item of step.state.items) {
    if (isOnItsWay(step.state, item.id)) continue;
    if (item.state.is === 'held' || (item.kind === 'queue' && isPending(item))) withdraw(step, item);
  }
  accept(step, event, 'clearQueue', 'changed');
}

/** A view has taken a returned text into its composer. */
export function onAcknowledge(step: Transition, event: Event<'acknowledge'>): void {
  const item = step.state.items.find((candidate) => candidate.id === event.id);
  if (item?.state.is === 'returned') acknowledge(step, item, item.state);
}

/** A turn that is about to end does not compact; the user can ask again. */
export function onCompact(step: Transition): void {
  const { turn } = step.state;
  if (!turn) return startTurn(step, []);
  if (turn.compaction === 'none') step.setTurn({ compaction: 'wanted' });
}

function acknowledge(step: Transition, item: Item, state: Extract<ItemState, { is: 'returned' }>): void {
  step.dropItem(item.id);
  step.writes.push({ write: 'item', item: { ...item, state: { ...state, acknowledged: true } } });
}

/** An item that still waits, pending or held. One that was returned is the user's again and never waits a second time. */
function findItem(step: Transition, event: ControlEvent & { id: string }, verb: Verb): Item | undefined {
  const item = step.state.items.find((candidate) => candidate.id === event.id);
  if (item?.state.is === 'returned') {
    refuse(step, event, verb, 'unknown_item', 'This message was given back to you: send it anew from the composer.');
    return undefined;
  }
  if (item) return item;
  if (step.state.receipts.get(event.id)) {
    refuse(step, event, verb, 'already_delivered', 'The model already has this message, or it was withdrawn.');
  } else {
    refuse(step, event, verb, 'unknown_item', 'There is no such waiting message in this session.');
  }
  return undefined;
}

type Accepted = Exclude<Receipt, { outcome: 'refused' }>['outcome'];

function accept(
  step: Transition,
  event: ControlEvent & { id: string },
  verb: Verb,
  outcome: Accepted,
  how: { downgradedFrom?: Verb; reason?: Downgrade } = {},
  turnId = step.state.turn?.id,
): void {
  const position = outcome === 'queued' ? queuePosition(step.state, event.id) : 0;
  step.receipt = {
    id: event.id,
    verb,
    seq: event.seq,
    outcome,
    ...(turnId === undefined ? {} : { turnId }),
    ...(position > 0 ? { position } : {}),
    ...how,
  };
  if ('text' in event && event.type !== 'edit') {
    step.state = { ...step.state, receipts: step.state.receipts.with(step.receipt) };
    step.writes.push({ write: 'receipt', receipt: step.receipt });
  }
}

function refuse(
  step: Transition,
  event: ControlEvent & { id: string },
  verb: Verb,
  reason: Refusal,
  message: string,
): void {
  step.receipt = { id: event.id, verb, seq: event.seq, outcome: 'refused', reason, message };
}
