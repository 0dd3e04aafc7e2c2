/** What the Converse API refuses, as far as a client's history, tools and signature can cause it. */

import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { firstIssue } from './first-issue.ts';

const MAX_CACHE_POINTS = 4;

const CachePoint = z.strictObject({
  cachePoint: z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).optional() }),
});

const Text = z.strictObject({ text: z.string().regex(/\S/, 'The text field in the ContentBlock object is blank') });

const Image = z.strictObject({
  image: z.strictObject({
    format: z.enum(['png', 'jpeg', 'gif', 'webp']),
    source: z.strictObject({ bytes: z.base64().min(1) }),
  }),
});

const ToolId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const ToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);

const ToolUse = z.strictObject({
  toolUse: z.strictObject({ toolUseId: ToolId, name: ToolName, input: z.record(z.string(), z.unknown()) }),
});

const ToolResult = z.strictObject({
  toolResult: z.strictObject({
    toolUseId: ToolId,
    content: z.array(z.union([Text, Image, z.strictObject({ json: z.record(z.string(), z.unknown()) })])).min(1),
    status: z.enum(['success', 'error']).optional(),
  }),
});

const Reasoning = z.strictObject({
  reasoningContent: z.union([
    z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().min(1) }) }),
    z.strictObject({ redactedContent: z.base64().min(1) }),
  ]),
});

const Message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.array(z.union([Text, Image, ToolResult, CachePoint])).min(1),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.array(z.union([Text, ToolUse, Reasoning, CachePoint])).min(1),
  }),
]);

const Tool = z.union([
  z.strictObject({
    toolSpec: z.strictObject({
      name: ToolName,
      description: z.string().min(1).optional(),
      inputSchema: z.strictObject({
        json: z
          .looseObject({ type: z.literal('object') })
          .refine((schema) => !('oneOf' in schema || 'allOf' in schema || 'anyOf' in schema), {
            message: 'input_schema does not support oneOf, allOf, or anyOf at the top level',
          }),
      }),
    }),
  }),
  CachePoint,
]);

const Body = z.strictObject({
  messages: z.array(Message).min(1),
  system: z.array(z.union([Text, CachePoint])).optional(),
  inferenceConfig: z.strictObject({ maxTokens: z.number().int().positive().optional() }).optional(),
  toolConfig: z.strictObject({ tools: z.array(Tool).min(1) }).optional(),
  additionalModelRequestFields: z.record(z.string(), z.unknown()).optional(),
});

type Body = z.infer<typeof Body>;
type Message = z.infer<typeof Message>;

/** The first thing the API would refuse, or undefined when it would answer. */
export function validateBedrock(body: unknown): string | undefined {
  const parsed = Body.safeParse(body);
  if (!parsed.success) return firstIssue(parsed.error);
  const { messages, toolConfig } = parsed.data;
  const points = JSON.stringify(body).split('{"cachePoint":').length - 1;
  if (points > MAX_CACHE_POINTS)
    return `a maximum of ${MAX_CACHE_POINTS} cache points may be provided; found ${points}`;
  const names = (toolConfig?.tools ?? []).flatMap((tool) => ('toolSpec' in tool ? [tool.toolSpec.name] : []));
  if (new Set(names).size < names.length) return 'The tool names must be unique';
  return checkTurns(messages) ?? checkTools(parsed.data);
}

/** Whether a request is signed, or has a token; the signature itself is not computed again. */
export function isSigned({ authorization = '', ...headers }: IncomingHttpHeaders): boolean {
  if (authorization.startsWith('Bearer ')) return true;
  const signed =
    /^AWS4-HMAC-SHA256 Credential=\S+\/bedrock\/aws4_request, SignedHeaders=(\S+), Signature=[0-9a-f]{64}$/;
  const names = signed.exec(authorization)?.[1]?.split(';') ?? [];
  return names.includes('host') && names.includes('x-amz-date') && names.every((name) => headers[name] !== undefined);
}

function checkTurns(messages: readonly Message[]): string | undefined {
  if (messages[0]?.role !== 'user') return 'A conversation must start with a user message.';
  if (messages.at(-1)?.role !== 'user') return 'A conversation must end with a user message.';
  if (messages.some(({ role }, index) => role === messages[index - 1]?.role)) {
    return 'A conversation must alternate between user and assistant roles.';
  }
  for (const [index, { role, content }] of messages.entries()) {
    const last = content.findLast((block) => !('cachePoint' in block));
    if (role === 'assistant' && last !== undefined && 'reasoningContent' in last) {
      return `messages.${index}: the final block in an assistant message cannot be thinking`;
    }
    if (content[0] !== undefined && 'cachePoint' in content[0]) return `messages.${index}: a cache point comes first`;
  }
  return undefined;
}

function checkTools({ messages, toolConfig }: Body): string | undefined {
  const seen = new Set<string>();
  for (const [index, { content }] of messages.entries()) {
    const uses = content.flatMap((block) => ('toolUse' in block ? [block.toolUse.toolUseId] : []));
    const results = (messages[index + 1]?.content ?? []).flatMap((block) =>
      'toolResult' in block ? [block.toolResult.toolUseId] : [],
    );
    if (uses.toSorted().join() !== results.toSorted().join()) {
      return `messages.${index}: each toolUse needs a toolResult in the next message, and each toolResult a toolUse`;
    }
    for (const id of uses) {
      if (seen.has(id)) return `messages.${index}: tool use ids must be unique; ${id} occurs twice`;
      seen.add(id);
    }
  }
  const [first] = messages;
  const orphan = first?.content.some((block) => 'toolResult' in block) === true;
  if (orphan) return 'messages.0: each toolResult needs a toolUse';
  return seen.size > 0 && toolConfig === undefined
    ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.'
    : undefined;
}
