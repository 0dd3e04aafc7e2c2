/** The events of a Messages stream, as far as this version knows them. */

import * as z from 'zod';
import type { Usage } from '../../../../api.ts';
import { ModelFailure } from '../../failures/failure.ts';
import type { Finish } from '../../types.ts';
import type { ServerEvent } from '../exchange/sse.ts';
import { fitting, jsonOf } from '../frames.ts';

const Count = z.number().nullish().catch(undefined);
const Counts = z.object({
  input_tokens: Count,
  output_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
});

const StartedBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().default('') }),
  z.object({ type: z.literal('thinking'), thinking: z.string().default(''), signature: z.string().default('') }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown().optional() }),
]);

const Delta = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
]);

/** Bedrock's own guardrails cut an answer and let its stop reason say that it is whole. */
const guardrail = { 'amazon-bedrock-guardrailAction': z.string().optional().catch(undefined) };

/** Blocks and deltas of a kind that this version does not know are skipped: sent back, they would be refused. */
const Event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ id: z.string().optional().catch(undefined), usage: Counts.nullish(), ...guardrail }),
  }),
  z.object({
    type: z.literal('content_block_start'),
    index: z.number().int(),
    content_block: StartedBlock.optional().catch(undefined),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.number().int(),
    delta: Delta.optional().catch(undefined),
  }),
  z.object({ type: z.literal('content_block_stop'), index: z.number().int() }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: Counts.nullish(),
    ...guardrail,
  }),
  z.object({ type: z.literal('message_stop'), ...guardrail }),
]);

const KNOWN: ReadonlySet<string> = new Set(Event.options.map((option) => option.shape.type.value));

export type MessageEvent = z.infer<typeof Event>;
export type StartedBlock = z.infer<typeof StartedBlock>;
export type BlockDelta = z.infer<typeof Delta>;
export type MessageCounts = z.infer<typeof Counts>;

/** Undefined for what says nothing. Throws a `ModelFailure` for an error, and for what is no event. */
export function parseMessageEvent(frame: ServerEvent): MessageEvent | undefined {
  const { event, data } = frame;
  if (event === 'ping' || data === '') return undefined;
  const body = jsonOf(frame);
  const type = (body as { type?: unknown } | null)?.type;
  if (event === 'error' || type === 'error') throw new ModelFailure({ at: 'frame', body });
  if (typeof type !== 'string' || !KNOWN.has(type)) return undefined;
  return fitting(Event, body);
}

export function isIntervention(event: MessageEvent): boolean {
  const said = event.type === 'message_start' ? event.message : event;
  return 'amazon-bedrock-guardrailAction' in said && said['amazon-bedrock-guardrailAction'] === 'INTERVENED';
}

export function finishOf(stopReason: string): Finish {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content_filter';
    case 'tool_use':
      return 'tool_calls';
    default:
      return 'stop';
  }
}

export function usageOfMessages(counts: MessageCounts): Usage {
  return {
    input: Math.max(0, counts.input_tokens ?? 0),
    output: Math.max(0, counts.output_tokens ?? 0),
    cacheRead: Math.max(0, counts.cache_read_input_tokens ?? 0),
    cacheWrite: Math.max(0, counts.cache_creation_input_tokens ?? 0),
    reasoning: 0,
  };
}
