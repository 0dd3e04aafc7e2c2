/** Calls back once after `ms`; the returned function ends it. */
export type Later = (ms: number, callback: () => void) => () => void;

/** Does `work` when it is asked for: never twice at a time, never twice within `pause` ms, and once more for the last wish. */
export class Paced {
  readonly #pause: number;
  readonly #work: () => Promise<void>;
  readonly #later: Later;
  #state: 'resting' | 'working' | 'pausing' | 'over' = 'resting';
  #again = false;
  #cancel = (): void => undefined;

  /** @param work must not reject */
  constructor(pause: number, work: () => Promise<void>, later: Later = pageLater) {
    this.#pause = pause;
    this.#work = work;
    this.#later = later;
  }

  wish(): void {
    if (this.#state === 'resting') void this.#run();
    else this.#again = true;
  }

  dispose(): void {
    this.#state = 'over';
    this.#cancel();
  }

  async #run(): Promise<void> {
    this.#again = false;
    this.#state = 'working';
    await this.#work();
    if (this.#isOver()) return;
    this.#state = 'pausing';
    this.#cancel = this.#later(this.#pause, () => {
      this.#state = 'resting';
      if (this.#again) this.wish();
    });
  }

  #isOver(): boolean {
    return this.#state === 'over';
  }
}

function pageLater(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
