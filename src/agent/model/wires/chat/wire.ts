/** The Chat Completions API: OpenAI itself and the many servers that speak it (Ollama, LM Studio, OpenRouter, …). */

import type { ChatCompletionCreateParamsBase } from 'openai/resources/chat/completions/completions';
import { type CachePolicy, cachePolicy } from '../../catalogue/cache-policy.ts';
import { type Quirks, quirksOf } from '../../catalogue/index.ts';
import type { ModelPart, ModelRequest, ModelWire } from '../../types.ts';
import { askedLast } from '../asked-last.ts';
import { promptCacheKey } from '../cache-key.ts';
import { cacheMark, markLast, settledMessages } from '../cache-marks.ts';
import { converse } from '../exchange/exchange.ts';
import {
  cachingOf,
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
import { createResponsesWire } from '../responses/wire.ts';
import { elements, WrittenMessages, withMessages } from '../written-messages.ts';
import { ChatAssembler } from './assembler.ts';
import { effortFields } from './effort.ts';
import { type ChatDialect, chatMessages, chatTools, markChatMessage } from './messages.ts';

const OPENAI = 'https://api.openai.com/v1';

export function createOpenAiChatWire(options: WireOptions = {}): ModelWire {
  return new OpenAiChatWire(options);
}

/** Milliseconds until the first byte of an answer that is not streamed: by then all of it was written. */
const WHOLE_ANSWER_MS = 1_800_000;

/** What a refusal says of a field or a way that the next request can do without. */
const REFUSES_STREAM_OPTIONS = /stream_options/;
const REFUSES = /extra|not (support|permit)|unsupported|unrecogni[sz]ed|unexpected|unknown/i;
const REFUSES_STREAMS =
  /stream(ing)?\b.{0,40}\b(not|n't|un)\s?support|not support.{0,20}\bstream|unsupported.{0,20}'?stream/is;

/** Services that take the calls of their models apart: what stands in a text there is a text. */
const TAKES_CALLS_APART =
  /(^|\.)(openai\.com|azure\.com|mistral\.ai|x\.ai|deepseek\.com|moonshot\.(ai|cn)|minimaxi?\.(io|com)|minimax\.io|githubcopilot\.com|anthropic\.com|googleapis\.com)(:\d+)?$/;
const NAMES_RESPONSES = /use .{0,40}\/responses\b/is;

class OpenAiChatWire implements ModelWire {
  readonly #options: WireOptions;
  readonly #baseUrl: string;
  readonly #url: string;
  readonly #host: string;
  readonly #written = new WrittenMessages();
  readonly #patience: Patience;
  /** False once the server has refused `stream_options`: it is then never sent again. */
  #asksForUsage = true;
  /** False once the server has refused to stream. */
  #streams = true;
  /** Models whose calls the server takes by the Responses API alone, as it said when it refused them here. */
  readonly #byResponses = new Set<string>();
  /** Models that have answered a request with tools here. */
  readonly #answers = new Set<string>();
  #responses: ModelWire | undefined;

  constructor(options: WireOptions) {
    this.#baseUrl = options.baseUrl ?? OPENAI;
    this.#options = options;
    this.#url = join(this.#baseUrl, '/chat/completions');
    this.#host = hostOf(this.#baseUrl);
    this.#patience = new Patience(this.#baseUrl, options.limits);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const { model } = request;
    if (this.#byResponses.has(model)) return this.#other().stream(request, signal);
    // One generator less for each delta of a model that is known to answer here.
    return this.#answers.has(model) ? this.#chat(request, signal) : this.#chatOrOther(request, signal);
  }

  /** A model that is refused here is asked by the Responses API, at once and from then on. */
  async *#chatOrOther(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void> {
    const { model } = request;
    for await (const part of this.#chat(request, signal)) {
      if (part.type === 'end' && request.tools.length > 0) this.#answers.add(model);
      if (part.type === 'error' && this.#byResponses.has(model)) return yield* this.#other().stream(request, signal);
      yield part;
    }
  }

  #other(): ModelWire {
    this.#responses ??= createResponsesWire(this.#options);
    return this.#responses;
  }

  #chat(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const ways = this.#waysOf(request.model);
    const endpoint = endpointOf(this.#options, this.#host, request.model);
    const send = (socket: AbortSignal) => this.#send(request, ways, socket);
    const writtenTools = TAKES_CALLS_APART.test(this.#host) ? [] : request.tools;
    const assembly = { host: this.#host, keepsReasoning: ways.echoReasoning === true, writtenTools };
    const again = () => new ChatAssembler(assembly);
    const { limits, streak } = this.#patience.of(request);
    const waiting = { limits: this.#streams ? limits : { ...limits, firstEventMs: WHOLE_ANSWER_MS }, streak };
    const { reopens } = this.#options;
    const { connections } = request;
    return converse({ endpoint, send, assembler: again(), again, reopens, connections, waiting }, signal);
  }

  #waysOf(model: string): Quirks {
    const { provider, ways: own } = this.#options;
    return quirksOf({ provider, baseUrl: this.#baseUrl, model, own });
  }

  async #send(request: ModelRequest, ways: Quirks, socket: AbortSignal): Promise<WireResponse> {
    return sendMended(await this.#post(request, ways, socket), (said) => {
      if (request.tools.length > 0 && NAMES_RESPONSES.test(said)) this.#byResponses.add(request.model);
      if (!this.#learnt(said)) return undefined;
      return this.#post(request, ways, socket);
    });
  }

  /** Whether a refusal names something that this server is not asked for any more. */
  #learnt(said: string): boolean {
    if (this.#asksForUsage && REFUSES_STREAM_OPTIONS.test(said) && REFUSES.test(said)) {
      this.#asksForUsage = false;
      return true;
    }
    if (this.#streams && REFUSES_STREAMS.test(said)) {
      this.#streams = false;
      return true;
    }
    return false;
  }

  #post(request: ModelRequest, ways: Quirks, socket: AbortSignal): Promise<WireResponse> {
    const { apiKey } = this.#options;
    const headers = {
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...visionHeaders(request.messages, ways),
    };
    return post(this.#options, this.#url, headers, this.#body(request, ways), socket);
  }

  #body(request: ModelRequest, ways: Quirks): string {
    const { model, maxOutput, effort, system } = request;
    const tools = chatTools(request.tools, ways);
    const extra = ways.extraBody ?? {};
    const asksForUsage = this.#streams && this.#asksForUsage && !ways.noStreamOptions;
    const takesKey = ways.cacheKey === true && !('prompt_cache_key' in extra);
    const body: Omit<ChatCompletionCreateParamsBase, 'messages'> = {
      model,
      stream: this.#streams,
      ...(asksForUsage && { stream_options: { include_usage: true } }),
      ...(maxOutput !== undefined && { [ways.outputField ?? 'max_tokens']: maxOutput }),
      ...effortFields(effort, ways),
      ...extra,
      ...(takesKey && { prompt_cache_key: promptCacheKey({ scope: request.cacheKey, system, tools: request.tools }) }),
      ...(tools.length > 0 && { tools }),
    };
    return withMessages(body, ...this.#messages(request, ways));
  }

  /** The system prompt, what has been said, and where marks may stand, apart. */
  #messages({ model, system, messages: history, once }: ModelRequest, ways: Quirks): readonly string[] {
    const messages = ways.answersResults ? askedLast(history) : history;
    const caching = { ...cachingOf(this.#options, model), known: ways.cacheMarks };
    const policy = cachePolicy({ ...caching, baseUrl: this.#baseUrl, model, wire: 'chat' });
    const dialect = dialectOf(this.#host, ways, policy);
    const write = (some: ModelRequest['messages'], earlier: ModelRequest['messages']) =>
      chatMessages('', some, dialect, earlier);
    const variant = JSON.stringify(dialect);
    if (dialect.parts === undefined || once) {
      const head = elements(chatMessages(system, [], dialect));
      return [head, this.#written.json(messages, write, variant)];
    }
    const mark = cacheMark(policy.ttl);
    const withMark = (message: Parameters<typeof markChatMessage>[0]) => markChatMessage(message, mark);
    const settled = settledMessages(messages);
    const head = chatMessages(system, [], dialect).map((message) => withMark(message) ?? message);
    return [
      elements(head),
      this.#written.json(messages.slice(0, settled), write, variant),
      elements(markLast(write(messages.slice(settled), messages.slice(0, settled)), withMark)),
    ];
  }
}

function dialectOf(host: string, ways: Quirks, { marks }: CachePolicy): ChatDialect {
  const { systemRole, longestCallId, shortCallIds, answersResults, echoReasoning, callExtras } = ways;
  const parts = marks === 'envelope' ? 'all' : marks === 'envelope_without_tools' ? 'all_but_tools' : undefined;
  return { host, systemRole, longestCallId, shortCallIds, answersResults, echoReasoning, callExtras, parts };
}
