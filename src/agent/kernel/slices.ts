/** Milliseconds that long work may keep the thread: a frame of the editor has 16, and others want some of them. */
const SLICE = 4;

/** When the work of this turn of the event loop began; undefined before its first part. */
let began: number | undefined;

function isOver(): boolean {
  if (began !== undefined) return performance.now() - began > SLICE;
  began = performance.now();
  setImmediate(() => {
    began = undefined;
  });
  return false;
}

/**
 * Long work in slices: `await breathe()` between its parts gives the thread back when the slice is over, and costs a look
 * at the clock otherwise. All who work in a turn of the event loop share one slice, so that a hundred files that are read
 * at the same time hold it up no longer than one. One part has to be short.
 */
export function breathe(): Promise<void> | undefined {
  return isOver() ? untilNext() : undefined;
}

async function untilNext(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (isOver());
}

/** Lets so many tasks run at the same time; others wait in order. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await breathe();
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
