import { IMAGE_TOKENS } from '../../catalogue/image-limits.ts';
import type { ModelMessage, ModelRequest } from '../../types.ts';

const CHARACTERS_PER_TOKEN = 4;

interface Counted {
  readonly messages: readonly ModelMessage[];
  readonly tokens: number;
}

/** By the first message of a conversation, and gone with it. */
const counted = new WeakMap<ModelMessage, Counted>();

/** Tokens, roughly, without those of the tools. Messages that an earlier request had are not read again. */
export function estimateTokens({ system, messages }: Pick<ModelRequest, 'system' | 'messages'>): number {
  const own = system.length / CHARACTERS_PER_TOKEN;
  const [first] = messages;
  if (first === undefined) return Math.ceil(own);
  const known = counted.get(first);
  const last = known?.messages.length ?? 0;
  const before = known !== undefined && messages[last - 1] === known.messages[last - 1] ? known : undefined;
  const added = messages.slice(before?.messages.length ?? 0).reduce((sum, message) => sum + tokensOf(message), 0);
  const tokens = (before?.tokens ?? 0) + added;
  counted.set(first, { messages, tokens });
  return Math.ceil(own + tokens);
}

function tokensOf(message: ModelMessage): number {
  const words = message.text.length / CHARACTERS_PER_TOKEN;
  if (message.role === 'user') return words + (message.images?.length ?? 0) * IMAGE_TOKENS;
  if (message.role === 'tool') return words;
  const inputs = message.calls.map(({ input }) => (JSON.stringify(input)?.length ?? 0) / CHARACTERS_PER_TOKEN);
  return inputs.reduce((sum, each) => sum + each, words);
}
