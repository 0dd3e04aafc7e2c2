/** The end of a turn whose rows cannot be stored any more. */

import { stopChildren } from './background.ts';
import { closeCall, closeUnstarted, endTurn, giveBackOwnTexts, phaseOf, storeResults, writePartial } from './ending.ts';
import type { Transition } from './transition.ts';
import type { Call, LoopEvent } from './types.ts';

/** The disk refused: everything ends, nothing more is asked or run; what waited is held. */
export function onStorageFailed(step: Transition, event: Extract<LoopEvent, { type: 'storageFailed' }>): void {
  const { id: turnId, activity, request, attempt } = step.turn;
  step.effects.push(
    { do: 'abortRequest', turnId, request, attempt },
    { do: 'cancelWait', turnId },
    { do: 'cancelPrepare', turnId },
    { do: 'cancelCompaction', turnId },
    { do: 'cancelFinalize', turnId },
  );
  stopChildren(step);
  switch (activity.is) {
    case 'tool':
    case 'stopping':
      giveUpCalls(step, activity.calls);
      break;
    case 'starting':
      giveBackOwnTexts(step, [...activity.ready, ...activity.asking], 'storage_failed');
      break;
    case 'model':
    case 'backoff':
      writePartial(step, 'stream_cut');
      break;
    case 'hook':
      if (activity.then !== 'next') writePartial(step, 'stream_cut');
      break;
    case 'compaction':
    case 'finalizing':
      break;
    default:
      activity satisfies never;
  }
  const cause = activity.is === 'stopping' ? activity.cause : undefined;
  endTurn(step, event.callsUnstored ? 'tool_persistence_failed' : 'storage_failed', phaseOf(activity), cause);
}

/** Nobody waits for a call any more, and each still gets its one result: the history stays legal if this is stored. */
function giveUpCalls(step: Transition, calls: readonly Call[]): void {
  const turnId = step.turn.id;
  const closed = calls.map((call): Call => {
    if (call.state.is !== 'running') return closeUnstarted(step, call);
    step.effects.push({ do: 'abortCall', turnId, callId: call.id });
    return closeCall(step, call, 'abandoned');
  });
  step.setCalls(closed);
  storeResults(step);
}
