/** The Gemini API in its own words: Google AI Studio, and servers that speak it. */

import type { FunctionCallingConfigMode, GenerationConfig, ThinkingConfig } from '@google/genai';
import { quirksOf } from '../../catalogue/index.ts';
import type { ModelPart, ModelRequest, ModelWire } from '../../types.ts';
import { settledTurns } from '../alternation.ts';
import { askedLast } from '../asked-last.ts';
import { converseOver } from '../exchange/exchange.ts';
import { endpointOf, hostOf, post, sendMended, type WireOptions, type WireResponse } from '../exchange/http.ts';
import { Patience } from '../exchange/patience.ts';
import { loadSse, type ReadEvents } from '../exchange/sse.ts';
import { isBlank, wellFormed } from '../wire-text.ts';
import { elements, WrittenMessages, withLast } from '../written-messages.ts';
import { GeminiAssembler } from './assembler.ts';
import { type ContentOptions, geminiContents } from './contents.ts';
import { explainGemini } from './errors.ts';
import { geminiTools } from './schema.ts';
import { thinkingOf } from './thinking.ts';

const GOOGLE = 'https://generativelanguage.googleapis.com';
/** The most that these models write, thoughts included. */
const MOST_OUTPUT = 65_535;

export function createGeminiWire(options: WireOptions = {}): ModelWire {
  return new GeminiWire(options);
}

class GeminiWire implements ModelWire {
  readonly #options: WireOptions;
  readonly #baseUrl: string;
  readonly #host: string;
  readonly #patience: Patience;
  readonly #written = new WrittenMessages();
  /** Sessions whose signatures were refused: theirs are not sent any more. */
  readonly #withoutSignatures = new Set<string>();

  constructor(options: WireOptions) {
    this.#options = options;
    this.#baseUrl = versioned(options.baseUrl ?? GOOGLE);
    this.#host = hostOf(this.#baseUrl);
    this.#patience = new Patience(this.#baseUrl, options.limits);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const { apiKey, reopens } = this.#options;
    const assembler = () => new GeminiAssembler(this.#signer(request));
    return converseOver(
      loadUnterminated,
      {
        endpoint: endpointOf(this.#options, this.#host, request.model),
        send: (socket) => this.#send(request, socket),
        assembler: assembler(),
        again: assembler,
        reopens,
        connections: request.connections,
        waiting: this.#patience.of(request),
        explain: (error) => explainGemini(error, apiKey),
      },
      signal,
    );
  }

  async #send(request: ModelRequest, socket: AbortSignal): Promise<WireResponse> {
    return sendMended(await this.#post(request, socket), (said) => {
      if (!/thought.?signature/i.test(said) || this.#withoutSignatures.has(request.cacheKey)) return undefined;
      this.#withoutSignatures.add(request.cacheKey);
      return this.#post(request, socket);
    });
  }

  #post(request: ModelRequest, socket: AbortSignal): Promise<WireResponse> {
    const { apiKey } = this.#options;
    const headers = {
      'user-agent': 'midcourse',
      'x-goog-api-client': 'midcourse',
      ...(apiKey !== undefined && { 'x-goog-api-key': apiKey }),
    };
    const url = `${this.#baseUrl}/models/${encodeURIComponent(plainModel(request.model))}:streamGenerateContent?alt=sse`;
    return post(this.#options, url, headers, this.#body(request), socket);
  }

  #body(request: ModelRequest): string {
    const { system, cacheKey } = request;
    const messages = askedLast(request.messages);
    const quirks = this.#quirks(request.model);
    const options: ContentOptions = {
      signer: this.#withoutSignatures.has(cacheKey) ? undefined : this.#signer(request),
      callIds: quirks.callIds === true,
    };
    const functionDeclarations = geminiTools(request.tools);
    const body: Body = {
      ...(!isBlank(system) && { systemInstruction: { parts: [{ text: wellFormed(system) }] } }),
      ...(functionDeclarations.length > 0 && {
        tools: [{ functionDeclarations }],
        toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      }),
      generationConfig: generationConfig(request, thinkingOf(quirks.geminiThinking, request.effort)),
    };
    const settled = settledTurns(messages);
    const write = (some: ModelRequest['messages']) => geminiContents(some, options);
    const written = this.#written.json(messages.slice(0, settled), write, `${options.signer} ${options.callIds}`);
    return withLast(body, 'contents', written, elements(write(messages.slice(settled))));
  }

  /** Signatures are of one model, and mean nothing to another. */
  #signer({ model }: ModelRequest): string {
    return `${this.#host}/${encodeURIComponent(plainModel(model))}`;
  }

  #quirks(model: string): ReturnType<typeof quirksOf> {
    const { provider, ways: own } = this.#options;
    return quirksOf({ provider, baseUrl: this.#baseUrl, model: plainModel(model), own });
  }
}

/** As it is on the wire; the SDK has no type for it. */
interface Body {
  readonly systemInstruction?: { readonly parts: readonly { readonly text: string }[] };
  readonly tools?: readonly { readonly functionDeclarations: ReturnType<typeof geminiTools> }[];
  readonly toolConfig?: { readonly functionCallingConfig: { readonly mode: `${FunctionCallingConfigMode}` } };
  readonly generationConfig: GenerationConfig;
}

/** Thoughts count as output: a limit that was meant for the answer alone would cut it, or leave nothing of it. */
function generationConfig({ maxOutput }: ModelRequest, thinkingConfig: ThinkingConfig | undefined): GenerationConfig {
  const thinks = thinkingConfig !== undefined && thinkingConfig.thinkingBudget !== 0;
  return {
    maxOutputTokens: thinks ? Math.max(maxOutput ?? 0, MOST_OUTPUT) : (maxOutput ?? MOST_OUTPUT),
    ...(thinkingConfig !== undefined && { thinkingConfig }),
  };
}

/** An address ends in the API's version. One for the API that Google offers to OpenAI's clients is meant as well. */
function versioned(baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, '').replace(/\/openai$/, '');
  return /\/v\d+((alpha|beta)\d*)?$/.test(base) ? base : `${base}/v1beta`;
}

/** Lists of models name them with their kind in front. */
function plainModel(model: string): string {
  return model.replace(/^(models|google)\//, '');
}

/** The last event may come without the blank line, and even without the line ending, that closes it. */
const loadUnterminated = async (): Promise<ReadEvents> => {
  const read = await loadSse();
  return (response, socket) => {
    const { ok, status, headers, body } = response;
    return read({ ok, status, headers, body: body === null ? null : terminated(body) }, socket);
  };
};

async function* terminated(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body;
  yield new TextEncoder().encode('\n\n');
}
