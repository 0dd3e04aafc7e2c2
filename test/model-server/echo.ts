/** The answer when no script waits: the user's own words, and what the last tool said. */

import type { RecordedRequest } from './request.ts';
import type { Answer } from './script.ts';

export function echo(request: RecordedRequest): Answer {
  const { messages, contents, input = [] } = (request.body ?? {}) as Partial<Record<Turns, readonly Said[]>>;
  const last = (messages ?? contents ?? input).findLast((said) => said.role === 'user' && wordsOf(said) !== '');
  const words = `You said: ${last === undefined ? '' : wordsOf(last)}`.split(/(?<= )/);
  return { steps: words.map((text) => ({ text })) };
}

type Turns = 'messages' | 'contents' | 'input';

interface Said {
  readonly role?: string;
  readonly content?: unknown;
  readonly parts?: unknown;
}

function wordsOf({ content, parts }: Said): string {
  return textOf(content ?? parts);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const blocks = content as readonly { type?: string; text?: string }[];
  return blocks
    .flatMap(({ type = 'text', text }) => (TEXT_TYPES.has(type) && text !== undefined ? [text] : []))
    .join('\n');
}

/** Blocks without a type are those of the APIs that tell a block by its field. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'input_text']);
