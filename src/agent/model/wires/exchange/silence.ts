/** Watches that something arrives. It owns its timer, which `stop` ends. */
export class Silence {
  readonly #onSilent: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastLook: NodeJS.Immediate | undefined;
  #since = 0;
  #limitMs = 0;
  #waiting = false;
  /** The limit that was passed, in milliseconds; undefined as long as none was. */
  passed: number | undefined;

  constructor(onSilent: () => void) {
    this.#onSilent = onSilent;
  }

  /** Counts from now. */
  wait(limitMs: number): void {
    this.#since = performance.now();
    this.#waiting = true;
    if (limitMs === this.#limitMs && this.#timer !== undefined) return;
    this.#limitMs = limitMs;
    this.#arm(limitMs);
  }

  /** Something has arrived: the time that its reader takes is not the server's. */
  rest(): void {
    this.#waiting = false;
  }

  stop(): void {
    this.#waiting = false;
    clearTimeout(this.#timer);
    clearImmediate(this.#lastLook);
    this.#timer = undefined;
  }

  /** One timer for thousands of events: when it rings, it looks how long the silence really was. */
  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ring(), ms);
  }

  #ring(): void {
    if (this.#left() > 0) return this.#arm(this.#left());
    // A host that was busy or asleep hears its timers first: what had arrived by then is read before this looks again.
    this.#lastLook = setImmediate(() => {
      if (this.#left() > 0) return this.#arm(this.#left());
      this.passed = this.#limitMs;
      this.stop();
      this.#onSilent();
    });
  }

  #left(): number {
    return this.#waiting ? Math.ceil(this.#limitMs - (performance.now() - this.#since)) : this.#limitMs;
  }
}
