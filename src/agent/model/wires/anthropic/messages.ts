/** History and tools in the words of the Messages API. */

import type {
  ContentBlockParam,
  ImageBlockParam,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { ModelCall, ModelImage, ModelMessage, ToolSpec } from '../../types.ts';
import { resultsBehind, type ToolMessage } from '../results-behind.ts';
import { type ThinkingPolicy, unsealThinking } from '../sealed-thinking.ts';
import { toolSchema } from '../tool-schema.ts';
import { inputOf, isBlank, NO_OUTPUT, plainId, toolName, uniqueTools, wellFormed } from '../wire-text.ts';
import { type BlockPlace, unsealOrder } from './block-order.ts';
import { messageSchema } from './schema.ts';

/** Whose thinking goes back. A host of undefined: nobody's. */
export interface MessageDialect {
  readonly host: string | undefined;
  readonly thinking?: ThinkingPolicy | undefined;
}

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;

/**
 * The results of one batch are one user message, right behind the calls. A user's text is always a message of its own:
 * the API takes several user messages in a row, and what was sent once never changes. A call without its result, or a
 * result without its call, is left out: the API refuses a conversation for it, for ever.
 */
export function anthropicMessages(
  history: readonly ModelMessage[],
  dialect: MessageDialect | string | undefined,
): MessageParam[] {
  const { host, thinking = 'signed' } = typeof dialect === 'object' ? dialect : { host: dialect };
  const messages: MessageParam[] = [];
  for (let index = 0; index < history.length; index++) {
    const message = history[index];
    if (message === undefined || message.role === 'tool') continue;
    if (message.role === 'user') {
      const content = userBlocks(message);
      if (content.length > 0) messages.push({ role: 'user', content });
      continue;
    }
    const results = resultsBehind(history, index);
    const answered = new Set(results.map(({ callId }) => callId));
    const calls = message.calls.filter(({ callId }) => answered.has(callId));
    const content = assistantBlocks(message, calls, { host, thinking });
    if (content.length > 0) messages.push({ role: 'assistant', content });
    const blocks = calls.flatMap(({ callId }) => results.find((result) => result.callId === callId) ?? []);
    if (blocks.length > 0) messages.push({ role: 'user', content: blocks.map(resultBlock) });
  }
  return messages;
}

function resultBlock(message: ToolMessage): ToolResultBlockParam {
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

/** Stands where everything else of an answer had to be left out. */
const LEFT_OUT = '(a tool call that has no result was left out here)';

/** @param calls those that have a result */
function assistantBlocks(
  message: Assistant,
  calls: readonly ModelCall[],
  { host, thinking: policy }: Required<MessageDialect>,
): ContentBlockParam[] {
  const isWhole = calls.length === message.calls.length;
  const text = textBlocks(message.text);
  const uses = calls.map(useBlock);
  // The API refuses an assistant message that is nothing but thinking.
  if (text.length + uses.length === 0) return isWhole ? [] : textBlocks(LEFT_OUT);
  // Thinking was signed with its calls: without one of them its signature is worth nothing.
  const thoughts = isWhole
    ? (message.thinking ?? []).flatMap((thinking) => unsealThinking(thinking, host, policy))
    : [];
  const { length: characters } = message.text;
  const now = { characters, calls: uses.length, thoughts: thoughts.length };
  const places = unsealOrder(message.thinking, host, now);
  if (places === undefined || thoughts.length === 0) return [...thoughts, ...text, ...uses];
  return inPlace(places, { thoughts, text: message.text, uses });
}

function inPlace(
  places: readonly BlockPlace[],
  from: {
    readonly thoughts: readonly ContentBlockParam[];
    readonly text: string;
    readonly uses: readonly ContentBlockParam[];
  },
): ContentBlockParam[] {
  const thoughts = from.thoughts.values();
  const uses = from.uses.values();
  let at = 0;
  const blocks = places.flatMap((place) => {
    if (typeof place !== 'number') return (place === 'thinking' ? thoughts : uses).next().value ?? [];
    at += place;
    return textBlocks(from.text.slice(at - place, at));
  });
  // Nor does the API take one that ends in thinking.
  return blocks.slice(0, blocks.findLastIndex(({ type }) => !isThinking(type)) + 1);
}

function isThinking(type: ContentBlockParam['type']): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function useBlock(call: ModelCall): ToolUseBlockParam {
  return { type: 'tool_use', id: toolId(call.callId), name: toolName(call.name), input: inputOf(call) };
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

export function anthropicTools(tools: readonly ToolSpec[]): Tool[] {
  return uniqueTools(tools).map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: messageSchema(toolSchema(inputSchema)),
  }));
}
