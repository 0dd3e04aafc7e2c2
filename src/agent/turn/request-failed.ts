/** What comes of an attempt that failed: asked again, or over. */

import { nextDelay } from '../model/index.ts';
import type { ModelError } from '../model/types.ts';
import { tooLong } from './compaction-run.ts';
import type { LiveTurn } from './live-turn.ts';
import type { AttemptOf, RequestContext } from './request-context.ts';

export function failed(context: RequestContext, of: AttemptOf, error: ModelError): void {
  const { turn, ports } = context;
  ports.log.warn(`request ${of.request} attempt ${of.attempt} of ${of.turnId} failed: ${error.kind}: ${error.detail}`);
  const { message, kind, action } = stillTooLong(turn, error);
  turn.error = { kind, message, ...(action === undefined ? {} : { action }) };
  const decision = nextDelay({
    attempt: of.attempt,
    maxAttempts: ports.settings().maxAttempts,
    error,
    visible: turn.text !== '',
    random: Math.random(),
  });
  const retry = decision.retry ? { ms: decision.delayMs, retryAfter: decision.retryAfter } : undefined;
  // What was shown of an answer would be said twice after a compaction.
  const exit = kind === 'context_overflow' && turn.text === '' ? 'context_exhausted' : 'model_error';
  context.tell({ type: 'failed', ...of, retry, exit });
}

/** After a compaction the way out is another one: the same command would be in vain. */
function stillTooLong(turn: LiveTurn, error: ModelError): ModelError {
  const { summary, notCompacted: why } = turn;
  if (error.kind !== 'context_overflow' || (!summary && why === undefined)) return error;
  return { ...error, ...tooLong(turn, why) };
}
