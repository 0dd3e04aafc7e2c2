/** Wakes whoever waits for something to change. */
export class Pulse {
  #waiting: (() => void)[] = [];

  fire(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves at the next `fire`, when one of the signals is aborted, or after `ms`. */
  next(signals: readonly AbortSignal[] = [], ms?: number): Promise<void> {
    if (signals.some((signal) => signal.aborted)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        for (const signal of signals) signal.removeEventListener('abort', done);
        this.#waiting = this.#waiting.filter((one) => one !== done);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      for (const signal of signals) signal.addEventListener('abort', done);
      this.#waiting.push(done);
    });
  }
}
