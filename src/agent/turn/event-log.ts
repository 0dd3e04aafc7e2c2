import type { Disposable, Event, SessionEvent } from '../../api.ts';

/** Events a session keeps for `events(sinceSeq)`, and characters of them: a command may print without end. */
const KEPT_EVENTS = 10_000;
const KEPT_CHARACTERS = 1024 * 1024;

/** A session's events: numbered by the caller, kept for a while, handed to every listener in order. */
export class EventLog {
  #kept: SessionEvent[] = [];
  /** Of the kept events. */
  #characters = 0;
  #undelivered: SessionEvent[] = [];
  #holds = 0;
  readonly #listeners = new Set<(event: SessionEvent) => unknown>();
  readonly #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  emit(event: SessionEvent): void {
    this.#kept.push(event);
    this.#characters += charactersOf(event);
    // Trimmed in large pieces: a shift for every delta would cost the length of the log.
    if (this.#kept.length > 2 * KEPT_EVENTS || this.#characters > 2 * KEPT_CHARACTERS) this.#trim();
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

  /** Drops the oldest; the newest stays, however long it is. */
  #trim(): void {
    let first = this.#kept.length;
    let characters = 0;
    while (first > 0 && this.#kept.length - first < KEPT_EVENTS) {
      const more = charactersOf(this.#kept[first - 1]);
      if (characters > 0 && characters + more > KEPT_CHARACTERS) break;
      characters += more;
      first--;
    }
    this.#kept = this.#kept.slice(first);
    this.#characters = characters;
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

/** Of what may be long: streamed text, texts of messages and results. */
function charactersOf(event: SessionEvent | undefined): number {
  switch (event?.type) {
    case undefined:
      return 0;
    case 'delta':
    case 'notice':
      return event.text.length;
    case 'tool':
      return event.output?.length ?? 0;
    case 'item':
      return event.item.text.length;
    case 'process':
      return event.process.tail.length + event.process.command.length;
    case 'turn.ended':
    case 'settled':
      return event.result.finalText.length;
    default:
      return 0;
  }
}
