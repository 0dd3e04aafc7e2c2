/** History and tools in the words of the Chat Completions API. */

import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ModelMessage, ToolSpec } from '../types.ts';
import { inputOf, isBlank, NO_OUTPUT, plainId, toolName, uniqueTools, wellFormed } from './wire-text.ts';

/** Characters of a call's id that OpenAI's own servers take. */
export const OPENAI_LONGEST_ID = 64;

/**
 * Only the fields the API knows: strict servers refuse every other one. A message without content is left out.
 *
 * @param longestId characters of a call's id; some servers keep things of their own in longer ones and need them back
 */
export function chatMessages(
  system: string,
  history: readonly ModelMessage[],
  longestId = Number.POSITIVE_INFINITY,
): ChatCompletionMessageParam[] {
  const idOf = (id: string) => (id.length <= longestId ? id : plainId(id));
  const messages: ChatCompletionMessageParam[] = [];
  if (!isBlank(system)) messages.push({ role: 'system', content: wellFormed(system) });
  for (const message of history) {
    const sent = chatMessage(message, idOf);
    if (sent !== undefined) messages.push(sent);
  }
  return messages;
}

function chatMessage(message: ModelMessage, idOf: (id: string) => string): ChatCompletionMessageParam | undefined {
  switch (message.role) {
    case 'user':
      return userMessage(message);
    case 'assistant':
      return assistantMessage(message, idOf);
    case 'tool': {
      const content = isBlank(message.text) ? NO_OUTPUT : wellFormed(message.text);
      return { role: 'tool', tool_call_id: idOf(message.callId), content };
    }
    default:
      return message satisfies never;
  }
}

function userMessage(message: Extract<ModelMessage, { role: 'user' }>): ChatCompletionMessageParam | undefined {
  const { text, images = [] } = message;
  if (images.length === 0) return isBlank(text) ? undefined : { role: 'user', content: wellFormed(text) };
  const parts: ChatCompletionContentPart[] = images.map(({ mime, base64 }) => ({
    type: 'image_url',
    image_url: { url: `data:${mime};base64,${base64}` },
  }));
  if (!isBlank(text)) parts.unshift({ type: 'text', text: wellFormed(text) });
  return { role: 'user', content: parts };
}

function assistantMessage(
  message: Extract<ModelMessage, { role: 'assistant' }>,
  idOf: (id: string) => string,
): ChatCompletionAssistantMessageParam | undefined {
  const content = isBlank(message.text) ? null : wellFormed(message.text);
  if (message.calls.length === 0) return content === null ? undefined : { role: 'assistant', content };
  const calls = message.calls.map((call) => ({
    id: idOf(call.callId),
    type: 'function' as const,
    function: { name: toolName(call.name), arguments: JSON.stringify(inputOf(call)) },
  }));
  return { role: 'assistant', content, tool_calls: calls };
}

export function chatTools(tools: readonly ToolSpec[]): ChatCompletionFunctionTool[] {
  return uniqueTools(tools).map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: { ...inputSchema } },
  }));
}
