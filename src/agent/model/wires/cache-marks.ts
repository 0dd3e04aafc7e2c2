import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';

/** The API takes four marks. One is the system prompt's, which also covers the tools. */
const MARKED_MESSAGES = 3;

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
