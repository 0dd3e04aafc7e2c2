import type { ModelCall, ModelError, ModelPart, ModelRequest, ModelWire } from '../../../src/agent/model/types.ts';
import { sealThinking } from '../../../src/agent/model/wires/sealed-thinking.ts';
import type { ModelPort, ResolvedModel } from '../../../src/agent/turn/index.ts';

/** Signs the thinking of every other answer. */
export const THINKING_HOST = 'api.anthropic.com';

/** A model that says what the schedule makes it say, when it makes it. */
export class ScriptedModel implements ModelPort, ModelWire {
  /** Every attempt that was asked in this or an earlier life of the host, by serial number. */
  readonly streams: Stream[];
  /** Look-ups of the model that nobody has answered yet. */
  readonly lookups: { readonly answer: (found: boolean) => void }[] = [];
  /** True when the look-up takes until the schedule answers it. */
  slow = false;
  /** Tokens. */
  window = 100_000;
  readonly #first: number;
  readonly #asked: (stream: Stream) => void;

  /**
   * @param streams of earlier lives; new ones are added
   * @param asked called as a request goes out
   */
  constructor(streams: Stream[], asked: (stream: Stream) => void) {
    this.streams = streams;
    this.#first = streams.length;
    this.#asked = asked;
  }

  /** Attempts of this life that have not come to their end, the newest last. */
  get open(): readonly Stream[] {
    return this.streams.slice(this.#first).filter(({ over }) => !over);
  }

  resolve(): Promise<ResolvedModel | { readonly error: ModelError }> {
    const model = { ...this.#model, contextWindow: this.window };
    if (!this.slow) return Promise.resolve(model);
    const { promise, resolve } = Promise.withResolvers<ResolvedModel | { readonly error: ModelError }>();
    const lookup = {
      answer: (found: boolean) => {
        this.lookups.splice(this.lookups.indexOf(lookup), 1);
        resolve(found ? model : { error: error('auth', false) });
      },
    };
    this.lookups.push(lookup);
    return promise;
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const stream = new Stream(this.streams.length, request, signal);
    this.streams.push(stream);
    this.#asked(stream);
    return stream;
  }

  readonly #model: ResolvedModel = {
    ref: 'fake/model',
    label: 'Fake',
    wire: this,
    model: 'claude-fake',
    contextWindow: 100_000,
    maxOutput: 4096,
    vision: false,
  };
}

/** One attempt as the wire sees it. What is pushed after the abort arrives all the same: the loop has to drop it. */
export class Stream implements AsyncIterable<ModelPart> {
  readonly serial: number;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  hasHead = false;
  over = false;
  /** Visible text that was pushed before the abort. */
  text = '';
  /** Calls that were pushed before the abort, as the model wrote them. */
  calls: readonly ModelCall[] = [];
  #pieces = 0;
  readonly #parts: ModelPart[] = [];
  #wake: (() => void) | undefined;

  constructor(serial: number, request: ModelRequest, signal: AbortSignal) {
    this.serial = serial;
    this.request = request;
    this.signal = signal;
  }

  get aborted(): boolean {
    return this.signal.aborted;
  }

  head(): void {
    this.hasHead = true;
    this.#push({ type: 'head' });
  }

  /** A piece of text that names the attempt it belongs to: `s3.0`. */
  say(part: 'text' | 'reasoning'): void {
    const text = `s${this.serial}.${this.#pieces++} `;
    if (part === 'text' && !this.aborted) this.text += text;
    this.#push({ type: part, text });
  }

  callProgress(): void {
    this.#push({ type: 'call_progress', index: 0, name: 'read', characters: 10 });
  }

  end(calls: readonly ModelCall[], finish: Extract<ModelPart, { type: 'end' }>['finish'] = 'stop'): void {
    if (!this.aborted) this.calls = calls;
    this.over = true;
    const thinking = [sealThinking(`thinking of s${this.serial}`, `sealed ${this.serial}`, THINKING_HOST)];
    const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    this.#push({ type: 'end', finish, calls, thinking: this.serial % 2 === 0 ? thinking : [], usage });
  }

  fail(failure: ModelError): void {
    this.over = true;
    this.#push({ type: 'error', error: failure });
  }

  /** The wire has seen the abort. */
  confirmAbort(): void {
    this.over = true;
    this.#push({ type: 'aborted' });
  }

  /** Ends without a closing part. */
  cut(): void {
    this.over = true;
    this.#wakeUp();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<ModelPart> {
    for (;;) {
      const part = this.#parts.shift();
      if (part) yield part;
      else if (this.over) return;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }

  #push(part: ModelPart): void {
    this.#parts.push(part);
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

export function error(kind: ModelError['kind'], retryable: boolean, retryAfterMs?: number): ModelError {
  return {
    kind,
    message: `The model failed: ${kind}.`,
    detail: kind,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
