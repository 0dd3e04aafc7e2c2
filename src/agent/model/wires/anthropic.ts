/** The Messages API: Anthropic itself and the servers that speak it. */

import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ModelPart, ModelRequest, ModelWire } from '../types.ts';
import { MessageAssembler } from './anthropic-assembler.ts';
import { anthropicMessages, anthropicTools } from './anthropic-messages.ts';
import { markForCache, settledMessages } from './cache-marks.ts';
import { converse } from './exchange.ts';
import { endpointOf, hostOf, join, post, sendMended, type WireOptions, type WireResponse } from './http.ts';
import { Patience } from './patience.ts';
import { isBlank, wellFormed } from './wire-text.ts';
import { elements, WrittenMessages, withMessages } from './written-messages.ts';

export interface AnthropicOptions extends WireOptions {
  /** Whether to mark what the provider should cache. By default for Anthropic itself and for Claude anywhere. */
  readonly promptCaching?: boolean;
}

const ANTHROPIC = 'https://api.anthropic.com';
/** The API has no default of its own. */
const DEFAULT_MAX_TOKENS = 16_384;

export function createAnthropicWire(options: AnthropicOptions = {}): ModelWire {
  return new AnthropicWire(options);
}

class AnthropicWire implements ModelWire {
  readonly #options: AnthropicOptions;
  readonly #url: string;
  readonly #host: string;
  readonly #written = new WrittenMessages();
  readonly #patience: Patience;
  /** The most output tokens of a model, learnt from a refusal. */
  readonly #outputLimits = new Map<string, number>();
  /** Sessions whose signed thinking was refused: theirs is not sent any more. */
  readonly #withoutThinking = new Set<string>();

  constructor(options: AnthropicOptions) {
    const baseUrl = options.baseUrl ?? ANTHROPIC;
    this.#options = options;
    this.#url = join(baseUrl, /\/v1\/*$/.test(baseUrl) ? '/messages' : '/v1/messages');
    this.#host = hostOf(baseUrl);
    this.#patience = new Patience(baseUrl, options.limits);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const endpoint = endpointOf(this.#options, this.#host, request.model);
    const send = (socket: AbortSignal) => this.#send(request, socket);
    const again = () => new MessageAssembler(this.#host);
    const waiting = this.#patience.of(request);
    const { reopens } = this.#options;
    return converse({ endpoint, send, assembler: again(), again, reopens, waiting }, signal);
  }

  async #send(request: ModelRequest, socket: AbortSignal): Promise<WireResponse> {
    return sendMended(await this.#post(request, socket), (said) => {
      if (!this.#learnt(said, request)) return undefined;
      return this.#post(request, socket);
    });
  }

  /** Whether a refusal names something that the next request will do better. */
  #learnt(said: string, { model, cacheKey }: ModelRequest): boolean {
    const limit = /max_tokens: \d+ > (\d+)/.exec(said)?.[1];
    if (limit !== undefined) this.#outputLimits.set(model, Number(limit));
    const thinking = /thinking/.test(said) && /signature/.test(said) && !this.#withoutThinking.has(cacheKey);
    if (thinking) this.#withoutThinking.add(cacheKey);
    return limit !== undefined || thinking;
  }

  #post(request: ModelRequest, socket: AbortSignal): Promise<WireResponse> {
    const { apiKey } = this.#options;
    const headers = { 'anthropic-version': '2023-06-01', ...(apiKey !== undefined && { 'x-api-key': apiKey }) };
    return post(this.#options, this.#url, headers, this.#body(request), socket);
  }

  #body(request: ModelRequest): string {
    const { model, maxOutput = DEFAULT_MAX_TOKENS, cacheKey, system } = request;
    const tools = anthropicTools(request.tools);
    const signer = this.#withoutThinking.has(cacheKey) ? undefined : this.#host;
    const write = (some: ModelRequest['messages']) => anthropicMessages(some, signer);
    const settled = settledMessages(request.messages);
    const whole: MessageCreateParamsStreaming = {
      model,
      max_tokens: Math.min(maxOutput, this.#outputLimits.get(model) ?? maxOutput),
      stream: true,
      ...(!isBlank(system) && { system: [{ type: 'text', text: wellFormed(system) }] }),
      ...(tools.length > 0 && { tools }),
      messages: write(request.messages.slice(settled)),
    };
    const { messages, ...body } = this.#caches(model) && request.once !== true ? markForCache(whole) : whole;
    const written = this.#written.json(request.messages.slice(0, settled), write, signer);
    return withMessages(body, written, elements(messages));
  }

  #caches(model: string): boolean {
    return this.#options.promptCaching ?? (this.#host === 'api.anthropic.com' || /claude/i.test(model));
  }
}
