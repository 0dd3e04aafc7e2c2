/** History and tools in the words of the Converse API, as they are on the wire: bytes as base64. */

import type { ModelImage, ModelMessage, ToolSpec } from '../../types.ts';
import { alternatingTurns, type PartWriter } from '../alternation.ts';
import { unsealThinking } from '../sealed-thinking.ts';
import { toolSchema } from '../tool-schema.ts';
import { inputOf, isBlank, NO_OUTPUT, plainId, toolName, uniqueTools, wellFormed } from '../wire-text.ts';

export interface CachePoint {
  readonly cachePoint: { readonly type: 'default'; readonly ttl?: '1h' };
}

export type Block =
  | { readonly text: string }
  | { readonly image: { readonly format: string; readonly source: { readonly bytes: string } } }
  | { readonly toolUse: { readonly toolUseId: string; readonly name: string; readonly input: object } }
  | {
      readonly toolResult: {
        readonly toolUseId: string;
        readonly content: readonly { readonly text: string }[];
        readonly status?: 'error';
      };
    }
  | { readonly reasoningContent: ReasoningContent }
  | CachePoint;

type ReasoningContent =
  | { readonly reasoningText: { readonly text: string; readonly signature: string } }
  | { readonly redactedContent: string };

export interface ConverseMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/** @param signer whose thinking may be sent back; undefined: nobody's */
export function converseMessages(history: readonly ModelMessage[], signer: string | undefined): ConverseMessage[] {
  return alternatingTurns(history, writerOf(signer)).map(({ role, parts }) => ({
    role: role === 'model' ? 'assistant' : 'user',
    content: parts,
  }));
}

function writerOf(signer: string | undefined): PartWriter<Block> {
  return {
    user: ({ text, images = [] }) => [...textBlocks(text), ...images.flatMap(imageBlocks)],
    assistant: (message, thinks) => {
      const said = answerBlocks(message);
      // The API refuses a message that is nothing but thinking.
      return said.length === 0 || !thinks ? said : [...thinkingBlocks(message.thinking, signer), ...said];
    },
    result: ({ callId, text, isError }) => ({
      toolResult: {
        toolUseId: idOf(callId),
        content: [{ text: isBlank(text) ? NO_OUTPUT : wellFormed(text) }],
        ...(isError && { status: 'error' }),
      },
    }),
    text: (text) => ({ text }),
  };
}

function answerBlocks({ text, calls }: Extract<ModelMessage, { role: 'assistant' }>): Block[] {
  const uses = calls.map((call) => ({
    toolUse: { toolUseId: idOf(call.callId), name: toolName(call.name), input: inputOf(call) },
  }));
  return [...textBlocks(text), ...uses];
}

function thinkingBlocks(
  thinking: Extract<ModelMessage, { role: 'assistant' }>['thinking'] = [],
  signer: string | undefined,
): Block[] {
  return thinking
    .flatMap((each) => unsealThinking(each, signer))
    .map((block) => ({
      reasoningContent:
        block.type === 'thinking'
          ? { reasoningText: { text: block.thinking, signature: block.signature } }
          : { redactedContent: block.data },
    }));
}

function textBlocks(text: string): Block[] {
  return isBlank(text) ? [] : [{ text: wellFormed(text) }];
}

const IMAGE_FORMATS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

function imageBlocks({ mime, base64 }: ModelImage): Block[] {
  const format = IMAGE_FORMATS[mime];
  return format === undefined ? [] : [{ image: { format, source: { bytes: base64 } } }];
}

function idOf(callId: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(callId) ? callId : plainId(callId);
}

export interface ConverseTool {
  readonly toolSpec: {
    readonly name: string;
    readonly description?: string;
    readonly inputSchema: { readonly json: object };
  };
}

/**
 * The tools. A history with calls in it is refused without any, so those that it names are then declared as absent.
 * Claude refuses alternatives at the top of a schema.
 */
export function converseTools(tools: readonly ToolSpec[], history: readonly ModelMessage[]): ConverseTool[] {
  if (tools.length > 0) {
    return uniqueTools(tools).map(({ name, description, inputSchema }) => {
      const json = toolSchema(inputSchema);
      return { toolSpec: { name, ...(!isBlank(description) && { description }), inputSchema: { json } } };
    });
  }
  const names = history.flatMap((message) =>
    message.role === 'assistant' ? message.calls.map((call) => toolName(call.name)) : [],
  );
  return [...new Set(names)].map((name) => ({
    toolSpec: { name, description: 'Not available any more.', inputSchema: { json: { type: 'object' } } },
  }));
}
