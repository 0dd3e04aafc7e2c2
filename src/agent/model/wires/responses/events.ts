/** The events of a Responses stream, as far as an answer is made of them. */

import * as z from 'zod';
import { ModelFailure } from '../../failures/failure.ts';
import type { ServerEvent } from '../exchange/sse.ts';
import { Arguments, fitting, jsonOf } from '../frames.ts';

const Text = z.string().nullish().catch(undefined);
const Index = z.number().int().nullish().catch(undefined);
const Count = z.number().nullish().catch(undefined);

const Part = z.object({ type: z.string(), text: Text, refusal: Text });

/** Any kind of item; of those that run on the server's side only the type matters. */
const Item = z.object({
  type: z.string(),
  id: Text,
  status: Text,
  /** Messages: `commentary` and `analysis` are no part of the answer. */
  phase: Text,
  content: z.array(Part).nullish().catch(undefined),
  summary: z.array(Part).nullish().catch(undefined),
  encrypted_content: Text,
  call_id: Text,
  name: Text,
  arguments: Arguments,
});

export const ResponsesUsage = z.object({
  input_tokens: Count,
  output_tokens: Count,
  input_tokens_details: z.object({ cached_tokens: Count, cache_write_tokens: Count }).nullish().catch(undefined),
  output_tokens_details: z.object({ reasoning_tokens: Count }).nullish().catch(undefined),
});

/** Its `output` is not read: some servers send null, nothing or text there, and the items have been said before. */
const Answer = z.object({
  id: Text,
  status: Text,
  incomplete_details: z.object({ reason: Text }).nullish().catch(undefined),
  error: z.unknown().optional(),
  usage: ResponsesUsage.nullish().catch(undefined),
});

/** An answer that came as one body, where its items are nowhere else. */
export const ResponsesWhole = Answer.extend({ output: z.array(Item).nullish().catch(undefined), output_text: Text });

const placed = { item_id: Text, output_index: Index };

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('response.created'), response: z.object({ id: Text }) }),
  z.object({ type: z.literal('response.output_item.added'), output_index: Index, item: Item }),
  z.object({ type: z.literal('response.output_item.done'), output_index: Index, item: Item }),
  z.object({ type: z.literal('response.output_text.delta'), ...placed, delta: z.string() }),
  z.object({ type: z.literal('response.output_text.done'), ...placed, text: z.string() }),
  z.object({ type: z.literal('response.refusal.delta'), ...placed, delta: z.string() }),
  z.object({
    type: z.literal('response.reasoning_summary_text.delta'),
    ...placed,
    summary_index: Index,
    delta: z.string(),
  }),
  z.object({ type: z.literal('response.reasoning_text.delta'), ...placed, delta: z.string() }),
  z.object({ type: z.literal('response.function_call_arguments.delta'), ...placed, delta: z.string() }),
  z.object({ type: z.literal('response.function_call_arguments.done'), ...placed, name: Text, arguments: Arguments }),
  z.object({ type: z.literal('response.completed'), response: Answer }),
  z.object({ type: z.literal('response.incomplete'), response: Answer }),
  z.object({ type: z.literal('response.failed'), response: Answer }),
  z.object({ type: z.literal('response.cancelled'), response: Answer }),
]);

export type ResponsesEvent = z.infer<typeof Event>;
export type ResponsesItem = z.infer<typeof Item>;
export type ResponsesAnswer = z.infer<typeof Answer>;

const KNOWN: ReadonlySet<string> = new Set(Event.options.map((option) => option.shape.type.value));

/** Undefined for an event that says nothing of the answer. Throws a `ModelFailure` for an error, or for no event. */
export function parseResponsesEvent(frame: ServerEvent): ResponsesEvent | undefined {
  const { event, data } = frame;
  if (data === '') return undefined;
  const body = jsonOf(frame);
  const type = (body as { type?: unknown } | null)?.type ?? event;
  if (event === 'error' || type === 'error') throw new ModelFailure({ at: 'frame', body: errorOf(body) });
  if (typeof type !== 'string' || !KNOWN.has(type)) return undefined;
  return fitting(Event, body);
}

const ErrorFrame = z.object({ code: Text, message: Text, param: Text, error: z.unknown().optional() });

/** What the frame itself says goes before what it says under `error`. */
function errorOf(body: unknown): unknown {
  const said = ErrorFrame.safeParse(body).data;
  if (said === undefined || (!said.code && !said.message)) return body;
  const inner = ErrorFrame.safeParse(said.error).data;
  return { error: { code: said.code ?? inner?.code, message: said.message ?? inner?.message } };
}
