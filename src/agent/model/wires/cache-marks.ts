import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { ModelMessage } from '../types.ts';
import { isBlank } from './wire-text.ts';

/** The API takes four marks. One is the system prompt's, which also covers the tools. */
const MARKED_MESSAGES = 3;

/**
 * How many messages, from the first on, stand before all marks, now and with every later request. The results of one
 * batch are sent as one message, so it ends before a message that is no result.
 */
export function settledMessages(history: readonly ModelMessage[]): number {
  let sent = 0;
  for (let index = history.length - 1; index > 0; index--) {
    const message = history[index];
    if (message === undefined || message.role === 'tool') continue;
    if (!isBlank(message.text) || (message.role === 'assistant' && message.calls.length > 0)) sent += 1;
    if (sent === MARKED_MESSAGES) return index;
  }
  return 0;
}

/**
 * Marks the end of the system prompt and of the last three messages. The newest mark writes what the next request will
 * read; the older ones find what earlier requests wrote. The input is not changed.
 */
export function markForCache(body: MessageCreateParamsStreaming): MessageCreateParamsStreaming {
  const from = body.messages.length - MARKED_MESSAGES;
  const messages = body.messages.map((message, index) => (index < from ? message : markMessage(message)));
  return { ...body, ...(Array.isArray(body.system) && { system: markLast(body.system) }), messages };
}

function markMessage(message: MessageParam): MessageParam {
  if (typeof message.content === 'string' || message.role === 'system') return message;
  return { role: message.role, content: markLast(message.content) };
}

function markLast<Block extends ContentBlockParam>(blocks: readonly Block[]): Block[] {
  const last = blocks.at(-1);
  // Thinking takes no mark.
  if (last === undefined || last.type === 'thinking' || last.type === 'redacted_thinking') return [...blocks];
  return [...blocks.slice(0, -1), { ...last, cache_control: { type: 'ephemeral' } }];
}
