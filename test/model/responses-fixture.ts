/** What the numbered cases of the Responses wire share. */

import { createResponsesWire, type ResponsesOptions } from '../../src/agent/model/index.ts';
import type { ModelCall, ModelMessage, ModelRequest, ModelWire, SignedThinking } from '../../src/agent/model/types.ts';
import type { Answer, ModelServer, RecordedRequest } from '../model-server/index.ts';
import { responsesEvent } from '../model-server/responses-frames.ts';
import { requestOf } from '../unit/model/wire-fixture.ts';

export const OPENAI = 'https://api.openai.com/v1';
export const CODEX = 'https://chatgpt.com/backend-api/codex';
export const XAI = 'https://api.x.ai/v1';
export const COPILOT = 'https://api.githubcopilot.com';
export const FOUNDRY = 'https://team.services.ai.azure.com/openai/v1';

/** A wire to an address whose requests arrive at the fake server all the same. */
export function wireTo(server: ModelServer, baseUrl: string, options: ResponsesOptions = {}): ModelWire {
  return createResponsesWire({
    baseUrl,
    reopens: 0,
    fetch: (_url, init) => fetch(`${server.openAiBaseUrl}/responses`, init),
    ...options,
  });
}

/** An answer of these events and nothing else. */
export function saying(...events: readonly (readonly [type: string, fields: object])[]): Answer {
  return { steps: [{ raw: events.map(([type, fields]) => responsesEvent(type, fields)).join('') }, { eof: true }] };
}

export type Event = readonly [type: string, fields: object];

export const COMPLETED: Event = ['response.completed', { response: { id: 'resp_1', status: 'completed', output: [] } }];

export function done(output_index: number, item: object): Event {
  return ['response.output_item.done', { output_index, item }];
}

export function added(output_index: number, item: object): Event {
  return ['response.output_item.added', { output_index, item }];
}

export interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly id?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly phase?: string;
  readonly content?: unknown;
  readonly encrypted_content?: string;
}

export interface Body {
  readonly input: readonly Item[];
  readonly instructions?: string;
  readonly tools?: readonly {
    readonly type: string;
    readonly name?: string;
    readonly description?: string;
    readonly parameters?: unknown;
  }[];
  readonly tool_choice?: unknown;
  readonly parallel_tool_calls?: boolean;
  readonly reasoning?: unknown;
  readonly include?: readonly string[];
  readonly prompt_cache_key?: string;
  readonly max_output_tokens?: number;
  readonly context_management?: readonly { readonly type: string; readonly compact_threshold: number }[];
  readonly stream?: boolean;
  readonly store?: boolean;
  readonly service_tier?: string;
}

export function bodyOf(request: RecordedRequest): Body {
  return request.body as Body;
}

/** The kinds of the items, messages by who speaks. */
export function kindsOf(request: RecordedRequest): readonly string[] {
  return bodyOf(request).input.map(({ type, role }) => role ?? type ?? '?');
}

export const user = (text: string): ModelMessage => ({ role: 'user', text });

export function asked(calls: readonly string[], thinking: readonly SignedThinking[] = [], text = ''): ModelMessage {
  return { role: 'assistant', text, thinking, calls: calls.map(callOf) };
}

export function result(callId: string, text = 'text'): ModelMessage {
  return { role: 'tool', callId, name: 'read_file', text, isError: false };
}

export function callOf(callId: string): ModelCall {
  return { callId, name: 'read_file', input: { path: 'a' } };
}

export function requestFor(model: string, messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}) {
  return { ...requestOf(messages), model, ...more };
}
