/**
 * How many tokens a history takes, as far as its characters can tell. Providers count exactly but only afterwards.
 */

import { IMAGE_TOKENS } from '../model/catalogue/image-limits.ts';
import type { ModelMessage } from '../model/types.ts';

/** One message of the history, with the transcript row that it was made of. */
export interface Entry {
  readonly seq: number;
  readonly turnId: string;
  readonly message: ModelMessage;
  /** Estimated once, when the row is appended. */
  readonly tokens: number;
  /** It stands for older rows that are not sent any more. */
  readonly summary: boolean;
  /** Images of the results before it: it is never parted from them. */
  readonly isOfResults?: boolean;
  /** Part of an answer that was cut, or of what asked the model to go on with it. */
  readonly isPiece?: boolean;
}

const CHARACTERS_PER_TOKEN = 4;
/** What the wire adds around a message. */
const MESSAGE_CHARACTERS = 16;

export function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Characters that surely fit into so many tokens: code and other scripts take more of them than English does. */
export function charactersWithin(tokens: number): number {
  return Math.max(0, Math.floor(tokens * 3));
}

export function messageTokens(message: ModelMessage): number {
  return imageTokens(message) + Math.ceil((MESSAGE_CHARACTERS + characters(message)) / CHARACTERS_PER_TOKEN);
}

/** Of its images alone. */
export function imageTokens(message: ModelMessage): number {
  return message.role === 'user' ? (message.images?.length ?? 0) * IMAGE_TOKENS : 0;
}

function characters(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
    case 'tool':
      return message.text.length;
    case 'assistant': {
      const calls = message.calls.reduce((sum, call) => sum + call.name.length + jsonLength(call.input), 0);
      // Not what seals it: a sealed thought is many times longer than the tokens that it costs.
      const thinking = (message.thinking ?? []).reduce((sum, one) => sum + one.text.length, 0);
      return message.text.length + calls + thinking;
    }
    default:
      return message satisfies never;
  }
}

function jsonLength(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

export function totalTokens(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.tokens, 0);
}
