import type { HookEvent, HookPayload } from '../../hooks-api.ts';
import type { Hook, HookAnswer } from './types.ts';

/** Streaming events: told through a queue for each hook, never on the token's path (hooks.md section 4). */
export type StreamEvent = 'on_stream_start' | 'on_stream_delta' | 'on_stream_end' | 'on_interim_message';

/** Which hooks of an event are meant, where not all of them are: each event names its own reason for that. */
export type WhichHooks = (hook: Pick<Hook, 'dialect'>) => boolean;

/** How the loop reaches the hooks. Nothing here throws or rejects: a hook that fails is reported, and says nothing. */
export interface HookPort {
  /** True when a hook of this event exists: without one the loop goes on in the same tick. */
  has(event: HookEvent): boolean;
  /** True when a hook of this event exists whose answer counts. */
  answers(event: HookEvent, which?: WhichHooks): boolean;
  /**
   * Runs the hooks that match, all at once. Resolves with their merged answer when all have ended or their time is over;
   * an abort is answered at once with what the loop then does: nothing.
   */
  fire<E extends HookEvent>(
    event: E,
    payload: HookPayload<E>,
    signal: AbortSignal,
    which?: WhichHooks,
  ): Promise<HookAnswer>;
  /** The same, but resolves as soon as those whose answer counts have answered; the others go on by themselves. */
  ask<E extends HookEvent>(
    event: E,
    payload: HookPayload<E>,
    signal: AbortSignal,
    which?: WhichHooks,
  ): Promise<HookAnswer>;
  /** Returns at once; costs next to nothing without such a hook. */
  stream<E extends StreamEvent>(event: E, payload: HookPayload<E>): void;
  /** The hooks that the loop waits for right now, for people; empty when none. */
  waitingFor(sessionId: string): readonly string[];
}
