import type { HookEvent } from '../../hooks-api.ts';
import type { Hook } from './types.ts';

export interface HookLimits {
  /**
   * Milliseconds that a hook which counts its own time (a process from its spawn, a plugin from its call) gets beyond
   * its limit, before the dispatcher takes it for hung. The outer limit never cuts the inner one.
   */
  readonly grace: number;
  /** Events that wait for one streaming hook; the oldest goes when one more comes. */
  readonly streamQueue: number;
  /** Bytes of one streaming event as JSON in UTF-8; a larger one is dropped whole. */
  readonly streamEvent: number;
  /** Milliseconds for what still waits or runs when the window closes. */
  readonly close: number;
}

export const hookLimits: HookLimits = { grace: 5000, streamQueue: 1024, streamEvent: 16 * 1024, close: 1000 };

/** Milliseconds of a native hook that asks for none, and the most it may ask for. */
export const nativeLimit = { unasked: 30_000, most: 600_000 };

/** The most that a hook of an event may ask for. */
const most: Partial<Record<HookEvent, number>> = { agent_loop_stopped: 3000, on_session_finalize: 60_000 };

/** What it gets when it asks for nothing. */
const unasked: Partial<Record<HookEvent, number>> = { agent_loop_stopped: 1000, on_session_finalize: 1500 };

/** Milliseconds. A timer that is to be longer fires at once. */
export const longestTimer = 2_147_483_647;

/** A limit for people. */
export function limitWords(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}

/** Milliseconds of a hook of Midcourse or of a plugin, from what it asked for. */
export function nativeTimeout(event: HookEvent, asked?: number): number {
  if (asked === undefined || !(asked > 0)) return unasked[event] ?? nativeLimit.unasked;
  return Math.min(asked, most[event] ?? nativeLimit.most);
}

/** Milliseconds after which the dispatcher goes on without a run. */
export function outerLimit(hook: Hook, grace: number): number {
  const asked = hook.timeout > 0 ? hook.timeout : nativeTimeout(hook.event);
  const own = Math.min(asked, most[hook.event] ?? Number.POSITIVE_INFINITY);
  return Math.min(countsItsOwnTime(hook) ? own + grace : own, longestTimer);
}

/** Only an extension's handler and a webhook's hand-over start in the moment in which they are called. */
function countsItsOwnTime({ source }: Hook): boolean {
  return source.is === 'plugin' || source.is === 'file';
}
