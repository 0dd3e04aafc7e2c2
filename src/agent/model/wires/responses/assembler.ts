/** Puts the events of a Responses stream together. */

import * as z from 'zod';
import type { Usage } from '../../../../api.ts';
import type { Quirks } from '../../catalogue/index.ts';
import { ModelFailure } from '../../failures/failure.ts';
import type { Finish, ModelCall, ModelPart } from '../../types.ts';
import { callOf, readArguments } from '../arguments.ts';
import type { Assembler } from '../exchange/exchange.ts';
import type { ServerEvent } from '../exchange/sse.ts';
import { cut, fitting } from '../frames.ts';
import { ResponsesCalls, type StreamedCall } from './calls.ts';
import {
  parseResponsesEvent,
  type ResponsesAnswer,
  type ResponsesEvent,
  type ResponsesItem,
  ResponsesWhole,
} from './events.ts';
import { DistinctIds, madeCallId } from './ids.ts';
import { ResponsesSaid } from './said.ts';
import { usageOfResponse } from './usage.ts';

export interface ResponsesAssembling {
  readonly quirks: Quirks;
  /** Who seals the reasoning of this answer. */
  readonly issuer: string;
  /** The tool that the model means by a name. */
  nameBack(name: string): string;
}

interface Closing {
  readonly status: 'completed' | 'incomplete';
  readonly reason?: string | undefined;
}

export class ResponsesAssembler implements Assembler {
  readonly #of: ResponsesAssembling;
  readonly #calls = new ResponsesCalls();
  readonly #said: ResponsesSaid;
  #started = false;
  #closing: Closing | undefined;
  /** Some proxies send the closing mark of another API and no closing event. */
  #done = false;
  #usage: Usage | undefined;
  #refused: string | undefined;
  #responseId: string | undefined;

  constructor(of: ResponsesAssembling) {
    this.#of = of;
    this.#said = new ResponsesSaid(of.quirks.answersInReasoning ?? false);
  }

  get closed(): boolean {
    return this.#closing !== undefined || this.#done;
  }

  get responseId(): string | undefined {
    return this.#responseId;
  }

  get begun(): readonly string[] {
    return this.#calls.list().map(({ name }) => this.#of.nameBack(name));
  }

  /** The error that the stream consists of; undefined once anything was said. */
  get refused(): string | undefined {
    return this.#refused;
  }

  startsOver({ data }: ServerEvent): boolean {
    return this.#started && data.includes('"response.created"') && /"type"\s*:\s*"response\.created"/.test(data);
  }

  *push(event: ServerEvent): Generator<ModelPart> {
    if (event.data.startsWith('[DONE]')) {
      this.#done = true;
      return yield* this.#said.close();
    }
    try {
      const parsed = parseResponsesEvent(event);
      if (parsed !== undefined) yield* this.#take(parsed);
    } catch (error) {
      const nothing = !this.#said.any && !this.#calls.any;
      if (nothing && error instanceof ModelFailure && error.failure.at === 'frame') {
        this.#refused = JSON.stringify(error.failure.body);
      }
      throw error;
    }
  }

  /** The same answer as one body. */
  *whole(body: unknown): Generator<ModelPart> {
    const { output, output_text, ...response } = fitting(ResponsesWhole, body);
    if (!output && !output_text && !response.status) throw cut('The body is no response.');
    const said = output_text ? [{ type: 'message', content: [{ type: 'output_text', text: output_text }] }] : [];
    for (const [output_index, item] of (output?.length ? output : said).entries())
      yield* this.#take({ type: 'response.output_item.done', output_index, item });
    yield* this.#close(response);
  }

  end(): ModelPart {
    const streamed = this.#calls.list();
    const finish = this.#wholeFinish(streamed);
    const calls = finish === 'tool_calls' ? this.#finished(streamed) : [];
    const thinking = finish === 'content_filter' ? [] : this.#said.seals(this.#of.issuer);
    const dropped = finish === 'tool_calls' ? [] : this.begun;
    return {
      type: 'end',
      finish,
      calls,
      thinking,
      ...(dropped.length > 0 && { droppedCalls: dropped }),
      ...this.usage(),
    };
  }

