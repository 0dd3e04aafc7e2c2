/** The APIs that the fake server speaks: one entry each, and nothing of an API anywhere else. */

import { AnthropicFrames } from './anthropic-frames.ts';
import { ConverseFrames, ConverseStreamFrames, EVENT_STREAM } from './bedrock-frames.ts';
import { DIALECT_HEADER } from './dialects/index.ts';
import type { Frames } from './frames.ts';
import { errorOf, GeminiFrames } from './gemini-frames.ts';
import { OpenAiFrames } from './openai-frames.ts';
import type { RecordedRequest, RequestWire } from './request.ts';
import { ResponsesFrames } from './responses-frames.ts';
import { validateAnthropic } from './validate-anthropic.ts';
import { isSigned, validateBedrock } from './validate-bedrock.ts';
import { validateGemini } from './validate-gemini.ts';
import { validateOpenAi } from './validate-openai.ts';
import { validateResponses } from './validate-responses.ts';

export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code?: string | undefined;
}

export interface ServedWire {
  readonly name: Exclude<RequestWire, 'models' | 'unknown'>;
  /** Of a streamed answer. */
  readonly contentType: string;
  serves(path: string): boolean;
  modelOf(request: RecordedRequest): string;
  /** Why the real API would answer 400; undefined when it would not. */
  validate(request: RecordedRequest): string | undefined;
  frames(request: RecordedRequest): Frames;
  /** The body of an error answer. */
  refusal(refusal: Refusal, request: RecordedRequest): object;
  /** What an error says in its headers. */
  refusalHeaders?(refusal: Refusal): Readonly<Record<string, string>>;
}

const openAiChat: ServedWire = {
  name: 'openai-chat',
  contentType: 'text/event-stream',
  serves: (path) => path.endsWith('/chat/completions'),
  modelOf: modelInBody,
  validate: ({ body, headers }) => {
    const dialect = headers[DIALECT_HEADER];
    return validateOpenAi(body, typeof dialect === 'string' ? dialect : undefined, headers);
  },
  frames(request) {
    const { stream_options } = request.body as { stream_options?: { include_usage?: boolean } };
    return new OpenAiFrames({ ...common(request), includeUsage: stream_options?.include_usage === true });
  },
  refusal: ({ type, message, code }) => ({ error: { message, type, param: null, code: code ?? null } }),
};

const openAiResponses: ServedWire = {
  name: 'openai-responses',
  contentType: 'text/event-stream',
  serves: (path) => path.endsWith('/responses'),
  modelOf: modelInBody,
  validate: (request) => validateResponses(request.body),
  frames(request) {
    const { include = [] } = request.body as { include?: readonly string[] };
    return new ResponsesFrames({ ...common(request), encrypted: include.includes('reasoning.encrypted_content') });
  },
  refusal: openAiChat.refusal,
};

const anthropic: ServedWire = {
  name: 'anthropic',
  contentType: 'text/event-stream',
  serves: (path) => path.endsWith('/messages'),
  modelOf: modelInBody,
  validate: (request) => validateAnthropic(request.body),
  frames: (request) => new AnthropicFrames(common(request)),
  refusal: ({ type, message }, request) => ({
    type: 'error',
    error: { type, message },
    request_id: `req_${request.index}`,
  }),
};

const gemini: ServedWire = {
  name: 'gemini',
  contentType: 'text/event-stream',
  serves: (path) => path.endsWith(':streamGenerateContent'),
  modelOf: modelInPath,
  validate: (request) => validateGemini(request.body, geminiVersion(request)),
  frames: (request) =>
    new GeminiFrames({ ...common(request), model: modelInPath(request), signs: geminiVersion(request) >= 3 }),
  refusal: ({ status, type, message }) => ({ error: errorOf({ status, type, message }) }),
};

const bedrockStream: ServedWire = {
  name: 'bedrock',
  contentType: EVENT_STREAM,
  serves: (path) => path.endsWith('/converse-stream'),
  modelOf: bedrockModel,
  validate: ({ headers, body }) => (isSigned(headers) ? validateBedrock(body) : 'Missing Authentication Token'),
  frames: (request) => new ConverseStreamFrames(common(request)),
  refusal: ({ message }) => ({ message }),
  refusalHeaders: ({ type }) => ({ 'x-amzn-errortype': `${AWS_ERROR[type] ?? type}:http://internal.amazon.com/` }),
};

const AWS_ERROR: Readonly<Record<string, string>> = {
  invalid_request_error: 'ValidationException',
  not_found_error: 'ResourceNotFoundException',
};

const bedrockWhole: ServedWire = {
  ...bedrockStream,
  contentType: 'application/json',
  serves: (path) => path.endsWith('/converse'),
  frames: (request) => new ConverseFrames(common(request)),
};

export const SERVED: readonly ServedWire[] = [
  openAiChat,
  openAiResponses,
  anthropic,
  gemini,
  bedrockStream,
  bedrockWhole,
];

/** What every wire's frames take. */
export function common(request: RecordedRequest): { id: string; model: string; usage: { input: number } } {
  return {
    id: `t${request.index}`,
    model: modelInBody(request),
    usage: { input: Math.ceil(request.bytes.length / 4) },
  };
}

export function modelInBody(request: RecordedRequest): string {
  const model = (request.body as { model?: unknown } | undefined)?.model;
  return typeof model === 'string' ? model : 'test-model';
}

/** `/model/<model>/method` */
function bedrockModel(request: RecordedRequest): string {
  return decodeURIComponent(/\/model\/([^/]+)\//.exec(request.path)?.[1] ?? '');
}

/** `…/models/<model>:method` */
function modelInPath(request: RecordedRequest): string {
  return decodeURIComponent(/\/models\/([^/:]+):/.exec(request.path)?.[1] ?? '');
}

/** A model that does not say its version is an old one. */
function geminiVersion(request: RecordedRequest): number {
  return Number(/gemini-(\d+)/.exec(modelInPath(request))?.[1] ?? 2);
}
