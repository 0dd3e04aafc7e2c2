import type { Item } from '../../api.ts';
import type { Transition } from './transition.ts';
import type { ControlState } from './types.ts';

/** Undelivered items a session may hold. */
export const MAX_ITEMS = 1024;
/** Characters that the undelivered items of a session may hold together. */
export const MAX_ITEM_CHARACTERS = 4 * 1024 * 1024;

/** Texts that go in at the next boundary or lead the next turn; queue entries come after all of them. */
export function leads(item: Item): boolean {
  return item.kind !== 'queue';
}

export function isPending(item: Item): boolean {
  return item.state.is === 'pending';
}

/** Pending texts that go in at the next boundary, in their order; not those that are on their way in. */
export function waitingLeads(state: ControlState): readonly Item[] {
  return state.items.filter((item) => isPending(item) && leads(item) && !isOnItsWay(state, item.id));
}

/** True while prompt hooks run for it: it is about to enter the history. */
export function isOnItsWay(state: ControlState, id: string): boolean {
  const activity = state.turn?.activity;
  if (activity?.is !== 'starting' && activity?.is !== 'hook') return false;
  return activity.ready.includes(id) || activity.asking.includes(id);
}

/** Where a new item stands: a leading one behind the last that leads, a queue entry at the end. */
export function insertionIndex(items: readonly Item[], item: Item): number {
  if (!leads(item)) return items.length;
  const firstQueued = items.findIndex((other) => !leads(other));
  return firstQueued === -1 ? items.length : firstQueued;
}

export function queuePosition(state: ControlState, id: string): number {
  return state.items.filter(isPending).findIndex((item) => item.id === id) + 1;
}

export function wouldOverflow(state: ControlState, text: string): boolean {
  if (state.items.length >= MAX_ITEMS) return true;
  const held = state.items.reduce((sum, item) => sum + item.text.length, 0);
  return held + text.length > MAX_ITEM_CHARACTERS;
}

export function holdItem(step: Transition, item: Item): void {
  step.putItem({ ...item, state: { is: 'held' } });
}

/** The text goes back to the user: it stays listed until a view has taken it. */
export function returnItem(step: Transition, item: Item, why: string): void {
  step.putItem({ ...item, state: { is: 'returned', why, acknowledged: false } });
}

/** Nothing starts by itself after a turn that failed or a reload: what waited is held, shown and not run. */
export function holdAllPending(step: Transition): void {
  for (const item of step.state.items.filter(isPending)) holdItem(step, item);
}