  usage(): ReturnType<Assembler['usage']> {
    return this.#usage === undefined ? {} : { usage: this.#usage };
  }

  *#take(event: ResponsesEvent): Generator<ModelPart> {
    switch (event.type) {
      case 'response.created':
        this.#started = true;
        this.#responseId = event.response.id ?? undefined;
        return;
      case 'response.output_item.added':
        if (event.item.type === 'function_call') yield this.#named(this.#calls.item(event, event.item, false));
        else this.#said.announce(event, event.item);
        return;
      case 'response.output_item.done':
        yield* this.#itemDone(event, event.item);
        return;
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        yield* this.#said.text(event, event.delta, this.#calls.any);
        return;
      case 'response.output_text.done':
        yield* this.#said.wholeText(event, event.text, this.#calls.any);
        return;
      case 'response.reasoning_summary_text.delta':
        yield* this.#said.thought(event, event.delta, event.summary_index ?? undefined);
        return;
      case 'response.reasoning_text.delta':
        yield* this.#said.thought(event, event.delta, undefined);
        return;
      case 'response.function_call_arguments.delta':
        yield this.#named(this.#calls.fragment(event, event.delta));
        return;
      case 'response.function_call_arguments.done':
        yield this.#named(this.#calls.whole(event, event.name, event.arguments));
        return;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        yield* this.#close({
          ...event.response,
          status: event.response.status ?? event.type.slice('response.'.length),
        });
        return;
      default:
        return event satisfies never;
    }
  }

  *#itemDone(place: { readonly output_index?: number | null | undefined }, item: ResponsesItem): Generator<ModelPart> {
    if (item.type === 'function_call') yield this.#named(this.#calls.item(place, item, true));
    else yield* this.#said.done(place, item, this.#calls.any);
  }

  *#close({ status, incomplete_details, error, usage, id }: ResponsesAnswer): Generator<ModelPart> {
    if (usage) this.#usage = usageOfResponse(usage) ?? this.#usage;
    this.#responseId = id ?? this.#responseId;
    if (status === 'failed' || status === 'cancelled')
      throw new ModelFailure({ at: 'frame', body: failureOf(status, error) });
    const reason = incomplete_details?.reason ?? undefined;
    this.#closing = { status: status === 'incomplete' ? 'incomplete' : 'completed', reason };
    yield* this.#said.close();
  }

  #named(part: ModelPart): ModelPart {
    return part.type === 'call_progress' ? { ...part, name: this.#of.nameBack(part.name) } : part;
  }

  /** Throws when nothing proves that the answer is whole. */
  #wholeFinish(calls: readonly StreamedCall[]): Finish {
    if (!this.closed) {
      // Text that was closed itself is an answer: some servers end there.
      if (calls.length === 0 && this.#said.isClosedAnswer) return 'stop';
      const empty = !this.#said.any && calls.length === 0;
      throw cut(empty ? 'The stream was empty.' : 'The stream ended without its closing event.');
    }
    const { status, reason } = this.#closing ?? { status: 'completed' };
    if (status === 'incomplete') return reason === 'content_filter' ? 'content_filter' : 'incomplete';
    // Closed properly and still unfinished: the output limit cut it.
    if (calls.some(({ text }) => readArguments(text).is === 'unfinished')) return 'length';
    if (calls.length > 0) return 'tool_calls';
    switch (this.#said.substance) {
      case 'answer':
      case 'nothing':
        return 'stop';
      case 'aside':
        return 'incomplete';
      case 'reasoning':
        return this.#of.quirks.continuesReasoning ? 'incomplete' : 'stop';
      default:
        return this.#said.substance satisfies never;
    }
  }

  #finished(streamed: readonly StreamedCall[]): ModelCall[] {
    const ids = new DistinctIds();
    return streamed.map((call, index) => {
      const id = ids.take(call.callId === '' ? madeCallId(call, index) : call.callId);
      return callOf({ id, name: this.#of.nameBack(call.name), text: call.text });
    });
  }
}

const Failed = z.object({ code: z.string().nullish(), message: z.string().nullish() });

function failureOf(status: string, error: unknown): unknown {
  const { code, message } = Failed.safeParse(error).data ?? {};
  return { error: { code: code ?? status, message: message ?? `The response was ${status}.` } };
}
