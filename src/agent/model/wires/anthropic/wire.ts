/** The Messages API: Anthropic itself and the servers that speak it. */

import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import { cachePolicy } from '../../catalogue/cache-policy.ts';
import { type Quirks, quirksOf } from '../../catalogue/index.ts';
import type { ModelPart, ModelRequest, ModelWire } from '../../types.ts';
import { askedLast } from '../asked-last.ts';
import { cacheMark, markForCache, settledMessages } from '../cache-marks.ts';
import { claudeThinking } from '../claude-thinking.ts';
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
import type { ThinkingPolicy } from '../sealed-thinking.ts';
import { isBlank, wellFormed } from '../wire-text.ts';
import { elements, WrittenMessages, withMessages } from '../written-messages.ts';
import { MessageAssembler } from './assembler.ts';
import { anthropicMessages, anthropicTools, type MessageDialect } from './messages.ts';

export type AnthropicOptions = WireOptions;

const ANTHROPIC = 'https://api.anthropic.com';
/** The API has no default of its own. */
const DEFAULT_MAX_TOKENS = 16_384;

const BINDING_BETA = 'thinking-binding-controls-2026-08-01';
const DROPS_UNBOUND = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };
const REFUSES_BINDING = /block_binding|thinking-binding-controls|anthropic-beta/;

export function createAnthropicWire(options: AnthropicOptions = {}): ModelWire {
  return new AnthropicWire(options);
}

class AnthropicWire implements ModelWire {
  readonly #options: AnthropicOptions;
  readonly #baseUrl: string;
  readonly #url: string;
  readonly #host: string;
  readonly #written = new WrittenMessages();
  readonly #patience: Patience;
  /** The most output tokens of a model, learnt from a refusal. */
  readonly #outputLimits = new Map<string, number>();
  /** Sessions whose signed thinking was refused: theirs is not sent any more. */
  readonly #withoutThinking = new Set<string>();
  /** The server does not know, or not yet, how thoughts are bound: it is not asked about that any more. */
  #refusesBinding = false;
  /** Sessions that cannot think on: an answer of another model stands where thinking is expected. */
  readonly #thoughtless = new Set<string>();

