import { Silence } from './silence.ts';

/** How long the body may still take to end behind its closing frame. Read to its end, the connection is used again. */
const DRAIN_MS = 50;

/** The socket of one request, with what may close it: a stop, silence, a body that does not end. */
export class Connection {
  readonly socket = new AbortController();
  readonly silence = new Silence(() => this.socket.abort());
  readonly #signal: AbortSignal;
  readonly #abort = () => this.socket.abort();
  #drain: NodeJS.Timeout | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#abort, { once: true });
  }

  /** The closing frame was read: what is left of the body is not waited for. */
  drain(): void {
    this.silence.stop();
    this.#drain ??= setTimeout(this.#abort, DRAIN_MS);
  }

  /** @param whole the body was read to its end, so that the socket may be used again */
  close(whole: boolean): void {
    this.silence.stop();
    clearTimeout(this.#drain);
    this.#signal.removeEventListener('abort', this.#abort);
    if (!whole) this.socket.abort();
  }
}
