import type { Disposable, Event, SessionEvent } from '../../api.ts';

/** Events a session keeps for `events(sinceSeq)`. */
export const KEPT_EVENTS = 10_000;

/** A session's events: numbered by the caller, kept for a while, handed to every listener in order. */
export class EventLog {
  #kept: SessionEvent[] = [];
  readonly #listeners = new Set<(event: SessionEvent) => unknown>();
  readonly #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  /** A listener that throws is reported and does not keep the event from the others. */
  emit(event: SessionEvent): void {
    this.#kept.push(event);
    // Trimmed in large pieces: a shift for every delta would cost the length of the log.
    if (this.#kept.length > 2 * KEPT_EVENTS) this.#kept = this.#kept.slice(-KEPT_EVENTS);
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
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
