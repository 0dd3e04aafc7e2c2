import type { LeaseStore } from '../session/index.ts';
import type { Clock, Log } from './types.ts';

/** Milliseconds between two looks of a window that runs the session: how soon it sees that another one wants it. */
const LOOK_AS_HOLDER = 250;
/** Milliseconds between two looks of a window that only shows what another one does. */
const LOOK_AS_FOLLOWER = 500;
/** Milliseconds between two signs of life. */
const BEAT = 5_000;
/** A look that is later than this, in milliseconds, comes after a sleep of the machine. */
const LATE = 5_000;

export interface LeaseWatchParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly leases: LeaseStore;
  readonly sessionId: string;
  isIdle(): boolean;
  /** True when another window wrote to the session since it was read. */
  isChanged(): boolean;
  /** True while the session can only be read because another window runs it. */
  follows(): boolean;
  /** Another window wants the session, or has it already: the turn ends. */
  yieldTurn(): void;
  /** What is known here is old or no longer true: everything is read again. */
  reread(): void;
  /** The window that runs it has written more. */
  readOn(): void;
}

/**
 * Looks now and then at the lease of a session: while this window runs it (has another one asked for it, or taken it?)
 * and while another one does (what does it write, and has it ended?). An idle session is not watched, unless it was
 * handed over a moment ago: then the other window is about to run it.
 */
export class LeaseWatch {
  readonly #parts: LeaseWatchParts;
  #cancel: (() => void) | undefined;
  #beatAt = 0;
  #handedOver = false;
  #over = false;

  constructor(parts: LeaseWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    const { clock, leases } = this.#parts;
    if (!leases.isShared) return;
    this.#handedOver = false;
    this.#beatAt = clock.now();
    this.#lookAgain();
  }

  /** Looks at once. A failure of the store is logged: the next look may do better. */
  look(): void {
    if (this.#over || !this.#parts.leases.isShared) return;
    let quiet = false;
    try {
      this.#look();
      quiet = this.#isQuiet();
    } catch (error) {
      this.#parts.log.warn(`the lease of session ${this.#parts.sessionId} could not be looked at: ${error}`);
    }
    if (quiet) this.#rest();
    else this.#lookAgain();
  }

  dispose(): void {
    this.#over = true;
    this.#rest();
  }

  #rest(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #isQuiet(): boolean {
    return this.#parts.isIdle() && !this.#parts.follows() && !this.#handedOver && this.#state() === 'free';
  }

  #lookAgain(): void {
    this.#rest();
    if (this.#over) return;
    const { clock, isIdle } = this.#parts;
    const wait = isIdle() ? LOOK_AS_FOLLOWER : LOOK_AS_HOLDER;
    const due = clock.now() + wait;
    this.#cancel = clock.after(wait, () => this.#lookDue(due));
  }

  /** After a sleep the holder looks first: before that it could not say that it lives. */
  #lookDue(due: number): void {
    const { clock, isIdle } = this.#parts;
    if (isIdle() && clock.now() - due > LATE) this.#lookAgain();
    else this.look();
  }

  #look(): void {
    const { leases, sessionId, isIdle, isChanged, follows, reread, readOn } = this.#parts;
    const state = this.#state();
    switch (state) {
      case 'held':
      case 'wanted':
        if (follows()) return;
        this.#handedOver ||= state === 'wanted';
        // An idle session is held only when its last write failed.
        if (isIdle()) leases.release(sessionId);
        else if (state === 'wanted') this.#parts.yieldTurn();
        else this.#beat();
        return;
      case 'lost':
        return isIdle() ? reread() : this.#parts.yieldTurn();
      case 'elsewhere':
        this.#handedOver = false;
        if (!isIdle()) this.#parts.yieldTurn();
        else if (!follows()) reread();
        else if (isChanged()) readOn();
        return;
      case 'free':
        if (isIdle() && (follows() || isChanged())) reread();
        return;
      default:
        state satisfies never;
    }
  }

  #state() {
    return this.#parts.leases.state(this.#parts.sessionId);
  }

  #beat(): void {
    const { clock, leases, sessionId } = this.#parts;
    // The clock may have been put back.
    if (Math.abs(clock.now() - this.#beatAt) < BEAT) return;
    leases.beat(sessionId);
    this.#beatAt = clock.now();
  }
}
