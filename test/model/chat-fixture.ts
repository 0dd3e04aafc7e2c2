/** Chunks of a Chat Completions stream, written as the delta that matters. */

import { createOpenAiChatWire, type WireOptions } from '../../src/agent/model/index.ts';
import type { ModelMessage, ModelPart } from '../../src/agent/model/types.ts';
import type { ModelServer, RecordedRequest, Script, Step } from '../model-server/index.ts';
import { requestOf, run } from '../unit/model/wire-fixture.ts';

export const chunk = (choice: object | undefined, rest: object = {}): Step => ({
  raw: `data: ${JSON.stringify({ id: 'chatcmpl-1', choices: choice === undefined ? [] : [choice], ...rest })}\n\n`,
});
export const delta = (body: object, finish: string | null = null): Step =>
  chunk({ index: 0, delta: body, finish_reason: finish });
export const text = (content: string): Step => delta({ content });
export const calls = (...tool_calls: object[]): Step => delta({ tool_calls });
/** A whole call, or its start. */
export const call = (index: number, id: string, name: string, args?: string): Step =>
  calls({ index, id, function: { name, ...(args !== undefined && { arguments: args }) } });
export const finish = (reason: string): Step => delta({}, reason);
export const done: Step = { raw: 'data: [DONE]\n\n' };
export const eof: Step = { eof: true };
export const rst: Step = { cut: true };

/** A stream of exactly these bytes. */
export const stream = (...steps: Step[]): Script => ({ steps: [...steps, eof] });
export const says = (words: string): Script => ({ steps: [{ text: words }] });

export interface Chat {
  readonly parts: readonly ModelPart[];
  readonly requests: readonly RecordedRequest[];
}

/** One request over the real wire. */
export async function ask(
  server: ModelServer,
  scripts: readonly Script[],
  options: WireOptions = {},
  messages?: readonly ModelMessage[],
  model = 'test-model',
): Promise<Chat> {
  server.script(...scripts);
  const from = server.requests.length;
  const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, ...options });
  const parts = await run(wire, { ...requestOf(messages), model });
  return { parts, requests: server.requests.slice(from) };
}

export interface ChatBody {
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly reasoning_content?: string;
    readonly reasoning_details?: unknown;
    readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
  }[];
  readonly stream: boolean;
  readonly [field: string]: unknown;
}

export function bodyOf(request: RecordedRequest | undefined): ChatBody {
  return request?.body as ChatBody;
}