  constructor(options: AnthropicOptions) {
    this.#baseUrl = options.baseUrl ?? ANTHROPIC;
    this.#options = options;
    this.#url = join(this.#baseUrl, /\/v1\/*($|[?#])/.test(this.#baseUrl) ? '/messages' : '/v1/messages');
    this.#host = hostOf(this.#baseUrl);
    this.#patience = new Patience(this.#baseUrl, options.limits);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const { provider, reopens, ways: own } = this.#options;
    const ways = quirksOf({ provider, baseUrl: this.#baseUrl, model: request.model, own });
    const endpoint = endpointOf(this.#options, this.#host, request.model);
    const send = (socket: AbortSignal) => this.#send(request, ways, socket);
    const policy = policyOf(ways);
    const assembly = { host: this.#host, keepsUnsigned: policy === 'all' || policy === 'unsigned' };
    const again = () => new MessageAssembler(assembly);
    const waiting = this.#patience.of(request);
    const { connections } = request;
    return converse({ endpoint, send, assembler: again(), again, reopens, connections, waiting }, signal);
  }

  async #send(request: ModelRequest, ways: Quirks, socket: AbortSignal): Promise<WireResponse> {
    return sendMended(await this.#post(request, ways, socket), (said) => {
      const refusesBinding = this.#binds(ways) && REFUSES_BINDING.test(said);
      if (refusesBinding) this.#options.debug?.(`${this.#host} refuses the beta ${BINDING_BETA}: it is left out.`);
      this.#refusesBinding ||= refusesBinding;
      if (!refusesBinding && !this.#learnt(said, request)) return undefined;
      return this.#post(request, ways, socket);
    });
  }

  /** Whether a refusal names something that the next request will do better. */
  #learnt(said: string, { model, cacheKey }: ModelRequest): boolean {
    const limit = /max_tokens: \d+ > (\d+)/.exec(said)?.[1];
    if (limit !== undefined) this.#outputLimits.set(model, Number(limit));
    const signature = /thinking/.test(said) && /signature|cannot be modified|must remain/.test(said);
    const expected = /expected `?(redacted_)?thinking/i.test(said);
    const learnt =
      (signature && addNew(this.#withoutThinking, cacheKey)) || (expected && addNew(this.#thoughtless, cacheKey));
    return limit !== undefined || learnt;
  }

  #post(request: ModelRequest, ways: Quirks, socket: AbortSignal): Promise<WireResponse> {
    const { apiKey } = this.#options;
    const headers = {
      'anthropic-version': '2023-06-01',
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(this.#binds(ways) && { 'anthropic-beta': BINDING_BETA }),
      ...visionHeaders(request.messages, ways),
    };
    return post(this.#options, this.#url, headers, this.#body(request, ways), socket);
  }

  #body(request: ModelRequest, ways: Quirks): string {
    const { model, maxOutput = DEFAULT_MAX_TOKENS, cacheKey, system } = request;
    const tools = anthropicTools(request.tools);
    const dialect: MessageDialect = {
      host: this.#withoutThinking.has(cacheKey) ? undefined : this.#host,
      thinking: policyOf(ways),
    };
    const write = (some: ModelRequest['messages']) => anthropicMessages(some, dialect);
    const history = askedLast(request.messages);
    const settled = settledMessages(history);
    const maxTokens = Math.min(maxOutput, this.#outputLimits.get(model) ?? maxOutput);
    const whole: MessageCreateParamsStreaming = {
      model: modelName(model),
      max_tokens: maxTokens,
      stream: true,
      ...(this.#thoughtless.has(cacheKey) ? {} : this.#thinking(request, ways, maxTokens)),
      ...ways.extraBody,
      ...(!isBlank(system) && { system: [{ type: 'text', text: wellFormed(system) }] }),
      ...(tools.length > 0 && { tools }),
      messages: write(history.slice(settled)),
    };
    const { messages, ...body } = this.#marked(whole, request, ways);
    const variant = `${dialect.host} ${dialect.thinking}`;
    const written = this.#written.json(history.slice(0, settled), write, variant);
    return withMessages(body, written, elements(messages));
  }

  /** With what is to become of thoughts whose beginning is gone, behind a summary for example: they alone are dropped. */
  #thinking({ effort }: ModelRequest, ways: Quirks, maxTokens: number): ReturnType<typeof claudeThinking> {
    const fields = claudeThinking(ways, effort, maxTokens);
    if (!this.#binds(ways)) return fields;
    const asked = fields.thinking ?? { type: 'adaptive' as const, display: 'summarized' as const };
    return { ...fields, thinking: { ...asked, ...DROPS_UNBOUND } };
  }

  #binds({ boundThinking }: Quirks): boolean {
    return boundThinking === true && !this.#refusesBinding;
  }

  #marked(
    body: MessageCreateParamsStreaming,
    { model, once }: ModelRequest,
    ways: Quirks,
  ): MessageCreateParamsStreaming {
    const caching = { ...cachingOf(this.#options, model), known: ways.cacheMarks };
    const { marks, ttl } = cachePolicy({ ...caching, baseUrl: this.#baseUrl, model, wire: 'messages' });
    return marks === 'native' && !once ? markForCache(body, cacheMark(ttl)) : body;
  }
}

/** The API leaves out by itself what it does not need of older turns: so the newest turn's is all of it. */
function policyOf({ thinking }: Quirks): ThinkingPolicy {
  return thinking === undefined || thinking === 'newest' ? 'signed' : thinking;
}

/** Router's names go without their vendor; Anthropic writes versions with hyphens. Names of Bedrock stay. */
function modelName(model: string): string {
  const name = model.replace(/^anthropic\//, '');
  return name.startsWith('claude-') ? name.replaceAll('.', '-') : name;
}

/** False when it was there already. */
function addNew(set: Set<string>, key: string): boolean {
  if (set.has(key)) return false;
  set.add(key);
  return true;
}
