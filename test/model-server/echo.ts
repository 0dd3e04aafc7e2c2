/** The answer when no script waits: the user's own words, and what the last tool said. */

import type { RecordedRequest } from './request.ts';
import type { Answer } from './script.ts';

export function echo(request: RecordedRequest): Answer {
  const { messages, input = [] } = (request.body ?? {}) as Partial<Record<'messages' | 'input', readonly Said[]>>;
  const last = (messages ?? input).findLast(({ role, content }) => role === 'user' && textOf(content) !== '');
  const words = `You said: ${textOf(last?.content)}`.split(/(?<= )/);
  return { steps: words.map((text) => ({ text })) };
}

interface Said {
  readonly role?: string;
  readonly content?: unknown;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const blocks = content as readonly { type?: string; text?: string }[];
  return blocks
    .flatMap((block) => (block.type === 'text' || block.type === 'input_text' ? [block.text ?? ''] : []))
    .join('\n');
}
