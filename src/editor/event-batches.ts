import type { Clock } from '../agent/turn/types.ts';
import type { ChildAgent, SessionEvent } from '../api.ts';

/** Milliseconds between two batches of streamed text. */
export const batchInterval = 40;

/**
 * Gathers a session's events for a page: the first piece of streamed text goes out at once, later pieces at most every
 * 40 ms and joined; everything else goes out at once, with what was gathered before it, so that order never changes.
 */
export class EventBatches {
  readonly #clock: Clock;
  readonly #send: (events: readonly SessionEvent[]) => void;
  #gathered: SessionEvent[] = [];
  /** The pieces of the newest gathered event, joined only when it goes out. */
  #pieces: Piece[] = [];
  #cancelTimer: (() => void) | undefined;
  #lastState: SessionEvent | undefined;
  /** Each agent as it was told last. */
  readonly #agents = new Map<string, ChildAgent>();

  constructor(clock: Clock, send: (events: readonly SessionEvent[]) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  push(event: SessionEvent): void {
    const waits = isStreamed(event) || isSameState(this.#lastState, event) || this.#isStep(event);
    if (event.type === 'state') this.#lastState = event;
    if (event.type === 'child') this.#agents.set(event.childId, event.child);
    this.#gather(event);
    if (!waits) {
      this.#flush();
    } else if (this.#cancelTimer === undefined) {
      this.#flush();
      this.#startInterval();
    }
  }

  /** Forgets what was gathered: the page is about to get a snapshot, or nobody sees it. */
  clear(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#gathered = [];
    this.#pieces = [];
    this.#lastState = undefined;
    this.#agents.clear();
  }

  /** What an agent does, not how it stands. */
  #isStep(event: SessionEvent): boolean {
    if (event.type !== 'child') return false;
    const known = this.#agents.get(event.childId);
    return known?.state === event.child.state && known.mode === event.child.mode;
  }

  #startInterval(): void {
    this.#cancelTimer = this.#clock.after(batchInterval, () => {
      this.#cancelTimer = undefined;
      if (this.#gathered.length === 0) return;
      this.#flush();
      this.#startInterval();
    });
  }

  #gather(event: SessionEvent): void {
    const last = this.#gathered.at(-1);
    if (last !== undefined && isSameState(last, event)) {
      this.#gathered[this.#gathered.length - 1] = event;
      return;
    }
    if (last !== undefined && continues(last, event)) {
      this.#pieces.push(streamed(event));
      this.#gathered[this.#gathered.length - 1] = event;
      return;
    }
    this.#joinLast();
    this.#gathered.push(event);
    this.#pieces = [streamed(event)];
  }

  #joinLast(): void {
    const last = this.#gathered.at(-1);
    if (last === undefined || this.#pieces.length < 2) return;
    this.#gathered[this.#gathered.length - 1] = withStreamed(last, joined(this.#pieces));
  }

  #flush(): void {
    this.#joinLast();
    const events = this.#gathered;
    this.#gathered = [];
    this.#pieces = [];
    this.#send(events);
  }
}

/** Text of the model and output of a running tool; state, receipts and cards never wait. */
function isStreamed(event: SessionEvent): boolean {
  return event.type === 'delta' || (event.type === 'tool' && event.state === 'running' && event.output !== undefined);
}

/** A state with another label only, such as the progress of a call that is being written: the newest one counts. */
function isSameState(last: SessionEvent | undefined, event: SessionEvent): boolean {
  if (last?.type !== 'state' || event.type !== 'state') return false;
  return last.turnId === event.turnId && last.state === event.state && last.phase === event.phase;
}

function continues(last: SessionEvent, event: SessionEvent): boolean {
  if (last.turnId !== event.turnId || !isStreamed(last) || !isStreamed(event)) return false;
  if (last.type === 'delta' && event.type === 'delta') {
    return last.request === event.request && last.attempt === event.attempt && last.part === event.part;
  }
  if (last.type === 'tool' && event.type === 'tool') return last.callId === event.callId && last.label === event.label;
  return false;
}

interface Piece {
  readonly text: string;
  /** Characters before it that it takes the place of. */
  readonly replaced: number;
}

function streamed(event: SessionEvent): Piece {
  if (event.type === 'delta') return { text: event.text, replaced: 0 };
  return event.type === 'tool'
    ? { text: event.output ?? '', replaced: event.replaced ?? 0 }
    : { text: '', replaced: 0 };
}

function joined(pieces: readonly Piece[]): Piece {
  if (pieces.every(({ replaced }) => replaced === 0))
    return { text: pieces.map(({ text }) => text).join(''), replaced: 0 };
  let [text, before] = ['', 0];
  for (const piece of pieces) {
    const own = Math.min(piece.replaced, text.length);
    text = text.slice(0, text.length - own) + piece.text;
    before += piece.replaced - own;
  }
  return { text, replaced: before };
}

function withStreamed(event: SessionEvent, { text, replaced }: Piece): SessionEvent {
  if (event.type === 'delta') return { ...event, text };
  if (event.type !== 'tool') return event;
  const { replaced: _one, ...rest } = event;
  return { ...rest, output: text, ...(replaced > 0 ? { replaced } : {}) };
}
