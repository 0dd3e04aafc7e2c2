import { unlessAborted } from './unless-aborted.ts';

/** Lets one work at a time, in the order they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects at once, and runs nothing, when `signal` aborts while it waits. */
  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    this.#last = before.then(() => done);
    try {
      await unlessAborted(before, signal);
      return await work();
    } finally {
      release();
    }
  }
}
