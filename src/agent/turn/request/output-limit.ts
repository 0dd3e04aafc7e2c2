/** What comes of an answer that reached the output limit: gone on with, asked for in parts, or the end. */

import { thinksAlways } from '../../model/index.ts';
import type { Effort, ModelPart } from '../../model/types.ts';
import type { RequestChange } from '../live-turn.ts';
import type { ResolvedModel } from '../types.ts';
import type { AttemptOf, RequestContext } from './context.ts';
import { continues } from './continuation.ts';
import { repeatsItself } from './repetition.ts';

/** Tokens of the window; with less room than that no answer can go on. */
const LEAST_ROOM = 512;

type End = Extract<ModelPart, { type: 'end' }>;

/** Nothing of a call in such an answer runs. */
export function cutAtLimit(context: RequestContext, of: AttemptOf, end: End): void {
  const { turn } = context;
  if (isWindowFull(context, end)) return giveUp(context, of, WINDOW_FULL);
  if (turn.callsBegun.size > 0) return askForParts(context, of, end);
  if (turn.text.trim() === '') {
    // All of it went into thinking: once more without, or with as little as the model can, for this request only.
    if (turn.asksWith.effort !== undefined) return giveUp(context, of, LIMIT);
    return askAgain(context, of, { ...turn.asksWith, effort: leastEffort(turn.model) });
  }
  if (repeatsItself(turn.text)) return giveUp(context, of, REPEATS);
  continues(context, of, 'length', end.thinking);
}

/** Where a model only thinks less between its tools, switching that in the middle of a conversation is refused. */
function leastEffort(model: ResolvedModel | undefined): Effort {
  const efforts = model?.efforts ?? [];
  const keeps = model !== undefined && thinksAlways(model.model);
  return efforts.find((effort) => !keeps || effort !== 'none') ?? (keeps ? 'low' : 'none');
}

/**
 * A call that did not fit would not fit the same request again: the model is told how much it may write and asked for the
 * work in parts, once for a call.
 */
function askForParts(context: RequestContext, of: AttemptOf, end: End): void {
  const { turn } = context;
  if (turn.cutCall !== undefined) return giveUp(context, of, CALL_TOO_LONG);
  turn.cutCall = { limit: turn.asksWith.maxOutput ?? turn.model?.maxOutput ?? end.usage?.output };
  // Thoughts about a call that is gone stand for nothing, and no API takes them alone.
  continues(context, of, 'dropped_call', turn.text.trim() === '' ? [] : end.thinking);
}

/** The answer is not kept: the same request, with another limit. */
function askAgain({ turn, tell }: RequestContext, of: AttemptOf, change: RequestChange): void {
  turn.asksWith = change;
  tell({ type: 'failed', ...of, retry: { ms: 0, retryAfter: false }, exit: 'model_error' });
}

interface Words {
  readonly kind: string;
  readonly message: string;
  readonly action: string;
}

function giveUp({ turn, tell, ports }: RequestContext, of: AttemptOf, error: Words): void {
  ports.log.warn(`request ${of.request} attempt ${of.attempt} of ${of.turnId} reached its limit: ${error.kind}`);
  turn.error = error;
  tell({ type: 'failed', ...of, retry: undefined, exit: 'model_error' });
}

function isWindowFull({ turn }: RequestContext, { usage }: End): boolean {
  if (!usage || !turn.model) return false;
  const used = usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
  return turn.model.contextWindow - used < LEAST_ROOM;
}

const LIMIT: Words = {
  kind: 'output_limit',
  message:
    'The model used up its output limit without a word of an answer, also when asked not to think. Your work is kept. ' +
    'Ask for less at a time, or raise maxOutput of the model in midcourse.providers.',
  action: 'midcourse.retryTurn',
};

const CALL_TOO_LONG: Words = {
  kind: 'output_limit',
  message:
    'A tool call of the model was longer than it may write, also when asked for parts, and nothing of it was run. Your work ' +
    'is kept. Ask for smaller steps, or raise maxOutput of the model in midcourse.providers.',
  action: 'midcourse.continueTurn',
};

const REPEATS: Words = {
  kind: 'repetition',
  message:
    'The model began to repeat itself until it reached its output limit, so it was not asked to go on. What you saw is ' +
    'kept. Word the task differently, or choose another model.',
  action: 'midcourse.selectModel',
};

const WINDOW_FULL: Words = {
  kind: 'context_overflow',
  message:
    'The conversation fills what the model can read, and there is no room for its answer to go on. What you saw is ' +
    'kept. Compact the conversation, then ask it to go on.',
  action: 'midcourse.compact',
};
