import type { Disposable, Event, SessionEvent } from '../../api.ts';

/** Events a session keeps for `events(sinceSeq)`. */
const KEPT_EVENTS = 10_000;

/** A session's events: numbered by the caller, kept for a while, handed to every listener in order. */
export class EventLog {
  #kept: SessionEvent[] = [];
  #undelivered: SessionEvent[] = [];
  #holds = 0;
  readonly #listeners = new Set<(event: SessionEvent) => unknown>();
  readonly #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  emit(event: SessionEvent): void {
    this.#kept.push(event);
    // Trimmed in large pieces: a shift for every delta would cost the length of the log.
    if (this.#kept.length > 2 * KEPT_EVENTS) this.#kept = this.#kept.slice(-KEPT_EVENTS);
    this.#undelivered.push(event);
    this.#deliver();
  }

  /**
   * Does `work`; what it emits reaches the listeners when it is through. A listener that answers an event with a verb so
   * finds the state that the event tells of, never one half way to it.
   */
  afterwards<T>(work: () => T): T {
    this.#holds += 1;
    try {
      return work();
    } finally {
      this.#holds -= 1;
      this.#deliver();
    }
  }

  /** A listener that throws is reported and does not keep the event from the others. */
  #deliver(): void {
    if (this.#holds > 0) return;
    // What a listener's own verbs emit comes after the event it is told of, for every listener.
    this.#holds += 1;
    for (let event = this.#undelivered.shift(); event; event = this.#undelivered.shift()) {
      for (const listener of this.#listeners) {
        try {
          listener(event);
        } catch (error) {
          this.#onListenerError(error);
        }
      }
    }
    this.#holds -= 1;
  }

  since(seq: number): readonly SessionEvent[] {
    const first = this.#kept.findLastIndex((event) => event.seq <= seq) + 1;
    return this.#kept.slice(Math.max(first, this.#kept.length - KEPT_EVENTS));
  }

  readonly event: Event<SessionEvent> = (listener, thisArgs, disposables) => {
    const bound = (event: SessionEvent) => listener.call(thisArgs, event);
    this.#listeners.add(bound);
    const disposable: Disposable = { dispose: () => this.#listeners.delete(bound) };
    disposables?.push(disposable);
    return disposable;
  };
}
