/** The events of one consumer, oldest first; the oldest goes when there is no room. One event at a time is delivered. */
export class StreamQueue<T> {
  readonly #room: number;
  readonly #deliver: (event: T) => Promise<void>;
  #waiting: T[] = [];
  #working: Promise<void> | undefined;
  #retired = false;

  /** @param deliver resolves when the consumer is ready for the next one; must not reject */
  constructor(room: number, deliver: (event: T) => Promise<void>) {
    this.#room = room;
    this.#deliver = deliver;
  }

  /** Returns at once; nothing of the consumer runs in this tick. @returns false when the oldest had to go for it */
  offer(event: T): boolean {
    if (this.#retired) return true;
    const fits = this.#waiting.length < this.#room;
    if (!fits) this.#waiting.shift();
    this.#waiting.push(event);
    this.#working ??= this.#work();
    return fits;
  }

  /** What waits is thrown away; nothing is delivered any more. What is being delivered goes on. */
  retire(): void {
    this.#retired = true;
    this.#waiting = [];
  }

  /** Resolves when nothing waits and nothing is being delivered. */
  async idle(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    // A tick of the event loop before each: a consumer that keeps the thread never holds up more than one token.
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const event = this.#waiting.shift();
      if (event === undefined) break;
      await this.#deliver(event);
    }
    this.#working = undefined;
  }
}
