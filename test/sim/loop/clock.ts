import type { Clock } from '../../../src/agent/turn/index.ts';

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** Time that passes only when the simulator says so. Timers that are due at the same time fire in the order they were made. */
export class FakeClock implements Clock {
  #now: number;
  #timers: Timer[] = [];

  /** @param now milliseconds since the epoch */
  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { due: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Milliseconds until the next timer is due; undefined when there is none. */
  get untilNext(): number | undefined {
    return this.#timers.length === 0 ? undefined : Math.min(...this.#timers.map(({ due }) => due)) - this.#now;
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** Moves on by at most `ms`, and no further than to the first timer, which fires. @returns what is left of `ms` */
  advance(ms: number): number {
    const until = this.untilNext;
    if (until === undefined || until > ms) {
      this.#now += ms;
      return 0;
    }
    this.#now += Math.max(until, 0);
    const index = this.#timers.findIndex(({ due }) => due <= this.#now);
    const [timer] = this.#timers.splice(index, 1);
    timer?.callback();
    return ms - Math.max(until, 0);
  }
}
