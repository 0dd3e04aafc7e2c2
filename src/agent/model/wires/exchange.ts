/**
 * One request and its streamed answer, for every wire over HTTP. The contract of `ModelWire` is kept here and nowhere
 * else; a wire brings the request, an `Assembler` and, where they are not server-sent events, the way to read events.
 */

import { setImmediate } from 'node:timers/promises';
import { classify } from '../classify.ts';
import { type Endpoint, type Failure, ModelFailure } from '../failure.ts';
import type { ModelError, ModelPart } from '../types.ts';
import { refuseNonStream } from './http.ts';
import { loadSse, type ReadEvents, type ServerEvent } from './sse.ts';

export interface Exchange<Event = ServerEvent> {
  readonly endpoint: Endpoint;
  /** Sends the request; aborting `signal` closes its socket, before the head and after. */
  send(signal: AbortSignal): Promise<Response>;
  readonly assembler: Assembler<Event>;
  /** Adds what only this wire knows of a failure. */
  explain?(error: ModelError): ModelError;
}

/** Puts the events of one answer together. Holds everything back that is not whole. */
export interface Assembler<Event = ServerEvent> {
  /** True once the closing frame has been read: what follows is ignored. */
  readonly closed: boolean;
  /** Parts for the eye. Throws a `ModelFailure` for an error frame. */
  push(event: Event): Iterable<ModelPart>;
  /** The last part, when the stream is over: `end` or `error`. Throws a `ModelFailure` when the answer is not whole. */
  end(): ModelPart;
  /** What the provider has counted so far. */
  usage(): Pick<Extract<ModelPart, { type: 'error' }>, 'usage'>;
}

/** How long the body may still take to end behind its closing frame. Read to its end, the connection is used again. */
const DRAIN_MS = 50;

/**
 * How long events of one read are handed on without a break. Longer, and a burst holds up everything else in the host:
 * a stop, the timers of the chat, other extensions.
 */
const BREATH_MS = 8;

const ABORTED: ModelPart = { type: 'aborted' };

/** Over server-sent events. */
export function converse(exchange: Exchange, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
  return converseOver(loadSse, exchange, signal);
}

/** @param load what reads the events of an answer's body; loaded while the request is under way */
export async function* converseOver<Event>(
  load: () => Promise<ReadEvents<Event>>,
  exchange: Exchange<Event>,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, void> {
  if (signal.aborted) return yield ABORTED;
  const { assembler } = exchange;
  const socket = new AbortController();
  const abort = () => socket.abort();
  signal.addEventListener('abort', abort, { once: true });
  let drain: NodeJS.Timeout | undefined;
  let headed = false;
  let last: ModelPart | undefined;
  try {
    const [readEvents, response] = await Promise.all([load(), exchange.send(socket.signal)]);
    await refuseNonStream(response);
    if (!signal.aborted) {
      headed = true;
      yield { type: 'head' };
      let breath = performance.now();
      for await (const event of readEvents(response, socket)) {
        if (signal.aborted) break;
        if (assembler.closed) continue;
        for (const part of assembler.push(event)) {
          yield part;
          if (signal.aborted) break;
        }
        if (assembler.closed) drain ??= setTimeout(abort, DRAIN_MS);
        if (performance.now() - breath > BREATH_MS) {
          await setImmediate();
          breath = performance.now();
        }
      }
    }
    last = signal.aborted ? ABORTED : assembler.end();
  } catch (error) {
    if (signal.aborted) last = ABORTED;
    else
      last = assembler.closed && !(error instanceof ModelFailure) ? finish(exchange) : failed(exchange, error, headed);
  } finally {
    clearTimeout(drain);
    signal.removeEventListener('abort', abort);
    // Also when the consumer left early: nobody reads on, so nothing stays open.
    if (last === undefined || last.type !== 'end') socket.abort();
  }
  yield last;
}

function finish<Event>(exchange: Exchange<Event>): ModelPart {
  try {
    return exchange.assembler.end();
  } catch (error) {
    return failed(exchange, error, true);
  }
}

function failed<Event>(exchange: Exchange<Event>, error: unknown, afterHead: boolean): ModelPart {
  const failure: Failure = error instanceof ModelFailure ? error.failure : { at: 'thrown', error, afterHead };
  const judged = classify(failure, exchange.endpoint);
  return { type: 'error', error: exchange.explain?.(judged) ?? judged, ...exchange.assembler.usage() };
}
