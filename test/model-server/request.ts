/** One request as the server saw it, with the handles by which a test steers its answer. */

import type { IncomingHttpHeaders } from 'node:http';

export type RequestWire =
  | 'openai-chat'
  | 'openai-responses'
  | 'anthropic'
  | 'gemini'
  | 'bedrock'
  | 'models'
  | 'unknown';

export interface Closing {
  /** Milliseconds since the epoch, with fractions. */
  readonly at: number;
  /** `finished`: the whole answer went out. `server`: a script cut it. `client`: the other side closed the socket. */
  readonly by: 'finished' | 'server' | 'client';
}

export class RecordedRequest {
  /** 0-based, over all requests to the model endpoints. */
  readonly index: number;
  readonly wire: RequestWire;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's port: two requests with one port came over one connection. */
  readonly port: number | undefined;
  /** Milliseconds since the epoch, with fractions: when the request's head had arrived. */
  readonly arrivedAt: number;
  /** When its whole body had arrived. */
  readonly receivedAt = now();
  readonly bytes: Buffer;
  /** The parsed body; undefined when it is not JSON. */
  readonly body: unknown;
  /** Why the real API would have answered 400. */
  invalid: string | undefined;
  /** When the first byte of the answer's body was written. */
  firstWriteAt: number | undefined;
  lastWriteAt: number | undefined;
  /** Bytes of the answer's body so far. */
  written = 0;
  /** The name of the pause at which the answer stands; `head` before its head. */
  pausedAt: string | undefined;
  closing: Closing | undefined;
  /** Resolves when the answer is over, whoever ended it. */
  readonly closed: Promise<Closing>;

  readonly #released = new Set<string>();
  #continue: (() => void) | undefined;
  #markClosed: (closing: Closing) => void = () => {};
  #pauseListeners: { name: string | undefined; resolve: () => void }[] = [];

  constructor(options: Pick<RecordedRequest, 'index' | 'wire' | 'path' | 'headers' | 'port' | 'arrivedAt' | 'bytes'>) {
    this.index = options.index;
    this.wire = options.wire;
    this.path = options.path;
    this.headers = options.headers;
    this.port = options.port;
    this.arrivedAt = options.arrivedAt;
    this.bytes = options.bytes;
    this.body = parse(options.bytes);
    this.closed = new Promise((resolve) => {
      this.#markClosed = resolve;
    });
  }

  /**
   * Lets the answer go on: from the pause with that name, also when it is not reached yet, or without a name from the
   * pause at which it stands (false when it stands at none).
   */
  release(name?: string): boolean {
    if (name !== undefined && name !== this.pausedAt) {
      this.#released.add(name);
      return true;
    }
    const go = this.#continue;
    if (go === undefined) return false;
    go();
    return true;
  }

  /** Resolves when the answer stands at a pause (with that name). Rejects when it is over before. */
  async paused(name?: string): Promise<void> {
    if (this.pausedAt !== undefined && (name === undefined || name === this.pausedAt)) return;
    const reached = new Promise<'paused'>((resolve) => {
      this.#pauseListeners.push({ name, resolve: () => resolve('paused') });
    });
    if ((await Promise.race([reached, this.closed])) !== 'paused') {
      throw new Error(`Request ${this.index} ended before its pause${name === undefined ? '' : ` ${name}`}.`);
    }
  }

  /** Used by the server: stands at a pause until it is released or the answer is over. */
  async standAt(name: string): Promise<void> {
    if (this.#released.delete(name) || this.closing !== undefined) return;
    const released = new Promise<void>((resolve) => {
      this.#continue = resolve;
    });
    this.pausedAt = name;
    const reached = this.#pauseListeners.filter((listener) => (listener.name ?? name) === name);
    this.#pauseListeners = this.#pauseListeners.filter((listener) => !reached.includes(listener));
    for (const listener of reached) listener.resolve();
    await Promise.race([released, this.closed]);
    this.pausedAt = undefined;
    this.#continue = undefined;
  }

  /** Used by the server. Only the first call counts. */
  close(by: Closing['by']): void {
    if (this.closing !== undefined) return;
    this.closing = { at: now(), by };
    this.#markClosed(this.closing);
  }
}

/** Milliseconds since the epoch, with fractions; comparable between processes of one machine. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
