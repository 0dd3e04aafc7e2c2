/** The answer when no script waits: the user's own words, and what the last tool said. */

import type { RecordedRequest } from './request.ts';
import type { Answer } from './script.ts';

export function echo(request: RecordedRequest): Answer {
  const { messages = [] } = (request.body ?? {}) as { messages?: readonly { role: string; content: unknown }[] };
  const last = messages.findLast((message) => message.role === 'user' && textOf(message.content) !== '');
  const words = `You said: ${textOf(last?.content)}`.split(/(?<= )/);
  return { steps: words.map((text) => ({ text })) };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const blocks = content as readonly { type?: string; text?: string }[];
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join('\n');
}
