/** An answer that was cut and can go on: what is kept of it, and what a person reads when it never comes to its end. */

import type { Continuation, TurnError } from '../../../api.ts';
import type { SignedThinking } from '../../model/types.ts';
import type { AttemptOf, RequestContext } from './context.ts';

/**
 * Tells the machine that the visible text goes on in another request. No call of the answer is kept.
 *
 * @param thinking what the provider wants back with the piece
 */
export function continues(
  context: RequestContext,
  of: AttemptOf,
  why: Continuation,
  thinking: readonly SignedThinking[] = [],
): void {
  const { turn } = context;
  turn.answer = { text: turn.text, thinking, calls: [] };
  // It counts only when the answer has gone on as often as it may, or the turn has no request left.
  turn.error = neverEnded(why, turn.wholeText.trim() !== '');
  context.tell({ type: 'continues', ...of, why });
}

const CAUSE: Readonly<Record<Continuation, string>> = {
  length: 'reached the output limit of the model',
  network: 'was cut off by the connection',
  dropped_call: 'broke off while a tool call was being written',
  incomplete: 'ended before the model had said anything final',
};

const ADVICE: Readonly<Record<Continuation, string>> = {
  length: 'Ask for the rest in smaller parts, or raise maxOutput of the model in midcourse.providers.',
  network: 'Check the connection, then ask it to go on.',
  dropped_call: 'Ask it to work in smaller steps, or choose another model.',
  incomplete: 'Ask it to go on, or choose another model.',
};

function neverEnded(why: Continuation, seen: boolean): TurnError {
  return {
    kind: why === 'network' ? 'stream_cut' : why,
    message: `The answer ${CAUSE[why]} each time it went on, and ends here. ${seen ? 'What you saw is kept, and no' : 'No'} unfinished call was run. ${ADVICE[why]}`,
    action: 'midcourse.continueTurn',
  };
}
