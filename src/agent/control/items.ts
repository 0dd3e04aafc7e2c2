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
  return (
    state.items.filter((item) => isPending(item) && !isOnItsWay(state, item.id)).findIndex((item) => item.id === id) + 1
  );
}

export function wouldOverflow(state: ControlState, text: string, providerText = ''): boolean {
  const length = text.length + providerText.length;
  return state.items.length >= MAX_ITEMS || characters(state.items) + length > MAX_ITEM_CHARACTERS;
}

/** An item that is over the limit may still become shorter. */
export function wouldGrowTooLong(state: ControlState, item: Item, text: string): boolean {
  const growth = text.length - item.text.length;
  return growth > 0 && characters(state.items) + growth > MAX_ITEM_CHARACTERS;
}

function characters(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + item.text.length + (item.providerText?.length ?? 0), 0);
}

/** The delivery order: texts that lead before queue entries, each group as it stands. */
export function leadsFirst(items: readonly Item[]): readonly Item[] {
  return [...items.filter(leads), ...items.filter((item) => !leads(item))];
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
