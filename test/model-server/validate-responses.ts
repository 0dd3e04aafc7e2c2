/** What the Responses API refuses with 400, as far as a client's history and tools can cause it. */

import * as z from 'zod';
import { firstIssue } from './first-issue.ts';
import { SEAL } from './responses-frames.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const Id = z.string().min(1).max(64);
const Sealed = z
  .string()
  .startsWith(SEAL, 'invalid_encrypted_content: the encrypted content could not be verified')
  .nullish();

const InputText = z.strictObject({ type: z.literal('input_text'), text: z.string() });
const InputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: z.string().min(1),
  detail: z.enum(['low', 'high', 'auto', 'original']).optional(),
});
const OutputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()).optional(),
  logprobs: z.array(z.unknown()).optional(),
});
const Refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });

const Spoken = z.union([z.string(), z.array(z.discriminatedUnion('type', [InputText, InputImage])).min(1)]);
const Said = z.union([z.string(), z.array(z.discriminatedUnion('type', [OutputText, Refusal]))]);
const Output = z.union([z.string(), z.array(z.discriminatedUnion('type', [InputText, InputImage])).min(1)]);
const Status = z.enum(['in_progress', 'completed', 'incomplete']).optional();

const Message = z.discriminatedUnion('role', [
  z.strictObject({
    type: z.literal('message').optional(),
    id: Id.optional(),
    role: z.enum(['user', 'system', 'developer']),
    content: Spoken,
    status: Status,
    internal_chat_message_metadata_passthrough: z.unknown().optional(),
  }),
  z.strictObject({
    type: z.literal('message').optional(),
    id: Id.startsWith('msg').optional(),
    role: z.literal('assistant'),
    content: Said,
    status: Status,
    phase: z.enum(['commentary', 'final_answer']).nullish(),
    internal_chat_message_metadata_passthrough: z.unknown().optional(),
  }),
]);

const Item = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('reasoning'),
    id: Id.startsWith('rs').optional(),
    encrypted_content: Sealed,
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
    content: z.array(z.unknown()).nullish(),
    status: Status,
    internal_chat_message_metadata_passthrough: z.unknown().optional(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: Id.startsWith('fc').optional(),
    call_id: Id,
    name: z.string().regex(NAME),
    namespace: z.string().optional(),
    arguments: z.string().refine(isJson, 'arguments must be valid JSON'),
    status: Status,
    internal_chat_message_metadata_passthrough: z.unknown().optional(),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    id: Id.optional(),
    call_id: Id,
    output: Output,
    status: Status,
    internal_chat_message_metadata_passthrough: z.unknown().optional(),
  }),
  z.looseObject({ type: z.literal('custom_tool_call'), call_id: Id, name: z.string(), input: z.string() }),
  z.looseObject({ type: z.literal('custom_tool_call_output'), call_id: Id, output: Output }),
  z.looseObject({ type: z.literal('local_shell_call'), call_id: Id, action: z.looseObject({}) }),
  z.looseObject({ type: z.literal('local_shell_call_output'), output: z.string() }),
  z.strictObject({
    type: z.enum(['compaction', 'compaction_summary']),
    id: Id.optional(),
    encrypted_content: Sealed,
    internal_chat_message_metadata_passthrough: z.unknown().optional(),
  }),
]);

/** Items of tools that run on the server's side; what is in them is the server's own business. */
const OTHER_ITEMS: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'computer_call',
  'computer_call_output',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'tool_search_call',
  'tool_search_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'additional_tools',
  'compaction_trigger',
]);

const FunctionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string().regex(NAME),
  description: z.string().nullish(),
  parameters: z.looseObject({ type: z.literal('object') }).nullable(),
  strict: z.boolean().nullable().optional(),
  defer_loading: z.boolean().optional(),
  output_schema: z.looseObject({}).nullish(),
});

/** Built-in tools and those with a grammar of their own. */
const OtherTool = z.looseObject({
  type: z.enum([
    'custom',
    'namespace',
    'tool_search',
    'local_shell',
    'shell',
    'apply_patch',
    'web_search',
    'web_search_preview',
    'file_search',
    'code_interpreter',
    'image_generation',
    'computer',
    'mcp',
  ]),
});

