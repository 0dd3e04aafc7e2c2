import type { Clock } from './types.ts';

export interface LivenessParts {
  readonly clock: Clock;
  /** Milliseconds without progress after which the turn is stopped; 0 switches the watch off. */
  timeout(): number;
  /** True while the turn runs and waits for nobody: a person who thinks is no lack of progress. */
  watches(): boolean;
  warn(minutesLeft: number): void;
  stop(): void;
}

/** Parts of the limit: how often it looks, and when it warns. */
const LOOKS = 40;
const WARN_AT = 0.8;

/**
 * Watches for a turn that makes no progress. Time in which the machine slept is not counted: a look that comes late
 * counts as two at most, and one after which the clock was put back as one. Progress between the look and the stop cannot happen, because both are one step of the host.
 */
export class Liveness {
  readonly #parts: LivenessParts;
  #cancel: (() => void) | undefined;
  #idle = 0;
  #lookedAt = 0;
  #warned = false;

  constructor(parts: LivenessParts) {
    this.#parts = parts;
  }

  /** Anything of the turn that moves: text, a call's output, a new phase. */
  progress(): void {
    this.#idle = 0;
    this.#warned = false;
  }

  start(): void {
    this.progress();
    this.#lookAgain();
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #lookAgain(): void {
    this.dispose();
    const timeout = this.#parts.timeout();
    if (timeout <= 0) return;
    this.#lookedAt = this.#parts.clock.now();
    this.#cancel = this.#parts.clock.after(timeout / LOOKS, () => this.#look(timeout));
  }

  #look(timeout: number): void {
    const interval = timeout / LOOKS;
    const measured = this.#parts.clock.now() - this.#lookedAt;
    const passed = measured < 0 ? interval : Math.min(measured, 2 * interval);
    this.#idle = this.#parts.watches() ? this.#idle + passed : 0;
    if (this.#idle >= timeout) return this.#parts.stop();
    if (this.#idle >= timeout * WARN_AT && !this.#warned) {
      this.#warned = true;
      this.#parts.warn(Math.ceil((timeout - this.#idle) / 60_000));
    }
    this.#lookAgain();
  }
}
