/** Marks for what a provider should cache: they travel on copies, and what is stored never has any. */

import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { CacheTtl } from '../catalogue/cache-policy.ts';
import type { ModelMessage } from '../types.ts';
import { isBlank } from './wire-text.ts';

/** The APIs take four marks. One is the system prompt's, which also covers the tools. */
export const MARKED_MESSAGES = 3;

export function cacheMark(ttl: CacheTtl): CacheControlEphemeral {
  return { type: 'ephemeral', ...(ttl === '1h' && { ttl }) };
}

/**
 * How many messages, from the first on, stand before all marks, now and with every later request. It ends before a
 * message that is no result, since the results of one batch may be sent as one message.
 */
export function settledMessages(history: readonly ModelMessage[]): number {
  let sent = 0;
  for (let index = history.length - 1; index > 0; index--) {
    const message = history[index];
    if (message === undefined || message.role === 'tool') continue;
    if (!isBlank(message.text)) sent += 1;
    else if (message.role === 'assistant' ? message.calls.length > 0 : (message.images?.length ?? 0) > 0) sent += 1;
    if (sent === MARKED_MESSAGES) return index;
  }
  return 0;
}

/** A request of the Messages API with the marks of its system prompt and its last messages. The input is not changed. */
export function markForCache(
  body: MessageCreateParamsStreaming,
  mark: CacheControlEphemeral = cacheMark('5m'),
): MessageCreateParamsStreaming {
  const messages = markLast(body.messages, (message) => markMessage(message, mark));
  const system = Array.isArray(body.system) ? { system: markBlocks(body.system, mark) ?? body.system } : {};
  return { ...body, ...system, messages: [...messages] };
}

function markMessage(message: MessageParam, mark: CacheControlEphemeral): MessageParam | undefined {
  if (typeof message.content === 'string' || message.role === 'system') return undefined;
  const content = markBlocks(message.content, mark);
  return content && { role: message.role, content };
}

/** On the last block that takes one: thinking does not. */
function markBlocks<Block extends ContentBlockParam>(
  blocks: readonly Block[],
  mark: CacheControlEphemeral,
): Block[] | undefined {
  const at = blocks.findLastIndex(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
  if (at < 0) return undefined;
  return blocks.map((block, index) => (index === at ? { ...block, cache_control: mark } : block));
}

/**
 * The last messages with their marks: the newest mark writes what the next request will read, the older ones find what
 * earlier requests wrote. The input is not changed.
 *
 * @param mark the message with its mark, or undefined where it can have none
 */
export function markLast<Message>(
  messages: readonly Message[],
  mark: (message: Message) => Message | undefined,
): readonly Message[] {
  const marked = [...messages];
  let left = MARKED_MESSAGES;
  for (let index = marked.length - 1; index >= 0 && left > 0; index--) {
    const message = marked[index];
    const with_ = message === undefined ? undefined : mark(message);
    if (with_ === undefined) continue;
    marked[index] = with_;
    left -= 1;
  }
  return marked;
}
