/**
 * A conversation as one text, for a model that is to read about it and not to go on with it. So it needs no tools and
 * no call ids, can be cut anywhere, and is a legal user message on every wire.
 */

import type { ModelImage, ModelMessage } from '../model/types.ts';
import { maskSecrets } from '../safety/index.ts';

/** What is left of a long tool result once the whole is too long. */
const SHORT_RESULT = 2000;

/**
 * Everything when it fits. Otherwise long tool results are shortened, and if that is not enough the oldest messages
 * behind the first one are left out, with a mark where they were. Secrets are masked.
 *
 * @param limit characters; at least 1,000
 */
export function transcriptText(messages: readonly ModelMessage[], limit: number): string {
  const whole = messages.map((message) => block(message));
  if (length(whole) <= limit) return whole.join('\n\n');
  const short = messages.map((message) => middleCut(block(message, SHORT_RESULT), Math.floor(limit / 4)));
  if (length(short) <= limit) return short.join('\n\n');
  return withoutMiddle(short, limit).join('\n\n');
}

/** Two characters stand between blocks. */
function length(blocks: readonly string[]): number {
  return blocks.reduce((sum, one) => sum + one.length + 2, 0);
}

function withoutMiddle(blocks: readonly string[], limit: number): readonly string[] {
  const [first = '', ...rest] = blocks;
  let room = limit - first.length - 100;
  let start = rest.length;
  while (start > 0) {
    room -= (rest[start - 1] ?? '').length + 2;
    if (room < 0) break;
    start -= 1;
  }
  return [
    first,
    `[… ${start} messages are left out here, because all of it would be too long …]`,
    ...rest.slice(start),
  ];
}

function block(message: ModelMessage, resultLimit = Number.POSITIVE_INFINITY): string {
  switch (message.role) {
    case 'user':
      return tagged('user', [message.text, ...imageWords(message.images)].filter((line) => line !== '').join('\n'));
    case 'assistant': {
      const calls = message.calls.map((call) => `[called ${call.name} ${JSON.stringify(call.input)}]`);
      return tagged('assistant', [message.text, ...calls].filter((line) => line.trim() !== '').join('\n'));
    }
    case 'tool':
      return tagged(message.isError ? 'failed_result' : 'result', middleCut(message.text, resultLimit));
    default:
      return message satisfies never;
  }
}

/** What is summarised loses its images: that they were there is kept. */
function imageWords(images: readonly ModelImage[] = []): readonly string[] {
  return images.map(({ label }) => (label ? `[image: ${label}]` : '[image]'));
}

function tagged(name: string, text: string): string {
  return `<${name}>\n${maskSecrets(text)}\n</${name}>`;
}

/** Head and tail with a mark between them; the text itself when it is short enough. No half characters are left. */
export function middleCut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, Math.floor(limit * 0.65)).replace(/[\uD800-\uDBFF]$/, '');
  const tail = text.slice(text.length - Math.floor(limit * 0.25)).replace(/^[\uDC00-\uDFFF]/, '');
  return `${head}\n[… ${text.length - head.length - tail.length} characters are left out here …]\n${tail}`;
}
