/**
 * Which part of a history a summary replaces. Pure: rows are never removed, the plan only says what is sent from now on.
 */

import { type Entry, totalTokens } from './estimate.ts';

export interface CompactionPlan {
  /** In order, what the summary stands for. Never empty. */
  readonly summarised: readonly Entry[];
  /** In order, what is sent behind the summary as it is. */
  readonly kept: readonly Entry[];
  /** The first sequence number whose rows are still sent. */
  readonly keepsFrom: number;
}

/** Of the window, and of the history when the window is larger than the provider lets it be: what stays as it is. */
const KEPT_OF_WINDOW = 0.2;
const KEPT_OF_HISTORY = 0.25;
/** The newest exchange stays unless it alone takes more than this: then no summary of the rest would help. */
const NEWEST_OF_ALL = 0.5;

/**
 * Keeps the newest exchanges that fit and summarises all before them. An exchange is one message with, for an answer,
 * the results of all its calls: a call is never parted from its results. The user's newest message is always kept.
 *
 * @param window tokens that the model can read
 * @returns undefined when nothing would be gained: all is new, or all but the tail is a summary already
 */
export function planCompaction(entries: readonly Entry[], window: number): CompactionPlan | undefined {
  const total = totalTokens(entries);
  const keep = Math.min(window * KEPT_OF_WINDOW, total * KEPT_OF_HISTORY);
  const most = Math.min(window, total) * NEWEST_OF_ALL;
  let start = entries.length;
  let tokens = 0;
  for (const exchange of exchanges(entries).reverse()) {
    tokens += totalTokens(exchange.entries);
    const newest = start === entries.length;
    const fits = tokens <= keep || (newest && (tokens <= most || isUser(exchange.entries)));
    if (!fits || exchange.entries[0]?.summary) break;
    start = exchange.start;
  }
  const summarised = entries.slice(0, start);
  if (!summarised.some((entry) => !entry.summary)) return undefined;
  const kept = entries.slice(start);
  const behind = Math.max(0, ...entries.map((entry) => entry.seq)) + 1;
  return { summarised, kept, keepsFrom: kept[0]?.seq ?? behind };
}

interface Exchange {
  readonly start: number;
  readonly entries: Entry[];
}

function exchanges(entries: readonly Entry[]): Exchange[] {
  const found: Exchange[] = [];
  for (const [index, entry] of entries.entries()) {
    const last = found.at(-1);
    if ((entry.message.role === 'tool' || entry.isOfResults) && last) last.entries.push(entry);
    else found.push({ start: index, entries: [entry] });
  }
  return found;
}

function isUser(entries: readonly Entry[]): boolean {
  return entries.every((entry) => entry.message.role === 'user' && !entry.summary && !entry.isOfResults);
}
