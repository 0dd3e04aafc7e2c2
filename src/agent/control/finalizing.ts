/**
 * Between a whole answer and the end of its turn: hooks may have the agent go on, each kind only so often.
 */

import { endTurn } from './ending.ts';
import { endOverBudget, nextRequest } from './requests.ts';
import type { Transition } from './transition.ts';
import type { GoOnKind, LoopEvent, Turn } from './types.ts';

/** Times that hooks may have a turn go on: looking at changed files in the whole turn, others in a row. */
export const MAX_GO_ONS: Readonly<Record<GoOnKind, number>> = { verify: 3, stop: 8 };

/**
 * Asks the hooks. Those of `stop` are asked to the last, because they are also told of the end by it; what they say then
 * does not count any more.
 */
export function finalize(step: Transition): void {
  const { id: turnId, goneOn } = step.turn;
  const verifies = mayGoOn(step.turn, 'verify');
  if (!verifies) step.effects.push({ do: 'goOnsUsedUp', turnId, kind: 'verify' });
  step.effects.push({ do: 'finalize', turnId, ask: verifies ? ['verify', 'stop'] : ['stop'], goneOn });
}

/** What the hooks say goes into the history, then what the user has sent meanwhile, and the next request follows. */
export function onFinalized(step: Transition, event: Extract<LoopEvent, { type: 'finalized' }>): void {
  const { turn } = step;
  if (turn.activity.is !== 'finalizing') return;
  const heard = event.goOns.filter(({ kind }) => mayGoOn(turn, kind));
  if (heard.length < event.goOns.length) step.effects.push({ do: 'goOnsUsedUp', turnId: turn.id, kind: 'stop' });
  if (heard.length === 0) return endTurn(step, 'answered', 'finalizing', undefined);
  if (endOverBudget(step)) return;
  const request = turn.request + 1;
  const { verify, stop } = turn.goneOn;
  const asked = new Set(heard.map(({ kind }) => kind));
  for (const { text, by } of heard) {
    step.writes.push({ write: 'goOn', ...step.newRow(), turnId: turn.id, request, text, by });
  }
  step.setTurn({
    goneOn: { verify: verify + Number(asked.has('verify')), stop: asked.has('stop') ? stop + 1 : 0 },
  });
  nextRequest(step);
}

/** The user has said something: what a hook asks for after it is no endless loop. */
export function heardOfUser(step: Transition): void {
  step.setTurn({ goneOn: { ...step.turn.goneOn, stop: 0 } });
}

function mayGoOn({ goneOn }: Turn, kind: GoOnKind): boolean {
  return goneOn[kind] < MAX_GO_ONS[kind];
}
