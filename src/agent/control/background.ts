/**
 * What may run beside the turn: delegated agents and the quiet review. Neither ever starts a turn.
 */

import { endTurn } from './ending.ts';
import type { Transition } from './transition.ts';
import type { LoopEvent } from './types.ts';

/** Milliseconds that a starting turn waits for the review it cancelled. */
export const REVIEW_GRACE = 2000;

type Of<T extends LoopEvent['type']> = Extract<LoopEvent, { type: T }>;

/** A child that attaches late, when the turn that started it has been stopped, is stopped like the others. */
export function onChildStarted(step: Transition, { childId, startedBy }: Of<'childStarted'>): void {
  const { children, turn } = step.state;
  if (children.some((child) => child.id === childId)) return;
  step.state = { ...step.state, children: [...children, { id: childId, startedBy }] };
  if (turn?.id !== startedBy || turn.activity.is === 'stopping') step.effects.push({ do: 'stopChild', childId });
}

export function onChildEnded(step: Transition, childId: string): void {
  step.state = { ...step.state, children: step.state.children.filter((child) => child.id !== childId) };
}

/** All of them, whichever turn started them: a stop leaves no agent at work. */
export function stopChildren(step: Transition): void {
  for (const { id } of step.state.children) step.effects.push({ do: 'stopChild', childId: id });
}

/** After an answered turn that nothing follows. */
export function beginReview(step: Transition, turnId: string): void {
  if (!step.state.reviews || step.state.turn || step.state.review !== 'none') return;
  step.state = { ...step.state, review: 'running' };
  step.effects.push({ do: 'review', turnId });
}

export function cancelReview(step: Transition): void {
  if (step.state.review !== 'running') return;
  step.state = { ...step.state, review: 'cancelling' };
  step.effects.push({ do: 'cancelReview' });
}

export function onReviewEnded(step: Transition): void {
  step.state = { ...step.state, review: 'none' };
  letStart(step);
}

export function onStartAnyway(step: Transition): void {
  letStart(step);
}

/** The held start goes on: its prompt hooks are asked now. */
function letStart(step: Transition): void {
  const activity = step.state.turn?.activity;
  if (activity?.is !== 'starting' || !activity.held) return;
  const items = step.state.items.filter((item) => activity.asking.includes(item.id));
  // The user took the text back while it waited.
  if (items.length === 0 && step.turn.compaction !== 'wanted') {
    return endTurn(step, 'interrupted_by_user', 'starting', undefined);
  }
  step.setActivity({ ...activity, asking: items.map(({ id }) => id), held: false });
  step.effects.push({ do: 'prepare', turnId: step.turn.id, items });
}
