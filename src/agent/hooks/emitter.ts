import type { Disposable } from '../../api.ts';

/** Listeners of one kind of event. One that throws is told to `failed` and keeps the others from nothing. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<{ readonly listen: (event: T) => void }>();
  readonly #failed: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  readonly event = (listen: (event: T) => void): Disposable => {
    const listener = { listen };
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  fire(event: T): void {
    for (const { listen } of [...this.#listeners]) {
      try {
        listen(event);
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
