/**
 * One request and its streamed answer, for every wire over HTTP. The contract of `ModelWire` is kept here and nowhere
 * else; a wire brings the request, an `Assembler` and, where they are not server-sent events, the way to read events.
 */

import { setImmediate } from 'node:timers/promises';
import { classify } from '../../failures/classify.ts';
import { type Endpoint, type Failure, ModelFailure } from '../../failures/failure.ts';
import { nothingCame } from '../../failures/kinds.ts';
import type { ModelError, ModelPart } from '../../types.ts';
import { AttemptRecord } from './attempt-record.ts';
import { Connection } from './connection.ts';
import { readHead, type WholeBody, type WireResponse } from './http.ts';
import type { Waiting } from './patience.ts';
import { loadSse, type ReadEvents, type ServerEvent } from './sse.ts';

export interface Exchange<Event = ServerEvent> {
  readonly endpoint: Endpoint;
  /** Sends the request; aborting `signal` closes its socket, before the head and after. */
  send(signal: AbortSignal): Promise<WireResponse>;
  readonly assembler: Assembler<Event>;
  /** A new assembler: an answer that breaks off before anything of it was shown is then asked for again at once. */
  again?(): Assembler<Event>;
  /** How often at most; 2 by default. An answer that was empty is asked for once more at most. */
  readonly reopens?: number | undefined;
  /** How often the request may be sent at all. */
  readonly connections?: number | undefined;
  /** How long it may stand still. Without it as long as the platform lets it. */
  readonly waiting?: Waiting;
  /** Adds what only this wire knows of a failure. */
  explain?(error: ModelError): ModelError;
}

/** Puts the events of one answer together. Holds everything back that is not whole. */
export interface Assembler<Event = ServerEvent> {
  /** True once the closing frame has been read: what follows is ignored. */
  readonly closed: boolean;
  /** The provider's own id of the answer. */
  readonly responseId?: string | undefined;
  /** Names of the calls that were begun. */
  readonly begun?: readonly string[];
  /** Whether the event begins another answer: one that a relay asked for again behind a part of the first. */
  startsOver?(event: Event): boolean;
  /** Parts for the eye. Throws a `ModelFailure` for an error frame. */
  push(event: Event): Iterable<ModelPart>;
  /** The same for an answer that came as one JSON body, where the API has such. */
  whole?(body: unknown): Iterable<ModelPart>;
  /** The last part, when the stream is over: `end` or `error`. Throws a `ModelFailure` when the answer is not whole. */
  end(): ModelPart;
  /** What the provider has counted so far. */
  usage(): Pick<Extract<ModelPart, { type: 'error' }>, 'usage'>;
}

type Last = Extract<ModelPart, { type: 'end' | 'error' | 'aborted' }>;

const REOPENS = 2;

/**
 * How long events of one read are handed on without a break. Longer, and a burst holds up everything else in the host:
 * a stop, the timers of the chat, other extensions.
 */
const BREATH_MS = 8;

/** Over server-sent events. */
export function converse(exchange: Exchange, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
  return converseOver(loadSse, exchange, signal, isPing);
}