const Body = z
  .strictObject({
    model: z.string().min(1),
    input: z.union([z.string().min(1), z.array(z.looseObject({ type: z.string().optional() })).min(1)]),
    instructions: z.string().nullish(),
    tools: z.array(z.union([FunctionTool, OtherTool])).optional(),
    tool_choice: z.unknown().optional(),
    parallel_tool_calls: z.boolean().optional(),
    reasoning: z
      .strictObject({
        effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
        summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
        context: z.string().nullish(),
      })
      .nullish(),
    store: z.boolean().optional(),
    stream: z.boolean().optional(),
    stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
    include: z.array(z.string().regex(/^[a-z_]+(\.[a-z_]+)+$/)).optional(),
    max_output_tokens: z.number().int().min(16).nullish(),
    prompt_cache_key: z.string().min(1).max(64).optional(),
    prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
    prompt_cache_options: z.looseObject({}).optional(),
    context_management: z
      .array(
        z.strictObject({ type: z.literal('compaction'), compact_threshold: z.number().int().min(1000).optional() }),
      )
      .min(1)
      .nullish(),
    service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
    text: z.looseObject({ verbosity: z.string().nullish(), format: z.looseObject({}).nullish() }).nullish(),
    truncation: z.enum(['auto', 'disabled']).nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
    client_metadata: z.record(z.string(), z.string()).nullish(),
    temperature: z.number().nullish(),
    top_p: z.number().nullish(),
    user: z.string().optional(),
    safety_identifier: z.string().max(64).nullish(),
    previous_response_id: z.string().nullish(),
  })
  .refine((body) => body.stream_options == null || body.stream === true, {
    message: 'stream_options is only allowed with stream: true',
    path: ['stream_options'],
  });

/** The first thing the API would refuse, or undefined when it would answer. */
export function validateResponses(body: unknown): string | undefined {
  const parsed = Body.safeParse(body);
  if (!parsed.success) return firstIssue(parsed.error);
  const { input, tools = [], tool_choice, include = [], store = true } = parsed.data;
  const names = tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : []));
  if (new Set(names).size < names.length) return 'tools: names must be unique';
  if (tools.length === 0 && tool_choice !== undefined && tool_choice !== 'auto' && tool_choice !== 'none')
    return 'tool_choice is only allowed when tools are specified';
  if (include.includes('reasoning.encrypted_content') && store && parsed.data.previous_response_id != null)
    return 'include: encrypted reasoning is for requests that store nothing';
  return typeof input === 'string' ? undefined : (checkItems(input, store) ?? checkOrder(input));
}

interface Loose {
  readonly type?: string | undefined;
  readonly role?: unknown;
  readonly id?: unknown;
  readonly call_id?: unknown;
  readonly encrypted_content?: unknown;
}

function checkItems(items: readonly Loose[], stored: boolean): string | undefined {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const { type = 'message', id } = item;
    if (OTHER_ITEMS.has(type)) continue;
    const parsed = (type === 'message' ? Message : Item).safeParse(item);
    if (!parsed.success) return `input.${index}.${firstIssue(parsed.error)}`;
    if (type === 'reasoning' && !stored && (item.encrypted_content ?? '') === '')
      return `input.${index}: item with id '${String(id)}' not found; items are not persisted when store is false`;
    if (typeof id !== 'string') continue;
    if (seen.has(id)) return `input.${index}: duplicate item found with id ${id}`;
    seen.add(id);
  }
  return undefined;
}

/** Which items have to be answered, and by what. */
const ANSWERS: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
};

function checkOrder(items: readonly Loose[]): string | undefined {
  const open = new Map<string, string>();
  const answered = new Set<string>();
  for (const [index, { type, call_id }] of items.entries()) {
    if (type === 'reasoning' && !isFollowed(items, index))
      return `input.${index}: item of type 'reasoning' was provided without its required following item`;
    if (type === undefined || typeof call_id !== 'string') continue;
    const answer = ANSWERS[type];
    if (answer !== undefined) {
      if (open.has(call_id) || answered.has(call_id)) return `input.${index}: duplicate call_id ${call_id}`;
      open.set(call_id, answer);
    } else if (Object.values(ANSWERS).includes(type)) {
      if (open.get(call_id) !== type) return `input.${index}: no tool call found for ${type} with call_id ${call_id}`;
      open.delete(call_id);
      answered.add(call_id);
    }
  }
  const [missing] = open.keys();
  return missing === undefined ? undefined : `No tool output found for function call ${missing}.`;
}

/** A thought belongs to what the model did next: something of its own, before anybody else speaks. */
function isFollowed(items: readonly Loose[], index: number): boolean {
  const next = items.slice(index + 1).find(({ type }) => type !== 'reasoning');
  if (next === undefined) return false;
  const { type = 'message', role } = next;
  return type === 'message' ? role === 'assistant' : !type.endsWith('_output');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
