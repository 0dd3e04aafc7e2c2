/** Milliseconds that work may keep the thread: a frame of the editor has 16, and others want some of them. */
const SLICE = 5;

/**
 * Long work in slices: `await slices.turn()` between its parts gives the thread back when its slice is over, and costs a
 * look at the clock otherwise. One part has to be short.
 */
export class Slices {
  #since = performance.now();

  /** True when the slice is over: `turn` would wait. */
  get isOver(): boolean {
    return performance.now() - this.#since > SLICE;
  }

  /** Resolves at once, or in the next turn of the event loop where the slice is over. */
  async turn(): Promise<void> {
    if (!this.isOver) return;
    await nextTurn();
    this.#since = performance.now();
  }
}

/** The next turn of the event loop: timers, sockets and messages come before it. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
