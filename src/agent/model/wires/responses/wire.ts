/** The Responses API: OpenAI itself, the Codex backend, Azure, xAI, Copilot and the servers that speak it. */

import type { ResponseCreateParams } from 'openai/resources/responses/responses';
import { type Quirks, quirksOf } from '../../catalogue/index.ts';
import type { ModelPart, ModelRequest, ModelWire } from '../../types.ts';
import { promptCacheKey } from '../cache-key.ts';
import { converse } from '../exchange/exchange.ts';
import {
  endpointOf,
  hostOf,
  join,
  post,
  sendMended,
  visionHeaders,
  type WireOptions,
  type WireResponse,
} from '../exchange/http.ts';
import { Patience } from '../exchange/patience.ts';
import { isBlank, wellFormed } from '../wire-text.ts';
import { WrittenMessages, withLast } from '../written-messages.ts';
import { ResponsesAssembler } from './assembler.ts';
import { compactThreshold, type NativeCompaction } from './compaction.ts';
import { neutralised } from './harmony.ts';
import { inputJson } from './input.ts';
import { LearntRefusals } from './refusals.ts';
import { issuerOf } from './seals.ts';
import { namesBack, responsesTools } from './tools.ts';

export interface ResponsesOptions extends WireOptions {
  /** Lets the server compact by itself where it can. Off by default. */
  readonly nativeCompaction?: NativeCompaction;
}

const OPENAI = 'https://api.openai.com/v1';
/** The API wants instructions, if only these. */
const NO_INSTRUCTIONS = 'You are a helpful assistant.';
/** Tokens; the API refuses less. */
const LEAST_OUTPUT = 16;

export function createResponsesWire(options: ResponsesOptions = {}): ModelWire {
  return new ResponsesWire(options);
}

class ResponsesWire implements ModelWire {
  readonly #options: ResponsesOptions;
  readonly #baseUrl: string;
  readonly #written = new WrittenMessages();
  readonly #learnt = new LearntRefusals();
  readonly #patience: Patience;

  constructor(options: ResponsesOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl ?? OPENAI;
    this.#patience = new Patience(this.#baseUrl, options.limits);
  }

  /** A refusal may also come in the stream, in place of its first word: then it is opened again, as with a 400. */
  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
    let headed = false;
    for (;;) {
      const { parts, refused } = this.#open(request, signal);
      let mends = false;
      for await (const part of parts) {
        mends = part.type === 'error' && this.#learnt.learn(refused() ?? '', request);
        if (mends) break;
        if (part.type !== 'head' || !headed) yield part;
        headed ||= part.type === 'head';
      }
      if (!mends) return;
    }
  }

  #open(request: ModelRequest, signal: AbortSignal): Opened {
    const { provider, ways: own } = this.#options;
    const quirks = quirksOf({ provider, baseUrl: this.#baseUrl, model: request.model, own });
    const issuer = issuerOf(quirks.issuer, this.#baseUrl);
    const nameBack = namesBack(request.tools, quirks);
    let assembler = new ResponsesAssembler({ quirks, issuer, nameBack });
    const again = () => {
      assembler = new ResponsesAssembler({ quirks, issuer, nameBack });
      return assembler;
    };
    const parts = converse(
      {
        endpoint: endpointOf(this.#options, hostOf(this.#baseUrl), request.model),
        send: (socket) => this.#send(request, { quirks, issuer }, socket),
        assembler,
        again,
        reopens: this.#options.reopens,
        connections: request.connections,
        waiting: this.#patience.of(request),
      },
      signal,
    );
    return { parts, refused: () => assembler.refused };
  }

  /** Asks again without what the server refuses, as long as it refuses something else each time. */
  async #send(request: ModelRequest, at: Destination, socket: AbortSignal): Promise<WireResponse> {
    const response = await this.#post(request, at, socket);
    if (response.status !== 400) return response;
    return sendMended(response, (said) =>
      this.#learnt.learn(said, request) ? this.#send(request, at, socket) : undefined,
    );
  }

  #post(request: ModelRequest, at: Destination, socket: AbortSignal): Promise<WireResponse> {
    const { apiKey } = this.#options;
    const headers = {
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...sessionHeaders(request, at.quirks),
      ...visionHeaders(request.messages, at.quirks),
    };
    return post(this.#options, join(this.#baseUrl, '/responses'), headers, this.#body(request, at), socket);
  }

  #body(request: ModelRequest, { quirks, issuer }: Destination): string {
    const { model, system, maxOutput } = request;
    const takes = (what: Parameters<LearntRefusals['takes']>[0]) => this.#learnt.takes(what, request);
    const tools = responsesTools(request.tools, quirks);
    const threshold = takes('native_compaction')
      ? compactThreshold(this.#options.nativeCompaction, quirks, request.compactAt)
      : undefined;
    const reasons = !quirks.noReasoning;
    const instructions = isBlank(system) ? NO_INSTRUCTIONS : wellFormed(system);
    const body: Omit<ResponseCreateParams, 'input'> = {
      model,
      stream: takes('streaming'),
      store: false,
      ...(reasons && !quirks.noInclude && takes('include') && { include: ['reasoning.encrypted_content' as const] }),
      instructions: quirks.controlTokens ? neutralised(instructions) : instructions,
      ...(tools.length > 0 && { tools, tool_choice: 'auto' as const, parallel_tool_calls: true }),
      ...(!quirks.noInclude && takes('cache_key') && { prompt_cache_key: keyOf(request) }),
      ...(reasons && takes('reasoning') && { reasoning: reasoningOf(request, takes('summary')) }),
      ...(threshold !== undefined && { context_management: [{ type: 'compaction', compact_threshold: threshold }] }),
      ...(maxOutput !== undefined && !quirks.noOutputLimit && { max_output_tokens: Math.max(LEAST_OUTPUT, maxOutput) }),
      ...quirks.extraBody,
    };
    const input = inputJson(request.messages, { quirks, issuer, seals: takes('seals') }, this.#written);
    return withLast(body, 'input', ...input);
  }
}

interface Opened {
  readonly parts: AsyncIterable<ModelPart>;
  /** What the stream was refused with, once it has failed. */
  refused(): string | undefined;
}

interface Destination {
  readonly quirks: Quirks;
  readonly issuer: string;
}

function reasoningOf({ effort }: ModelRequest, summary: boolean): NonNullable<ResponseCreateParams['reasoning']> {
  return { ...(effort !== undefined && { effort }), ...(summary && { summary: 'auto' }) };
}

function keyOf({ cacheKey, system, tools }: ModelRequest): string {
  return promptCacheKey({ scope: cacheKey, system, tools });
}

function sessionHeaders(request: ModelRequest, { sessionHeaders = {} }: Quirks): Record<string, string> {
  const named = Object.entries(sessionHeaders);
  return Object.fromEntries(
    named.map(([name, holds]) => [name, holds === 'session' ? request.cacheKey : keyOf(request)]),
  );
}
