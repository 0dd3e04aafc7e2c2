/** What the tests of the wires share. */

import {
  createAnthropicWire,
  createBedrockWire,
  createGeminiWire,
  createOpenAiChatWire,
  createResponsesWire,
  type WireOptions,
} from '../../../src/agent/model/index.ts';
import type { Finish, ModelMessage, ModelPart, ModelRequest, ModelWire } from '../../../src/agent/model/types.ts';
import { AnthropicFrames } from '../../model-server/anthropic-frames.ts';
import { ConverseStreamFrames, EVENT_STREAM } from '../../model-server/bedrock-frames.ts';
import type { Frames } from '../../model-server/frames.ts';
import { GeminiFrames } from '../../model-server/gemini-frames.ts';
import type { ModelServer } from '../../model-server/index.ts';
import { OpenAiFrames } from '../../model-server/openai-frames.ts';
import { ResponsesFrames } from '../../model-server/responses-frames.ts';

export type TestOptions = Pick<WireOptions, 'apiKey' | 'fetch' | 'limits' | 'reopens'>;

/** Without `reopens` a connection that breaks is not opened again. */
export interface TestedWire {
  readonly name: string;
  readonly path: string;
  /** Of an answer. */
  readonly contentType: string;
  frames(): Frames;
  /** Of another answer. */
  again(): Frames;
  /** The frame of an answer with calls that says it is whole. */
  readonly closes: RegExp;
  /** What it is when the output limit cuts an answer; `length` by default. */
  readonly cutFinish?: Finish;
  create(server: Pick<ModelServer, 'origin'>, options?: TestOptions): ModelWire;
}

const ANSWER = { id: '1', model: 'm', usage: { input: 5, output: 9 } };
const ANOTHER = { ...ANSWER, id: '2' };
const EVENTS = 'text/event-stream';

export const WIRES: readonly TestedWire[] = [
  {
    name: 'openai-chat',
    path: '/v1/chat/completions',
    contentType: EVENTS,
    frames: () => new OpenAiFrames({ ...ANSWER, includeUsage: true }),
    again: () => new OpenAiFrames({ ...ANOTHER, includeUsage: true }),
    closes: /"finish_reason":"tool_calls"/,
    create: (server, options) => createOpenAiChatWire({ baseUrl: `${server.origin}/v1/`, reopens: 0, ...options }),
  },
  {
    name: 'openai-responses',
    path: '/v1/responses',
    contentType: EVENTS,
    frames: () => new ResponsesFrames({ ...ANSWER, encrypted: true }),
    again: () => new ResponsesFrames({ ...ANOTHER, encrypted: true }),
    closes: /response\.completed/,
    cutFinish: 'incomplete',
    create: (server, options) => createResponsesWire({ baseUrl: `${server.origin}/v1/`, reopens: 0, ...options }),
  },
  {
    name: 'anthropic',
    path: '/v1/messages',
    contentType: EVENTS,
    frames: () => new AnthropicFrames(ANSWER),
    again: () => new AnthropicFrames(ANOTHER),
    closes: /"stop_reason":"tool_use"/,
    create: (server, options) =>
      createAnthropicWire({ baseUrl: server.origin, promptCaching: true, reopens: 0, ...options }),
  },
  {
    name: 'gemini',
    path: '/v1beta/models/test-model:streamGenerateContent',
    contentType: EVENTS,
    frames: () => new GeminiFrames({ ...ANSWER, signs: true }),
    again: () => new GeminiFrames({ ...ANOTHER, signs: true }),
    closes: /"finishReason"/,
    create: (server, options) => createGeminiWire({ baseUrl: server.origin, reopens: 0, ...options }),
  },
  {
    name: 'bedrock',
    path: '/model/test-model/converse-stream',
    contentType: EVENT_STREAM,
    frames: () => new ConverseStreamFrames(ANSWER),
    again: () => new ConverseStreamFrames(ANOTHER),
    closes: /messageStop/,
    create: (server, options) =>
      createBedrockWire({
        baseUrl: server.origin,
        region: 'us-east-1',
        credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'the-secret-of-the-test' },
        promptCaching: true,
        reopens: 0,
        ...options,
      }),
  },
];

export const readFile = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export function requestOf(messages: readonly ModelMessage[] = [{ role: 'user', text: 'Hello' }]): ModelRequest {
  return { model: 'test-model', system: 'You are a test.', messages, tools: [readFile], cacheKey: 'session-1' };
}

export async function collect<Part = ModelPart>(parts: AsyncIterable<Part>): Promise<Part[]> {
  const all: Part[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

export function run(wire: ModelWire, request: ModelRequest = requestOf()): Promise<ModelPart[]> {
  return collect(wire.stream(request, new AbortController().signal));
}

/** The same without how long it took. */
export function withoutFacts(parts: readonly ModelPart[]): ModelPart[] {
  return parts.map((part) => {
    if (!('facts' in part)) return part;
    const { facts: _, ...rest } = part;
    return rest as ModelPart;
  });
}

export function textOf(parts: readonly ModelPart[], type: 'text' | 'reasoning' = 'text'): string {
  return parts.map((part) => (part.type === type ? part.text : '')).join('');
}

type Last = Extract<ModelPart, { type: 'end' | 'error' | 'aborted' }>;

/** The last part; throws when the contract is broken: not exactly one ending, or a head that is not first. */
export function ending(parts: readonly ModelPart[]): Last {
  const endings = parts.filter((part) => part.type === 'end' || part.type === 'error' || part.type === 'aborted');
  const last = parts.at(-1);
  if (endings.length !== 1 || endings[0] !== last) throw new Error(`Not one ending: ${JSON.stringify(parts)}`);
  if (parts.slice(1).some((part) => part.type === 'head')) throw new Error(`A late head: ${JSON.stringify(parts)}`);
  return endings[0] as Last;
}

export function ended(parts: readonly ModelPart[]): Extract<ModelPart, { type: 'end' }> {
  const last = ending(parts);
  if (last.type !== 'end') throw new Error(`It did not end: ${JSON.stringify(last)}`);
  return last;
}

export function failed(parts: readonly ModelPart[]): Extract<ModelPart, { type: 'error' }>['error'] {
  const last = ending(parts);
  if (last.type !== 'error') throw new Error(`It did not fail: ${JSON.stringify(last)}`);
  return last.error;
}
