/** Milliseconds. */
interface Times {
  /** Without a further touch after which it calls. */
  readonly pause: number;
  /** After the first touch, at the latest: whoever never pauses is heard all the same. */
  readonly longest: number;
}

/** Starts a timer; the result cancels it. */
type After = (ms: number, callback: () => void) => () => void;

/** Calls once for touches that follow each other. */
export class Debounce {
  readonly #times: Times;
  readonly #call: () => void;
  readonly #after: After;
  #cancelPause: (() => void) | undefined;
  #cancelLongest: (() => void) | undefined;

  constructor(times: Times, call: () => void, after: After = afterReal) {
    this.#times = times;
    this.#call = call;
    this.#after = after;
  }

  /** A call is to come. */
  get isWaiting(): boolean {
    return this.#cancelPause !== undefined;
  }

  touch(): void {
    this.#cancelPause?.();
    this.#cancelPause = this.#after(this.#times.pause, () => this.flush());
    this.#cancelLongest ??= this.#after(this.#times.longest, () => this.flush());
  }

  /** Calls now if a call is to come. */
  flush(): void {
    if (!this.isWaiting) return;
    this.cancel();
    this.#call();
  }

  /** No call is to come any more. */
  cancel(): void {
    this.#cancelPause?.();
    this.#cancelLongest?.();
    this.#cancelPause = undefined;
    this.#cancelLongest = undefined;
  }
}

function afterReal(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
