/** Amazon Bedrock by its Converse API: one wire for the models of all vendors there. */

import { type CachePolicy, cachePolicy } from '../../catalogue/cache-policy.ts';
import { quirksOf } from '../../catalogue/index.ts';
import type { ModelPart, ModelRequest, ModelWire } from '../../types.ts';
import { settledTurns } from '../alternation.ts';
import { askedLast } from '../asked-last.ts';
import { claudeThinking } from '../claude-thinking.ts';
import { converseOver } from '../exchange/exchange.ts';
import { cachingOf, endpointOf, hostOf, readStart, sendMended, type WireResponse } from '../exchange/http.ts';
import { Patience } from '../exchange/patience.ts';
import { isBlank, wellFormed } from '../wire-text.ts';
import { elements, WrittenMessages, withMessages } from '../written-messages.ts';
import { ConverseAssembler } from './assembler.ts';
import { cachePoint, markedMessages } from './cache.ts';
import { BedrockClient, type BedrockOptions } from './client.ts';
import { explainBedrock, isCachePointRefused, isStreamDenied, named } from './errors.ts';
import { type CachePoint, converseMessages, converseTools } from './messages.ts';

export type { BedrockOptions } from './client.ts';

/** For people, until the region is known. */
const BEDROCK = 'https://bedrock-runtime.amazonaws.com';

export function createBedrockWire(options: BedrockOptions = {}): ModelWire {
  return new BedrockWire(options);
}

class BedrockWire implements ModelWire {
  readonly #options: BedrockOptions;
  readonly #baseUrl: string;
  readonly #client: BedrockClient;
  readonly #patience: Patience;
  readonly #written = new WrittenMessages();
  /** Sessions whose role may not stream: they get their answers whole. */
  readonly #whole = new Set<string>();
  /** Models that have no prompt cache, learnt from a refusal. */
  readonly #withoutCache = new Set<string>();
  /** Sessions whose signed thinking was refused: theirs is not sent any more. */
  readonly #withoutThinking = new Set<string>();

  constructor(options: BedrockOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl ?? BEDROCK;
    this.#client = new BedrockClient(options);
    this.#patience = new Patience(this.#baseUrl, options.limits);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const assembler = () => new ConverseAssembler(signerOf(request));
    return converseOver(
      () => this.#client.readEvents(),
      {
        endpoint: endpointOf(this.#options, hostOf(this.#baseUrl), request.model),
        send: (socket) => this.#send(request, socket),
        assembler: assembler(),
        again: assembler,
        reopens: this.#options.reopens,
        connections: request.connections,
        waiting: this.#patience.of(request),
        explain: (error) => explainBedrock(error, request.model),
      },
      signal,
    );
  }

  /** What is refused can be each of the three, one after the other. */
  async #send(request: ModelRequest, socket: AbortSignal): Promise<WireResponse> {
    const mend = (said: string) => (this.#learnt(said, request) ? this.#post(request, socket) : undefined);
    const first = await this.#post(request, socket);
    const second = await sendMended(first, mend, MENDED);
    return second === first ? first : sendMended(second, mend, MENDED);
  }

  /** Whether a refusal names something that the next request will do better. */
  #learnt(said: string, { model, cacheKey }: ModelRequest): boolean {
    if (isStreamDenied(said)) return isNew(this.#whole, cacheKey);
    if (isCachePointRefused(said)) return isNew(this.#withoutCache, model);
    return /thinking|reasoning/.test(said) && /signature/.test(said) && isNew(this.#withoutThinking, cacheKey);
  }

  async #post(request: ModelRequest, socket: AbortSignal): Promise<WireResponse> {
    const operation = this.#whole.has(request.cacheKey) ? 'converse' : 'converse-stream';
    const response = await this.#client.send(operation, request.model, this.#body(request), socket);
    return named(response, () => readStart(response));
  }

  #body(request: ModelRequest): string {
    const { model, maxOutput, effort, cacheKey, system } = request;
    const messages = askedLast(request.messages);
    const { provider, ways: own } = this.#options;
    const quirks = quirksOf({ provider, baseUrl: this.#baseUrl, model, own });
    const tools = converseTools(request.tools, messages);
    const point = this.#cachePoint(request);
    const thinking = claudeThinking(quirks, effort, maxOutput);
    const said = isBlank(system) ? [] : [{ text: wellFormed(system) }];
    const body = {
      ...(said.length > 0 && { system: point === undefined ? said : [...said, point] }),
      ...(tools.length > 0 && { toolConfig: { tools } }),
      inferenceConfig: { ...(maxOutput !== undefined && { maxTokens: maxOutput }) },
      ...(thinking.thinking && { additionalModelRequestFields: thinking }),
    };
    const signer = this.#withoutThinking.has(cacheKey) ? undefined : signerOf(request);
    const write = (some: ModelRequest['messages']) => converseMessages(some, signer);
    const settled = settledTurns(messages);
    const written = this.#written.json(messages.slice(0, settled), write, signer);
    const tail = write(messages.slice(settled));
    return withMessages(body, written, elements(point === undefined ? tail : markedMessages(tail, point)));
  }

  /** Who has no cache refuses the mark, and does not get it again. */
  #cachePoint({ model, once }: ModelRequest): CachePoint | undefined {
    if (once === true || this.#withoutCache.has(model)) return undefined;
    const request = { ...cachingOf(this.#options, model), baseUrl: this.#baseUrl, model, wire: 'converse' } as const;
    const policy: CachePolicy = cachePolicy(request);
    return policy.marks === 'none' ? undefined : cachePoint(policy.ttl);
  }
}

/** A role that may not do something gets 403, and so does a cache point in some models. */
const MENDED = [400, 403, 422];

/** Thinking is signed for one model, in all regions. */
function signerOf({ model }: ModelRequest): string {
  return `bedrock/${encodeURIComponent(model)}`;
}

function isNew<Value>(known: Set<Value>, value: Value): boolean {
  if (known.has(value)) return false;
  known.add(value);
  return true;
}