const PING = /^\s*\{\s*"type"\s*:\s*"(ping|keep_?-?alive|heartbeat)"/i;
const LONGEST_PING = 200;

/** A ping says that the server lives, and nothing of the model. Relays send theirs without a name. */
function isPing({ event, data }: ServerEvent): boolean {
  return event === 'ping' || (data.length < LONGEST_PING && PING.test(data));
}

/**
 * @param load what reads the events of an answer's body; loaded while the request is under way
 * @param isIdle whether an event only keeps the connection open
 */
export async function* converseOver<Event>(
  load: () => Promise<ReadEvents<Event>>,
  exchange: Exchange<Event>,
  signal: AbortSignal,
  isIdle: (event: Event) => boolean = () => false,
): AsyncGenerator<ModelPart, void> {
  if (signal.aborted) return yield { type: 'aborted' };
  const record = new AttemptRecord();
  if (exchange.waiting?.streak.givesUp()) return yield failed(exchange, new ModelFailure(GAVE_UP), record);
  let current = exchange;
  // One generator for all of it: another one in between would cost each delta as much again.
  let wasEmpty = false;
  for (let left = reopensOf(exchange); ; left--) {
    const { waiting } = current;
    let { assembler } = current;
    const connection = new Connection(signal);
    const { socket, silence } = connection;
    let last: Last | undefined;
    let whole: WholeBody | undefined;
    try {
      if (waiting) silence.wait(waiting.limits.firstEventMs);
      const [readEvents, response] = await Promise.all([load(), exchange.send(socket.signal)]);
      record.answered(response);
      whole = await readHead(response, assembler.whole !== undefined);
      if (!signal.aborted) {
        if (!record.headed) yield { type: 'head' };
        record.headed = true;
        let breath = performance.now();
        for await (const event of whole === undefined ? readEvents(response, socket) : []) {
          if (signal.aborted) break;
          if (assembler.closed || isIdle(event)) continue;
          silence.rest();
          record.event();
          const fresh = assembler.startsOver?.(event) ? exchange.again?.() : undefined;
          if (fresh !== undefined) {
            assembler = fresh;
            current = { ...current, assembler };
            if (record.shown) yield { type: 'restart' };
            record.shown = false;
          }
          for (const part of assembler.push(event)) {
            record.shown ||= isShown(part);
            yield part;
            if (signal.aborted) break;
          }
          if (assembler.closed) connection.drain();
          else if (waiting) silence.wait(waiting.limits.silenceMs);
          if (performance.now() - breath > BREATH_MS) {
            await setImmediate();
            breath = performance.now();
          }
        }
        if (whole !== undefined) record.event();
        for (const part of whole === undefined ? [] : (assembler.whole?.(whole.body) ?? [])) {
          record.shown ||= isShown(part);
          yield part;
        }
      }
      // Some readers end quietly when their socket is closed.
      if (silence.passed !== undefined && !assembler.closed) throw silentFor(silence.passed);
      last = signal.aborted ? { type: 'aborted' } : lastOf(assembler.end());
    } catch (error) {
      if (signal.aborted) last = { type: 'aborted' };
      else if (assembler.closed && !(error instanceof ModelFailure)) last = finish(current, record);
      else if (silence.passed !== undefined) last = failed(current, silentFor(silence.passed), record);
      else
        last = failed(
          current,
          whole !== undefined && isNothing(error, current, record) ? whole.foreign : error,
          record,
        );
    } finally {
      // Also when the consumer left early: nobody reads on, so nothing stays open.
      connection.close(last?.type === 'end');
    }
    count(current, record, last, silence.passed !== undefined);
    const isEmpty = last.type === 'error' && last.error.empty === true;
    // A server that has nothing to say twice has nothing to say the third time.
    if (isEmpty && wasEmpty && last.type === 'error') last = { ...last, error: { ...last.error, retryable: false } };
    const next = left > 0 && !(isEmpty && wasEmpty) && isLostUnseen(last, record) ? exchange.again?.() : undefined;
    wasEmpty ||= isEmpty;
    if (next === undefined) return yield withFacts(last, current, record);
    if (last.type === 'error') record.reopened(last.error.detail);
    current = { ...exchange, assembler: next };
  }
}

const GAVE_UP: Failure = {
  at: 'silent',
  why: 'The last streams of this model fell silent, one after the other, so none was opened.',
  gaveUp: true,
};

function reopensOf<Event>({ again, reopens = REOPENS, connections }: Exchange<Event>): number {
  return again === undefined ? 0 : Math.min(reopens, (connections ?? Number.POSITIVE_INFINITY) - 1);
}

function isShown({ type }: ModelPart): boolean {
  return type === 'text' || type === 'reasoning' || type === 'call_progress';
}

/** The streak is of streams that fell silent before anything was shown. A person's stop says nothing of the server. */
function count<Event>({ waiting }: Exchange<Event>, record: AttemptRecord, last: Last, silent: boolean): void {
  if (silent && !record.shown && last.type === 'error') waiting?.streak.stale();
  else if (last.type === 'end' || (last.type === 'error' && record.shown)) waiting?.streak.alive();
}

/** The body holds no answer at all, such as a gateway's own words: asking again would bring the same. */
function isNothing<Event>(error: unknown, { assembler }: Exchange<Event>, record: AttemptRecord): boolean {
  const cut = error instanceof ModelFailure && error.failure.at === 'cut';
  return cut && !record.shown && (assembler.begun ?? []).length === 0;
}

/** Nobody has seen anything of it, so that asking again says nothing twice. Silence was long enough once. */
function isLostUnseen(last: Last, record: AttemptRecord): boolean {
  return last.type === 'error' && last.error.kind === 'stream_cut' && !record.shown;
}

function silentFor(ms: number): ModelFailure {
  return new ModelFailure({ at: 'silent', why: `Nothing came for ${Math.round(ms / 1000)} s.` });
}

function finish<Event>(exchange: Exchange<Event>, record: AttemptRecord): Last {
  try {
    return lastOf(exchange.assembler.end());
  } catch (error) {
    return failed(exchange, error, record);
  }
}

function failed<Event>(exchange: Exchange<Event>, error: unknown, record: AttemptRecord): Last {
  const { assembler, endpoint } = exchange;
  const failure: Failure =
    error instanceof ModelFailure ? error.failure : { at: 'thrown', error, afterHead: record.headed };
  const judged = classify(failure, endpoint);
  const { begun = [] } = assembler;
  const unseen = judged.kind === 'stream_cut' && !record.shown;
  const worded = unseen ? { ...judged, message: nothingCame(endpoint) } : judged;
  const empty = unseen && failure.at === 'cut' && begun.length === 0;
  const explained = exchange.explain?.(worded) ?? worded;
  return {
    type: 'error',
    error: {
      ...explained,
      ...(begun.length > 0 && { droppedCalls: begun }),
      ...(empty && { empty }),
    },
    ...assembler.usage(),
  };
}

function lastOf(part: ModelPart): Last {
  if (part.type === 'end' || part.type === 'error' || part.type === 'aborted') return part;
  throw new Error(`An assembler ended with ${part.type}.`);
}

function withFacts<Event>(last: Last, { assembler }: Exchange<Event>, record: AttemptRecord): Last {
  return { ...last, facts: record.facts(assembler.responseId) };
}
