import type { Item, Receipt } from '../../api.ts';
import { onChildEnded, onChildStarted, onReviewEnded, onStartAnyway } from './background.ts';
import { onAbandon, onAllowed, onCard, onCleared, onHooks, onResult } from './batch.ts';
import { onFinalized } from './finalizing.ts';
import { holdItem, isPending, leadsFirst } from './items.ts';
import { Receipts } from './receipts.ts';
import {
  onAnswered,
  onCompacted,
  onCompacting,
  onContinues,
  onFailed,
  onGathered,
  onHead,
  onNoticed,
  onPrepared,
  onWaited,
} from './requests.ts';
import { onStorageFailed } from './storage-failed.ts';
import { Transition } from './transition.ts';
import type { ControlEvent, ControlState, StepResult, UntoldStop } from './types.ts';
import {
  onAcknowledge,
  onClearQueue,
  onCompact,
  onEdit,
  onMove,
  onNow,
  onResumeQueue,
  onStop,
  onStopAfterStep,
  onText,
  onWithdraw,
} from './verbs.ts';

/**
 * The control machine of one session: every rule about the order of stop, steer, redirect and queue is here.
 *
 * Pure: no clock, no promise, no I/O, and the given state is never changed. The caller stores `writes` in one
 * transaction, then takes over `state`, then carries out `effects` in order; if the transaction fails it keeps the old
 * state. An event of a turn, request, attempt or call that is over changes nothing.
 */
export function step(state: ControlState, event: ControlEvent): StepResult {
  const transition = new Transition(state, event.seq);
  if (isOver(state, event)) return { state, writes: [], effects: [], receipt: undefined };
  apply(transition, event);
  return transition.done();
}

/** What belongs to a turn counts only while that turn is the session's. */
function isOver(state: ControlState, event: ControlEvent): boolean {
  return 'turnId' in event && event.turnId !== state.turn?.id;
}

function apply(transition: Transition, event: ControlEvent): void {
  switch (event.type) {
    case 'send':
    case 'steer':
    case 'redirect':
    case 'queue':
    case 'stopAndSend':
      return onText(transition, event);
    case 'stop':
      return onStop(transition, event);
    case 'stopAfterStep':
      return onStopAfterStep(transition, event);
    case 'withdraw':
      return onWithdraw(transition, event);
    case 'edit':
      return onEdit(transition, event);
    case 'move':
      return onMove(transition, event);
    case 'sendNow':
    case 'redirectNow':
      return onNow(transition, event);
    case 'resumeQueue':
      return onResumeQueue(transition, event);
    case 'clearQueue':
      return onClearQueue(transition, event);
    case 'acknowledge':
      return onAcknowledge(transition, event);
    case 'compact':
      return onCompact(transition);
    case 'prepared':
      return onPrepared(transition, event);
    case 'gathered':
      return onGathered(transition);
    case 'head':
      return onHead(transition, event);
    case 'answered':
      return onAnswered(transition, event);
    case 'continues':
      return onContinues(transition, event);
    case 'failed':
      return onFailed(transition, event);
    case 'waited':
      return onWaited(transition, event);
    case 'compacting':
      return onCompacting(transition, event);
    case 'compacted':
      return onCompacted(transition, event.ok);
    case 'cleared':
      return onCleared(transition, event.callId);
    case 'approval':
    case 'question':
      return onCard(transition, event);
    case 'allowed':
      return onAllowed(transition, event.callId);
    case 'result':
      return onResult(transition, event);
    case 'hooks':
      return onHooks(transition, event);
    case 'finalized':
      return onFinalized(transition, event);
    case 'abandon':
      return onAbandon(transition);
    case 'storageFailed':
      return onStorageFailed(transition, event);
    case 'configured': {
      const { stepBudget, reviews, wrapsUp } = event;
      transition.state = { ...transition.state, stepBudget, reviews, wrapsUp };
      return;
    }
    case 'childStarted':
      return onChildStarted(transition, event);
    case 'childEnded':
      return onChildEnded(transition, event.childId);
    case 'reviewEnded':
      return onReviewEnded(transition);
    case 'startAnyway':
      return onStartAnyway(transition);
    case 'noticed':
      return onNoticed(transition, event.notice);
    default:
      event satisfies never;
  }
}

/**
 * The machine of a session that was loaded from the store. Nothing runs: what waited when the editor went away is held,
 * and that is one of the returned writes.
 */
export function restore(stored: {
  readonly sessionId: string;
  readonly lastSeq: number;
  readonly stepBudget: number;
  readonly reviews?: boolean;
  readonly wrapsUp?: boolean;
  /** All items ever accepted, undelivered ones in delivery order. */
  readonly items: readonly Item[];
  /** What was answered for texts; an item without one gets a receipt made of what is stored of it. */
  readonly receipts?: readonly Receipt[];
  readonly untoldStop: UntoldStop | undefined;
}): StepResult {
  const receipts = new Receipts(
    new Map([
      ...stored.items.map((item) => [item.id, receiptOf(item)] as const),
      ...(stored.receipts ?? []).map((receipt) => [receipt.id, receipt] as const),
    ]),
  );
  const undelivered = leadsFirst(
    stored.items.filter(
      ({ state }) => state.is === 'pending' || state.is === 'held' || (state.is === 'returned' && !state.acknowledged),
    ),
  );
  const transition = new Transition(
    {
      sessionId: stored.sessionId,
      seq: stored.lastSeq,
      items: undelivered,
      unread: [],
      receipts,
      stepBudget: stored.stepBudget,
      turn: undefined,
      untoldStop: stored.untoldStop,
      notices: [],
      children: [],
      reviews: stored.reviews ?? false,
      wrapsUp: stored.wrapsUp ?? false,
      review: 'none',
    },
    stored.lastSeq,
  );
  for (const item of undelivered.filter(isPending)) holdItem(transition, item);
  return transition.done();
}

function receiptOf(item: Item): Receipt {
  const verb = item.sentAs === 'message' ? 'send' : item.sentAs;
  return { id: item.id, verb, seq: item.seq, outcome: 'queued' };
}
