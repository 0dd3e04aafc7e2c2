/** History and tools in the words of the Messages API. */

import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { ModelImage, ModelMessage, ToolSpec } from '../types.ts';
import { unsealThinking } from './sealed-thinking.ts';
import { inputOf, isBlank, NO_OUTPUT, plainId, toolName, uniqueTools, wellFormed } from './wire-text.ts';

/**
 * The results of one batch are one user message, right behind the calls. A user's text is always a message of its own:
 * the API takes several user messages in a row. `host` is whose signed thinking may be sent back; undefined: nobody's.
 */
export function anthropicMessages(history: readonly ModelMessage[], host: string | undefined): MessageParam[] {
  const messages: MessageParam[] = [];
  let results: ToolResultBlockParam[] | undefined;
  for (const message of history) {
    if (message.role === 'tool') {
      if (results === undefined) {
        results = [];
        messages.push({ role: 'user', content: results });
      }
      results.push(resultBlock(message));
      continue;
    }
    results = undefined;
    const content = message.role === 'user' ? userBlocks(message) : assistantBlocks(message, host);
    if (content.length > 0) messages.push({ role: message.role, content });
  }
  return messages;
}

function resultBlock(message: Extract<ModelMessage, { role: 'tool' }>): ToolResultBlockParam {
  return {
    type: 'tool_result',
    tool_use_id: toolId(message.callId),
    content: isBlank(message.text) ? NO_OUTPUT : wellFormed(message.text),
    ...(message.isError && { is_error: true }),
  };
}

function userBlocks({ text, images = [] }: Extract<ModelMessage, { role: 'user' }>): ContentBlockParam[] {
  return [...textBlocks(text), ...images.filter(isSupported).map(imageBlock)];
}

function assistantBlocks(
  message: Extract<ModelMessage, { role: 'assistant' }>,
  host: string | undefined,
): ContentBlockParam[] {
  const said: ContentBlockParam[] = [
    ...textBlocks(message.text),
    ...message.calls.map((call) => ({
      type: 'tool_use' as const,
      id: toolId(call.callId),
      name: toolName(call.name),
      input: inputOf(call),
    })),
  ];
  // The API refuses an assistant message that is nothing but thinking.
  if (said.length === 0) return [];
  return [...(message.thinking ?? []).flatMap((thinking) => unsealThinking(thinking, host)), ...said];
}

function textBlocks(text: string): TextBlockParam[] {
  return isBlank(text) ? [] : [{ type: 'text', text: wellFormed(text) }];
}

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
type ImageType = (typeof IMAGE_TYPES)[number];

function isSupported(image: ModelImage): image is ModelImage & { mime: ImageType } {
  return (IMAGE_TYPES as readonly string[]).includes(image.mime);
}

function imageBlock(image: ModelImage & { mime: ImageType }): ImageBlockParam {
  return { type: 'image', source: { type: 'base64', media_type: image.mime, data: image.base64 } };
}

/** Ids of other providers may have letters that this API refuses. */
function toolId(id: string): string {
  return /^[a-zA-Z0-9_-]+$/.test(id) ? id : plainId(id);
}

/** The API refuses alternatives at the top of a schema. */
export function anthropicTools(tools: readonly ToolSpec[]): Tool[] {
  return uniqueTools(tools).map(({ name, description, inputSchema }) => {
    const { oneOf: _one, allOf: _all, anyOf: _any, ...schema } = inputSchema;
    return { name, description, input_schema: { ...schema, type: 'object' } };
  });
}
