/** History in the words of the Gemini API. */

import type { Content, FunctionResponse, Part } from '@google/genai';
import type { ModelImage, ModelMessage } from '../../types.ts';
import { alternatingTurns, type PartWriter } from '../alternation.ts';
import { inputOf, isBlank, NO_OUTPUT, plainId, wellFormed } from '../wire-text.ts';
import { geminiName } from './schema.ts';
import { NO_SIGNATURE, unsealSignatures } from './signatures.ts';

export interface ContentOptions {
  /** Whose signatures may be sent back; undefined: nobody's. */
  readonly signer: string | undefined;
  /** Calls and results name each other by id (Gemini 3 and later; before, the fields are refused). */
  readonly callIds: boolean;
}

export function geminiContents(history: readonly ModelMessage[], options: ContentOptions): Content[] {
  return alternatingTurns(history, writerOf(options));
}

function writerOf(options: ContentOptions): PartWriter<Part> {
  return {
    user: ({ text, images = [] }) => [...textParts(text), ...images.filter(isSupported).map(imagePart)],
    assistant: (message) => answerParts(message, options),
    result: (message) => ({ functionResponse: responseOf(message, options) }),
    text: (text) => ({ text }),
  };
}

/** Each call carries a signature: that of its own, or the mark for those that have none. */
function answerParts(message: Extract<ModelMessage, { role: 'assistant' }>, options: ContentOptions): Part[] {
  const signatures = unsealSignatures(message.thinking, options.signer);
  const signed = signatures.get('text');
  const said = textParts(message.text).map((part) =>
    signed === undefined ? part : { ...part, thoughtSignature: signed },
  );
  const calls = message.calls.map((call, index) => ({
    functionCall: { ...idOf(call.callId, options), name: geminiName(call.name), args: inputOf(call) },
    thoughtSignature: signatures.get(index) ?? NO_SIGNATURE,
  }));
  return [...said, ...calls];
}

function responseOf(message: Extract<ModelMessage, { role: 'tool' }>, options: ContentOptions): FunctionResponse {
  const response = objectResult(message.text) ?? {
    [message.isError ? 'error' : 'output']: isBlank(message.text) ? NO_OUTPUT : wellFormed(message.text),
  };
  return { ...idOf(message.callId, options), name: geminiName(message.name), response };
}

/**
 * A result that is a JSON object goes as one. Not one with `$ref` in it, which the API reads as a reference of its own
 * and refuses, and not one with half a letter.
 */
function objectResult(text: string): Record<string, unknown> | undefined {
  if (!text.trimStart().startsWith('{') || text.includes('$ref') || /\\ud[89a-f]/i.test(text)) return undefined;
  try {
    return JSON.parse(wellFormed(text)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function textParts(text: string): Part[] {
  return isBlank(text) ? [] : [{ text: wellFormed(text) }];
}

/** Ids of other providers may be in letters or of a length that nobody promised to take. */
function idOf(callId: string, { callIds }: ContentOptions): { id?: string } {
  if (!callIds) return {};
  return { id: /^[a-zA-Z0-9_-]{1,64}$/.test(callId) ? callId : plainId(callId) };
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif']);

function isSupported(image: ModelImage): boolean {
  return IMAGE_TYPES.has(image.mime);
}

function imagePart({ mime, base64 }: ModelImage): Part {
  return { inlineData: { mimeType: mime, data: base64 } };
}
