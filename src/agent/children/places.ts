/** Room for so many at once; who comes later waits in line. */
export class Places {
  readonly #limit: () => number;
  readonly #line: (() => void)[] = [];
  #taken = 0;

  /** @param limit asked whenever somebody comes or leaves, and by `admit` */
  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /** Resolves when a place is free, with what gives it back (once); with undefined when `signal` aborts before. */
  take(signal: AbortSignal): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve(this.#enter());
      };
      const leave = () => {
        this.#line.splice(this.#line.indexOf(enter), 1);
        resolve(undefined);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#line.push(enter);
      this.admit();
    });
  }

  /** Lets in who waits as far as there is room: the limit may have been raised. */
  admit(): void {
    while (this.#taken < this.#limit()) {
      const enter = this.#line.shift();
      if (!enter) return;
      this.#taken += 1;
      enter();
    }
  }

  #enter(): () => void {
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#taken -= 1;
      this.admit();
    };
  }
}
