/** What the Messages API refuses with 400, as far as a client's history and tools can cause it. */

import * as z from 'zod';
import { firstIssue } from './first-issue.ts';

const MAX_CACHE_MARKS = 4;

const CacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });

const Text = z.strictObject({
  type: z.literal('text'),
  text: z.string().regex(/\S/, 'text content blocks must contain non-whitespace text'),
  cache_control: CacheControl.optional(),
});

const Image = z.strictObject({
  type: z.literal('image'),
  source: z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.string().min(1),
  }),
  cache_control: CacheControl.optional(),
});

const ToolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [Text, Image]))]).optional(),
  is_error: z.boolean().optional(),
  cache_control: CacheControl.optional(),
});

const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  input: z.record(z.string(), z.unknown()),
  cache_control: CacheControl.optional(),
});

const Thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) });
const Redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) });

const Plain = z.string().regex(/\S/, 'must not be blank');
const UserBlock = z.discriminatedUnion('type', [Text, Image, ToolResult]);
const AssistantBlock = z.discriminatedUnion('type', [Text, ToolUse, Thinking, Redacted]);

const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.union([Plain, z.array(UserBlock).min(1)]) }),
  z.strictObject({ role: z.literal('assistant'), content: z.union([Plain, z.array(AssistantBlock).min(1)]) }),
]);

const Tool = z.strictObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z
    .looseObject({ type: z.literal('object') })
    .refine((schema) => !('oneOf' in schema || 'allOf' in schema || 'anyOf' in schema), {
      message: 'input_schema does not support oneOf, allOf or anyOf at the top level',
    }),
  cache_control: CacheControl.optional(),
});

const Body = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.number().int().positive(),
  system: z.union([z.string().min(1), z.array(Text)]).optional(),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).optional(),
  stream: z.boolean().optional(),
});

/** The first thing the API would refuse, or undefined when it would answer. */
export function validateAnthropic(body: unknown): string | undefined {
  const parsed = Body.safeParse(body);
  if (!parsed.success) return firstIssue(parsed.error);
  const { messages, tools = [] } = parsed.data;
  if (new Set(tools.map((tool) => tool.name)).size < tools.length) return 'tools: names must be unique';
  return checkMarks(body) ?? checkEnds(messages) ?? checkToolOrder(messages);
}

type Message = z.infer<typeof Message>;

function checkMarks(body: unknown): string | undefined {
  const marks = JSON.stringify(body).split('"cache_control":{').length - 1;
  if (marks <= MAX_CACHE_MARKS) return undefined;
  return `a maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided; found ${marks}`;
}

function checkEnds(messages: readonly Message[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'messages: the first message must use the user role';
  if (messages.at(-1)?.role !== 'user') return 'messages: the conversation must end with a user message';
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'assistant' || typeof content === 'string') continue;
    const last = content.at(-1)?.type;
    if (last === 'thinking' || last === 'redacted_thinking') {
      return `messages.${index}: the final block of an assistant message cannot be thinking`;
    }
  }
  return undefined;
}

function checkToolOrder(messages: readonly Message[]): string | undefined {
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = typeof content === 'string' ? [] : content;
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    for (const id of results) {
      if (!open.delete(id)) return `messages.${index}: tool_result ${id} has no tool_use in the message before it`;
    }
    if (open.size > 0) {
      return `messages.${index}: tool_use without tool_result immediately after: ${[...open].join(', ')}`;
    }
    if (blocks.slice(0, results.length).some((block) => block.type !== 'tool_result')) {
      return `messages.${index}: tool_result blocks must come before other content`;
    }
    if (role === 'user') continue;
    const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    for (const id of uses) {
      if (seen.has(id)) return `messages.${index}: tool_use ids must be unique; ${id} occurs twice`;
      seen.add(id);
    }
    open = new Set(uses);
  }
  return undefined;
}
