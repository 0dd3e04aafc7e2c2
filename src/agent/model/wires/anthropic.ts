/** The Messages API: Anthropic itself and the servers that speak it. */

import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ModelPart, ModelRequest, ModelWire } from '../types.ts';
import { MessageAssembler } from './anthropic-assembler.ts';
import { anthropicMessages, anthropicTools } from './anthropic-messages.ts';
import { markForCache } from './cache-marks.ts';
import { converse } from './exchange.ts';
import { endpointOf, hostOf, join, post, type WireOptions } from './http.ts';
import { isBlank, wellFormed } from './wire-text.ts';

export interface AnthropicOptions extends WireOptions {
  /** Whether to mark what the provider should cache. By default for Anthropic itself and for Claude anywhere. */
  readonly promptCaching?: boolean;
}

const ANTHROPIC = 'https://api.anthropic.com';
/** The API has no default of its own. */
const DEFAULT_MAX_TOKENS = 16_384;

export function createAnthropicWire(options: AnthropicOptions = {}): ModelWire {
  const baseUrl = options.baseUrl ?? ANTHROPIC;
  const host = hostOf(baseUrl);
  const url = join(baseUrl, /\/v1\/*$/.test(baseUrl) ? '/messages' : '/v1/messages');
  const headers = {
    'anthropic-version': '2023-06-01',
    ...(options.apiKey !== undefined && { 'x-api-key': options.apiKey }),
  };
  return {
    stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
      const caching = options.promptCaching ?? (host === 'api.anthropic.com' || /claude/i.test(request.model));
      const send = (socket: AbortSignal) =>
        post(options, url, headers, JSON.stringify(bodyOf(request, host, caching)), socket);
      const endpoint = endpointOf(options, host, request.model);
      return converse({ endpoint, send, assembler: new MessageAssembler(host) }, signal);
    },
  };
}

/** The messages come last, so that apart from cache marks one request's bytes are a prefix of the next one's. */
function bodyOf(request: ModelRequest, host: string, caching: boolean): MessageCreateParamsStreaming {
  const tools = anthropicTools(request.tools);
  const body: MessageCreateParamsStreaming = {
    model: request.model,
    max_tokens: request.maxOutput ?? DEFAULT_MAX_TOKENS,
    stream: true,
    ...(!isBlank(request.system) && { system: [{ type: 'text', text: wellFormed(request.system) }] }),
    ...(tools.length > 0 && { tools }),
    messages: anthropicMessages(request.messages, host),
  };
  return caching ? markForCache(body) : body;
}
