/** Lets one work at a time, in the order they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects at once, and runs nothing, when `signal` aborts while it waits. */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    this.#last = before.then(() => done);
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([before, aborted.promise]);
      return await work();
    } finally {
      signal.removeEventListener('abort', abort);
      release();
    }
  }
}
