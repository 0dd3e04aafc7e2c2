import { readRateLimits } from '../../recovery/rate-limits.ts';
import type { AttemptFacts } from '../../types.ts';

/** Headers by which a provider or a proxy finds a request again. */
const KEPT_HEADERS = [
  'x-request-id',
  'request-id',
  'cf-ray',
  'cf-cache-status',
  'x-openrouter-provider',
  'x-openrouter-model',
  'x-openrouter-id',
  'x-vercel-id',
  'x-amzn-requestid',
  'x-ms-request-id',
  'via',
  'server',
  'x-forwarded-for',
];
const LONGEST_HEADER = 120;

/** Takes down how one attempt went. */
export class AttemptRecord {
  readonly #startedAt = Date.now();
  readonly #start = performance.now();
  readonly #reopened: string[] = [];
  #firstEventMs: number | undefined;
  #events = 0;
  #status: number | undefined;
  #headers: Record<string, string> = {};
  #received: Headers | undefined;
  /** Its head was announced. */
  headed = false;
  /** Something of it was seen: what comes next has to go on from there. */
  shown = false;

  answered({ status, headers }: Pick<Response, 'status' | 'headers'>): void {
    this.#status = status;
    this.#received = headers;
    const kept = KEPT_HEADERS.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value.slice(0, LONGEST_HEADER)]];
    });
    this.#headers = Object.fromEntries(kept);
  }

  event(): void {
    this.#events += 1;
    this.#firstEventMs ??= performance.now() - this.#start;
  }

  /** The connection broke and another one is opened for the same attempt. */
  reopened(why: string): void {
    this.#reopened.push(why);
  }

  /** The headers of the newest answer. */
  get headers(): Headers | undefined {
    return this.#received;
  }

  facts(responseId: string | undefined): AttemptFacts {
    const rateLimits = this.#received && readRateLimits(this.#received, Date.now());
    return {
      startedAt: this.#startedAt,
      elapsedMs: performance.now() - this.#start,
      events: this.#events,
      headers: this.#headers,
      ...(this.#firstEventMs !== undefined && { firstEventMs: this.#firstEventMs }),
      ...(this.#status !== undefined && { status: this.#status }),
      ...(responseId !== undefined && { responseId }),
      ...(this.#reopened.length > 0 && { reopened: this.#reopened }),
      ...(rateLimits !== undefined && { rateLimits }),
    };
  }
}
