/** The chunks of a Chat Completions stream, and the whole answer of a server that does not stream, as one shape. */

import * as z from 'zod';
import { ModelFailure } from '../../failures/failure.ts';
import type { Finish } from '../../types.ts';
import type { ServerEvent } from '../exchange/sse.ts';
import { Arguments, fitting, jsonOf } from '../frames.ts';
import { ReasoningDetails } from './reasoning-details.ts';
import { ChatUsage } from './usage.ts';

const Text = z.string().nullish().catch(undefined);

const CallDelta = z.object({
  index: z.number().int().nullish(),
  // Some servers count their calls instead of naming them.
  id: z.union([z.string(), z.number().transform(String)]).nullish(),
  function: z
    .object({
      name: Text,
      arguments: Arguments,
    })
    .nullish(),
  extra_content: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});

const Piece = z.object({ text: Text });
/** Mistral's thinking models send parts, of which some are thoughts. */
const Content = z
  .union([z.string(), z.array(z.object({ text: Text, thinking: z.array(Piece).nullish().catch(undefined) }))])
  .nullish()
  .catch(undefined);

const Delta = z.object({
  content: Content,
  reasoning_content: Text,
  reasoning: Text,
  reasoning_details: ReasoningDetails,
  tool_calls: z.array(CallDelta).nullish(),
});

const Chunk = z.object({
  id: Text,
  choices: z.array(z.object({ delta: Delta.nullish(), message: Delta.nullish(), finish_reason: Text })).nullish(),
  usage: ChatUsage.nullish(),
  x_groq: z.object({ usage: ChatUsage.nullish() }).nullish().catch(undefined),
  /** Some routers say so that nothing follows. */
  lastOne: z.unknown().optional(),
  error: z.unknown().optional(),
  error_type: Text,
  error_message: Text,
});

export type Chunk = z.infer<typeof Chunk>;
export type CallDelta = z.infer<typeof CallDelta>;

/** Throws a `ModelFailure` for an error, and for what is no chunk. */
export function parseChunk(event: ServerEvent): Chunk {
  return chunkOf(jsonOf(event), event.event);
}

export function chunkOf(body: unknown, event: string | null = null): Chunk {
  const chunk = fitting(Chunk, body);
  const { error, error_type, error_message } = chunk;
  if (error || error_type || error_message || event === 'error') throw new ModelFailure({ at: 'frame', body });
  return chunk;
}

export function saidIn(content: z.infer<typeof Content>): string {
  return Array.isArray(content) ? content.map(({ text }) => text ?? '').join('') : (content ?? '');
}

export function thoughtIn(content: z.infer<typeof Content>): string {
  if (!Array.isArray(content)) return '';
  return content.flatMap(({ thinking }) => thinking?.map(({ text }) => text ?? '') ?? []).join('');
}

/** `error`: the server says that the answer failed. */
export function finishOf(reason: string | null | undefined): Finish | 'error' | undefined {
  switch (reason?.toLowerCase()) {
    case undefined:
    case '':
      return undefined;
    case 'length':
    case 'max_tokens':
      return 'length';
    case 'content_filter':
      return 'content_filter';
    case 'tool_calls':
    case 'function_call':
      return 'tool_calls';
    case 'error':
    case 'error_finish':
      return 'error';
    default:
      return 'stop';
  }
}

export function isLast(chunk: Chunk): boolean {
  return chunk.lastOne === true || chunk.lastOne === 1 || chunk.lastOne === 'true';
}
