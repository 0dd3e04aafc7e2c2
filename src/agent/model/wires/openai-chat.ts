/** The Chat Completions API: OpenAI itself and the many servers that speak it (Ollama, LM Studio, OpenRouter, …). */

import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ModelPart, ModelRequest, ModelWire } from '../types.ts';
import { ChatAssembler } from './chat-assembler.ts';
import { chatMessages, chatTools, OPENAI_LONGEST_ID } from './chat-messages.ts';
import { converse } from './exchange.ts';
import { endpointOf, hostOf, join, post, sendMended, type WireOptions, type WireResponse } from './http.ts';
import { Patience } from './patience.ts';
import { elements, WrittenMessages, withMessages } from './written-messages.ts';

const OPENAI = 'https://api.openai.com/v1';

export function createOpenAiChatWire(options: WireOptions = {}): ModelWire {
  return new OpenAiChatWire(options);
}

class OpenAiChatWire implements ModelWire {
  readonly #options: WireOptions;
  readonly #url: string;
  readonly #host: string;
  readonly #written = new WrittenMessages();
  readonly #patience: Patience;
  /** False once the server has refused `stream_options`: it is then never sent again. */
  #asksForUsage = true;

  constructor(options: WireOptions) {
    const baseUrl = options.baseUrl ?? OPENAI;
    this.#options = options;
    this.#url = join(baseUrl, '/chat/completions');
    this.#host = hostOf(baseUrl);
    this.#patience = new Patience(baseUrl, options.limits);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const endpoint = endpointOf(this.#options, this.#host, request.model);
    const send = (socket: AbortSignal) => this.#send(request, socket);
    const again = () => new ChatAssembler();
    const waiting = this.#patience.of(request);
    const { reopens } = this.#options;
    return converse({ endpoint, send, assembler: again(), again, reopens, waiting }, signal);
  }

  async #send(request: ModelRequest, socket: AbortSignal): Promise<WireResponse> {
    return sendMended(await this.#post(request, socket), (said) => {
      if (!this.#asksForUsage || !said.includes('stream_options')) return undefined;
      this.#asksForUsage = false;
      return this.#post(request, socket);
    });
  }

  #post(request: ModelRequest, socket: AbortSignal): Promise<WireResponse> {
    const { apiKey } = this.#options;
    const headers = { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) };
    return post(this.#options, this.#url, headers, this.#body(request), socket);
  }

  #body(request: ModelRequest): string {
    const { model, maxOutput, cacheKey, system, messages } = request;
    const isOpenAi = this.#host === 'api.openai.com';
    const tools = chatTools(request.tools);
    const body: Omit<ChatCompletionCreateParamsStreaming, 'messages'> = {
      model,
      stream: true,
      ...(this.#asksForUsage && { stream_options: { include_usage: true } }),
      ...(maxOutput !== undefined && (isOpenAi ? { max_completion_tokens: maxOutput } : { max_tokens: maxOutput })),
      ...(isOpenAi && { prompt_cache_key: cacheKey.slice(0, 64) }),
      ...(tools.length > 0 && { tools }),
    };
    const written = this.#written.json(messages, (some) =>
      chatMessages('', some, isOpenAi ? OPENAI_LONGEST_ID : undefined),
    );
    return withMessages(body, elements(chatMessages(system, [])), written);
  }
}
