import type { HookEvent, HookPayload, HookPayloadBase, HookPayloads } from '../../../hooks-api.ts';
import type { StreamEvent, WhichHooks } from '../../hooks/port.ts';
import type { HookAnswer } from '../../hooks/types.ts';
import type { LiveTurn } from '../live-turn.ts';
import { type PayloadSource, payloadBase } from './payload-base.ts';

export interface SessionHooksParts extends PayloadSource {
  /** The session waits for a hook, or waits no longer. */
  waits(): void;
}

interface Question<E extends HookEvent> {
  readonly event: E;
  readonly of: HookPayloads[E];
  readonly turn: LiveTurn | undefined;
  /** Aborts when nobody needs the answer any more; it is then empty, at once. */
  readonly signal: AbortSignal;
  readonly which?: WhichHooks;
  /** Called when it has to be waited for, and when that is over. */
  wait?(waits: boolean): void;
}

/** The one way of a session to its hooks. What an event is about is said by the files beside this one. */
export class SessionHooks {
  readonly #parts: SessionHooksParts;
  #waits = 0;
  /** The last one that was sent: what happens between turns still belongs to it. */
  #promptId: string | undefined;

  constructor(parts: SessionHooksParts) {
    this.#parts = parts;
  }

  /** True for the session of a delegated agent. */
  get isOfAgent(): boolean {
    return this.#parts.ports.parent !== undefined;
  }

  has(event: HookEvent): boolean {
    return this.#parts.ports.hooks.has(event);
  }

  answers(event: HookEvent, which?: WhichHooks): boolean {
    return this.#parts.ports.hooks.answers(event, which);
  }

  /** The hooks that the session waits for, for people; undefined when for none. */
  get waitsFor(): string | undefined {
    const names = this.#waits === 0 ? [] : this.#parts.ports.hooks.waitingFor(this.#parts.sessionId);
    return names.length === 0 ? undefined : names.join(', ');
  }

  /** Tells hooks of something; nobody waits for them. */
  tell<E extends HookEvent>(event: E, of: HookPayloads[E], turn?: LiveTurn): void {
    if (this.has(event)) void this.tellAll(event, of, turn, new AbortController().signal);
  }

  /** The same; resolves when all are through, or the signal aborts. Never rejects. */
  async tellAll<E extends HookEvent>(
    event: E,
    of: HookPayloads[E],
    turn: LiveTurn | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#parts.ports.hooks.fire(event, this.#payload(event, of, turn), signal);
  }

  /** Never rejects. */
  async ask<E extends HookEvent>({ event, of, turn, signal, which, wait }: Question<E>): Promise<HookAnswer> {
    const { hooks } = this.#parts.ports;
    const answer = hooks.ask(event, this.#payload(event, of, turn), signal, which);
    if (hooks.waitingFor(this.#parts.sessionId).length === 0) return await answer;
    this.#waits += 1;
    this.#tellWaits(true, wait);
    try {
      return await answer;
    } finally {
      this.#waits -= 1;
      this.#tellWaits(false, wait);
    }
  }

  /** What is the same in all payloads of a stream is asked for once. */
  stream(turn: LiveTurn): <E extends StreamEvent>(event: E, of: HookPayloads[E]) => void {
    const { hooks } = this.#parts.ports;
    const base = this.#base(turn);
    return (event, of) => hooks.stream(event, joined(base, of));
  }

  #base(turn: LiveTurn | undefined): HookPayloadBase {
    this.#promptId = turn?.promptId ?? this.#promptId;
    return payloadBase(this.#parts, turn, this.#promptId);
  }

  #payload<E extends HookEvent>(_event: E, of: HookPayloads[E], turn: LiveTurn | undefined): HookPayload<E> {
    return joined<E>(this.#base(turn), of);
  }

  #tellWaits(waits: boolean, wait: Question<HookEvent>['wait']): void {
    wait?.(waits);
    this.#parts.waits();
  }
}

/** TypeScript does not follow a spread through a type parameter. */
function joined<E extends HookEvent>(base: HookPayloadBase, of: HookPayloads[E]): HookPayload<E> {
  return { ...base, ...of } as unknown as HookPayload<E>;
}
