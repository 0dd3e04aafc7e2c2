import type { Clock, Log } from '../../turn/types.ts';
import { HookFailure } from '../types.ts';
import { bodyOf, type Delivery, headersOf } from './body.ts';
import type { Webhook } from './config.ts';
import { post } from './post.ts';

/** Deliveries of one webhook that wait for their turn. */
const QUEUE = 256;
const ATTEMPTS = 2;
/** Milliseconds before the second attempt; times the number of those before. */
const PAUSE = 1000;

export interface SenderParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
  /** The secret that is kept for a webhook's name. May reject: the delivery then fails. */
  storedSecret(name: string): Promise<string | undefined>;
}

interface Waiting {
  readonly delivery: Delivery;
  done(status: number): void;
  failed(why: HookFailure): void;
}

/** Sends to one webhook, one delivery after the other. Nobody waits for it. */
export class Sender {
  readonly #webhook: Webhook;
  readonly #parts: SenderParts;
  readonly #closing = new AbortController();
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  #dropped = 0;

  constructor(webhook: Webhook, parts: SenderParts) {
    this.#webhook = webhook;
    this.#parts = parts;
  }

  /** How many deliveries found no room. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Resolves with the status of a delivery that arrived. Rejects with a `HookFailure`. */
  send(delivery: Delivery): Promise<number> {
    if (this.#closing.signal.aborted) return Promise.reject(new HookFailure('aborted', 'It was not sent any more.'));
    if (this.#waiting.length >= QUEUE) {
      this.#dropped += 1;
      this.#parts.log.debug(`The webhook ${this.#webhook.name} has dropped ${this.#dropped} deliveries.`);
      return Promise.reject(new HookFailure('http', `${QUEUE} deliveries wait already; newer ones are dropped.`));
    }
    return new Promise((done, failed) => {
      this.#waiting.push({ delivery, done, failed });
      this.#working ??= this.#work();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.#working;
  }

  /** Ends what is on its way; what waits is not sent. */
  dispose(): void {
    this.#closing.abort();
  }

  async #work(): Promise<void> {
    // Never in the tick of the event: it is on the turn's path.
    await new Promise((resolve) => setImmediate(resolve));
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        next.done(await this.#deliver(next.delivery));
      } catch (error) {
        next.failed(error instanceof HookFailure ? error : new HookFailure('http', wordsOf(error)));
      }
    }
    this.#working = undefined;
  }

  /** A refusal (4xx) and a redirect stay what they are; a server in trouble is asked once more, with the same id. */
  async #deliver(delivery: Delivery): Promise<number> {
    const body = bodyOf(delivery);
    const headers = headersOf(delivery, body, await this.#secret());
    for (let attempt = 1; ; attempt++) {
      const said = await this.#attempt(headers, body);
      if (typeof said === 'number' && said >= 200 && said < 300) return said;
      const mayPass = typeof said !== 'number' || said >= 500;
      if (!mayPass || attempt === ATTEMPTS) throw new HookFailure('http', failureWords(said, attempt));
      await this.#pause(PAUSE * attempt);
    }
  }

  /** Undefined: unsigned. A variable that is named but not set does not fall back to a stored secret. */
  async #secret(): Promise<string | undefined> {
    const { name, secretEnv } = this.#webhook;
    return secretEnv === undefined ? this.#parts.storedSecret(name) : this.#parts.env[secretEnv];
  }

  /** The status, or why there was none. */
  async #attempt(headers: Readonly<Record<string, string>>, body: Buffer): Promise<number | Error> {
    const late = new AbortController();
    const { timeout, url } = this.#webhook;
    const stopTimer = this.#parts.clock.after(timeout, () => late.abort());
    try {
      return await post(url, headers, body, AbortSignal.any([late.signal, this.#closing.signal]));
    } catch (error) {
      if (this.#closing.signal.aborted) throw new HookFailure('aborted', 'It was ended before it had arrived.');
      if (late.signal.aborted) return new Error(`it did not answer within ${timeout / 1000} s`);
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      stopTimer();
    }
  }

  #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    return new Promise((resolve, reject) => {
      const ended = () => reject(new HookFailure('aborted', 'It was ended before it had arrived.'));
      if (signal.aborted) return ended();
      const stopTimer = this.#parts.clock.after(ms, () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
      const onAbort = () => {
        stopTimer();
        ended();
      };
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}

function failureWords(said: number | Error, attempts: number): string {
  const tries = attempts === 1 ? '' : ` (${attempts} attempts)`;
  if (typeof said !== 'number') return `The delivery did not arrive: ${wordsOf(said)}${tries}.`;
  if (said >= 300 && said < 400) return `The server sent it elsewhere (HTTP ${said}), which is not followed.`;
  return `The server answered with HTTP ${said}${tries}.`;
}

/** Some errors of the network have their words in what they are made of. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return wordsOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
