import { SAME_PRESS } from '../../src/agent/control/index.ts';
import type { World } from './world.ts';

/**
 * Two worlds with the same identity have the same future: sequence numbers, row ids, turn ids and times are left out
 * as far as only their order counts, and that is kept.
 */
export function identity({ control, outside, ledger, at }: World): string {
  const { turn, items } = control;
  const call = (id: string) => id.slice(id.indexOf('.') + 1);
  const bySeq = items.toSorted((a, b) => a.seq - b.seq).map(({ id }) => id);
  const parts: unknown[] = [
    items.map(({ id, kind, state, revision }) => [
      id,
      kind,
      state.is,
      bySeq.indexOf(id),
      Math.min(revision, 2),
      ledger.moved.has(id),
    ]),
    control.unread.map(({ id }) => id),
    control.receipts.all().map(({ id }) => id),
    [control.review, outside.started, outside.children.map(({ stopped }) => stopped), outside.lateChild !== undefined],
    [control.untoldStop !== undefined, ledger.quiet, ledger.tail, ledger.openCalls.map(call)],
  ];
  if (turn) {
    const { activity, running, restarts, stepsUsed, stopAfterStep, compaction, continuation, wrapsUp, goneOn } = turn;
    parts.push(outside.children.map(({ startedBy }) => startedBy === turn.id));
    parts.push([
      running,
      compaction,
      outside.lateChild === turn.id,
      restarts,
      stepsUsed,
      continuation?.pieces,
      wrapsUp,
      goneOn.verify,
      goneOn.stop,
      stopAfterStep?.onQueue,
      ledger.turn?.stopped,
      activity.is,
    ]);
    switch (activity.is) {
      case 'starting':
        parts.push(activity.ready, activity.asking, activity.held);
        break;
      case 'hook':
        parts.push(activity.ready, activity.asking, activity.then);
        break;
      case 'model':
        parts.push(outside.request?.head);
        break;
      case 'backoff':
        parts.push(activity.retryAfter);
        break;
      case 'tool':
      case 'stopping':
        parts.push(
          activity.calls.map(({ id, segment, state, stored }) => [call(id), segment, Object.values(state), stored]),
        );
        if (activity.is === 'stopping') parts.push(Math.min(at - activity.pressedAt, SAME_PRESS));
        break;
      case 'compaction':
        parts.push(activity.then);
        break;
      case 'finalizing':
        break;
      default:
        activity satisfies never;
    }
  }
  return JSON.stringify(parts);
}
