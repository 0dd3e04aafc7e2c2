/** What the Chat Completions API refuses with 400, as far as a client's history and tools can cause it. */

import * as z from 'zod';
import { DIALECTS, type Extra, refusedByDialect } from './dialects/index.ts';
import { firstIssue } from './first-issue.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Fields that only some servers know are taken out before, where the dialect has them. */
const TextPart = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });
const ImagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().min(1), detail: z.string().optional() }),
});

const ToolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(NAME),
    arguments: z.string().refine(isJson, 'arguments must be valid JSON'),
  }),
});

const Message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.enum(['system', 'developer']),
    content: z.union([z.string().min(1), z.array(TextPart).min(1)]),
  }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string().min(1), z.array(z.union([TextPart, ImagePart])).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string().min(1), z.array(TextPart).min(1), z.null()]).optional(),
    tool_calls: z.array(ToolCall).min(1).optional(),
    reasoning_content: z.string().min(1).optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    tool_call_id: z.string().min(1),
    content: z.union([z.string().min(1), z.array(TextPart).min(1)]),
  }),
]);

const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(NAME),
    description: z.string().optional(),
    parameters: z.looseObject({ type: z.literal('object') }),
    strict: z.boolean().optional(),
  }),
});

const Body = z
  .looseObject({
    model: z.string().min(1),
    messages: z.array(Message).min(1),
    stream: z.boolean().optional(),
    stream_options: z.strictObject({ include_usage: z.boolean().optional() }).optional(),
    tools: z.array(Tool).min(1).optional(),
    max_tokens: z.number().int().positive().optional(),
    max_completion_tokens: z.number().int().positive().optional(),
    prompt_cache_key: z.string().min(1).max(64).optional(),
  })
  .refine((body) => body.stream_options === undefined || body.stream === true, {
    message: 'stream_options is only allowed with stream: true',
    path: ['stream_options'],
  });

/**
 * The first thing the API would refuse, or undefined when it would answer.
 *
 * @param dialect the provider whose server it is: then all of its own rules count too, and one that is not known fails
 */
export function validateOpenAi(
  body: unknown,
  dialect?: string,
  headers: Readonly<Record<string, unknown>> = {},
): string | undefined {
  if (dialect === undefined) return refusedByAll(body) ?? refusedByDialect('any', body, headers);
  const takes = DIALECTS[dialect]?.takes ?? [];
  return refusedByDialect(dialect, body, headers) ?? refusedByAll(withoutExtras(body, takes));
}

/** The same body without the fields that this server knows and others do not. */
function withoutExtras(body: unknown, takes: readonly Extra[]): unknown {
  return takes.length === 0
    ? body
    : JSON.parse(
        JSON.stringify(body, (key, value) => ((takes as readonly string[]).includes(key) ? undefined : value)),
      );
}

function refusedByAll(body: unknown): string | undefined {
  const parsed = Body.safeParse(body);
  if (!parsed.success) return firstIssue(parsed.error);
  const names = (parsed.data.tools ?? []).map((tool) => tool.function.name);
  if (new Set(names).size < names.length) return 'tools: names must be unique';
  return checkOrder(parsed.data.messages);
}

type Message = z.infer<typeof Message>;

function checkOrder(messages: readonly Message[]): string | undefined {
  const open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.delete(message.tool_call_id)) continue;
      return `messages.${index}: a tool message must answer a tool call of the assistant message before it`;
    }
    if (open.size > 0) return unanswered(open);
    if (message.role !== 'assistant') continue;
    if (message.tool_calls === undefined && (message.content ?? null) === null) {
      return `messages.${index}: an assistant message needs content or tool_calls`;
    }
    for (const call of message.tool_calls ?? []) {
      if (open.has(call.id)) return `messages.${index}: tool call id ${call.id} occurs twice`;
      open.add(call.id);
    }
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

function unanswered(open: ReadonlySet<string>): string {
  return `messages: tool calls must be followed by one tool message each; unanswered: ${[...open].join(', ')}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
