/** A Chat Completions request, as the rules of the dialects read it. */

import * as z from 'zod';

const Part = z.looseObject({ type: z.string(), image_url: z.looseObject({ url: z.string() }).optional() });

const Call = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const Message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(Part), z.null()]).optional(),
  tool_calls: z.array(Call).optional(),
  tool_call_id: z.string().optional(),
});

const Tool = z.looseObject({
  function: z.looseObject({ name: z.string(), parameters: z.record(z.string(), z.unknown()).optional() }),
});

export const ChatBody = z.looseObject({
  model: z.string(),
  messages: z.array(Message),
  tools: z.array(Tool).default([]),
  reasoning_effort: z.string().optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
});

export type ChatBody = z.infer<typeof ChatBody>;
export type ChatMessage = ChatBody['messages'][number];
export type ChatTool = ChatBody['tools'][number];

export interface ChatRequest {
  readonly body: ChatBody;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Why a server answers 400; undefined when it does not. */
export type Rule = (request: ChatRequest) => string | undefined;

/** The first message with something wrong in it. */
export function eachMessage(wrong: (message: ChatMessage, index: number) => string | undefined): Rule {
  return ({ body }) => first(body.messages, wrong);
}

export function eachCall(wrong: (call: z.infer<typeof Call>) => string | undefined): Rule {
  return eachMessage((message) => first(message.tool_calls ?? [], wrong));
}

export function eachTool(wrong: (tool: ChatTool['function']) => string | undefined): Rule {
  return ({ body }) => first(body.tools, (tool) => wrong(tool.function));
}

export function first<Value>(
  values: readonly Value[],
  wrong: (value: Value, index: number) => string | undefined,
): string | undefined {
  for (const [index, value] of values.entries()) {
    const found = wrong(value, index);
    if (found !== undefined) return found;
  }
  return undefined;
}
