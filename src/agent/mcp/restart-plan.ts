/** Milliseconds until the next start, after so many failures in a row; then only the user starts it. */
const PAUSES = [0, 1_000, 5_000, 20_000] as const;

/** When a server that failed may be started again by itself. */
export class RestartPlan {
  readonly #now: () => number;
  #failures = 0;
  #failedAt = 0;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  failed(): void {
    this.#failures += 1;
    this.#failedAt = this.#now();
  }

  /** It has done what it is for: what was before does not count any more. */
  worked(): void {
    this.#failures = 0;
  }

  /** A person wants it to be tried. */
  forgive(): void {
    this.#failures = 0;
  }

  /** Undefined when it may be started now; otherwise when it may, in words. */
  due(): string | undefined {
    if (this.#failures === 0) return undefined;
    const pause = PAUSES[this.#failures - 1];
    if (pause === undefined) return `It failed ${this.#failures} times in a row and is not tried again by itself.`;
    const rest = this.#failedAt + pause - this.#now();
    return rest <= 0 ? undefined : `It is tried again in ${Math.ceil(rest / 1000)} s.`;
  }
}
