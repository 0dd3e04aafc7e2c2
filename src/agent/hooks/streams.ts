import type { HookPayload } from '../../hooks-api.ts';
import { atMost } from '../turn/at-most.ts';
import type { Clock } from '../turn/types.ts';
import type { HookLimits } from './limits.ts';
import type { StreamEvent } from './port.ts';
import { StreamQueue } from './stream-queue.ts';
import type { Hook } from './types.ts';

export interface StreamsParts {
  readonly clock: Clock;
  readonly limits: Pick<HookLimits, 'streamQueue' | 'streamEvent'>;
  /** True when reasoning may be told. Asked once for a stream. */
  streamsReasoning(): boolean;
  /** True when the hook wants the event; must not throw. */
  wants(hook: Hook, payload: HookPayload): boolean;
  /** Runs the hook of that id as it is now; must not reject. */
  deliver(hookId: string, payload: HookPayload): Promise<void>;
  /** An event was lost on its way to the hook. */
  lost(hook: Hook, why: 'full' | 'too_large'): void;
}

/**
 * Tells hooks of what a model writes, off the token's path: one bounded queue and one consumer for each hook. Order is
 * kept within a hook; there is no promise across hooks.
 */
export class Streams {
  readonly #parts: StreamsParts;
  readonly #queues = new Map<string, StreamQueue<HookPayload>>();
  readonly #dropped = new Map<string, number>();
  /** Of each session the stream that is under way. */
  readonly #reasoning = new Map<string, { readonly stream: string; readonly told: boolean }>();
  #closed = false;

  constructor(parts: StreamsParts) {
    this.#parts = parts;
  }

  /** Returns at once and never throws. */
  offer(event: StreamEvent, payload: HookPayload<StreamEvent>, hooks: readonly Hook[]): void {
    if (this.#closed || !this.#isTold(event, payload)) return;
    const wanting = hooks.filter((hook) => this.#parts.wants(hook, payload));
    if (wanting.length === 0) return;
    const fits = bytesOf(payload) <= this.#parts.limits.streamEvent;
    const copy = Object.freeze({ ...payload });
    for (const hook of wanting) {
      if (!fits) this.#lose(hook, 'too_large');
      else if (!this.#queue(hook.id).offer(copy)) this.#lose(hook, 'full');
    }
  }

  /** How many events of a hook were lost. */
  dropped(hookId: string): number {
    return this.#dropped.get(hookId) ?? 0;
  }

  /** The hook was unloaded: no call of it starts any more. */
  retire(hookId: string): void {
    this.#queues.get(hookId)?.retire();
    this.#queues.delete(hookId);
    this.#dropped.delete(hookId);
  }

  /** Takes nothing more, and waits for what is under way, at most `limit` milliseconds. */
  async close(limit: number): Promise<void> {
    this.#closed = true;
    const idle = [...this.#queues.values()].map((queue) => queue.idle());
    await atMost(this.#parts.clock, limit, Promise.all(idle));
    for (const queue of this.#queues.values()) queue.retire();
  }

  #queue(hookId: string): StreamQueue<HookPayload> {
    const known = this.#queues.get(hookId);
    if (known) return known;
    const { limits, deliver } = this.#parts;
    const queue = new StreamQueue<HookPayload>(limits.streamQueue, (payload) => deliver(hookId, payload));
    this.#queues.set(hookId, queue);
    return queue;
  }

  #lose(hook: Hook, why: 'full' | 'too_large'): void {
    this.#dropped.set(hook.id, this.dropped(hook.id) + 1);
    this.#parts.lost(hook, why);
  }

  /** A stream that has begun goes on as it began, whatever becomes of the setting. */
  #isTold(event: StreamEvent, payload: HookPayload<StreamEvent>): boolean {
    if (event === 'on_interim_message') return true;
    const stream = `${payload.turn_id} ${payload.iteration}`;
    const known = this.#reasoning.get(payload.session_id);
    const begins = event === 'on_stream_start' || known?.stream !== stream;
    const told = begins ? this.#parts.streamsReasoning() : known.told;
    if (event === 'on_stream_end') this.#reasoning.delete(payload.session_id);
    else if (begins) this.#reasoning.set(payload.session_id, { stream, told });
    return told || !('kind' in payload && payload.kind === 'reasoning');
  }
}

/** Infinite for what is no JSON: nobody could be told of it. */
function bytesOf(payload: HookPayload): number {
  try {
    return Buffer.byteLength(JSON.stringify(payload));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
