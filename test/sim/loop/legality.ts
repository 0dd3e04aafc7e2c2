/** Whether a history can be sent: the bodies that the real wires build, judged as the providers would judge them. */

import type { ModelMessage, ToolSpec } from '../../../src/agent/model/types.ts';
import { anthropicMessages, anthropicTools } from '../../../src/agent/model/wires/anthropic/messages.ts';
import { markForCache } from '../../../src/agent/model/wires/cache-marks.ts';
import { chatMessages, chatTools } from '../../../src/agent/model/wires/chat/messages.ts';
import { validateAnthropic } from '../../model-server/validate-anthropic.ts';
import { validateOpenAi } from '../../model-server/validate-openai.ts';
import { THINKING_HOST } from './model.ts';

const SYSTEM = 'You are simulated.';

/** Shapes of histories that were judged and found legal. */
const legal = new Set<string>();
const MOST_SHAPES = 300_000;

/** What a provider would refuse, or undefined. Histories of one shape are judged once. */
export function illegal(messages: readonly ModelMessage[], tools: readonly ToolSpec[]): string | undefined {
  const shape = shapeOf(messages, tools);
  if (legal.has(shape)) return undefined;
  const problem = judge(messages, tools);
  if (problem === undefined && legal.size < MOST_SHAPES) legal.add(shape);
  return problem;
}

/** All that a provider's judgement depends on: roles, what is blank, which call belongs to which result. */
function shapeOf(messages: readonly ModelMessage[], tools: readonly ToolSpec[]): string {
  const numbers = new Map<string, number>();
  const number = (id: string) => {
    const known = numbers.get(id) ?? numbers.size;
    numbers.set(id, known);
    return known;
  };
  const shapes = messages.map((message) => {
    const text = message.text.trim() === '' ? '' : 't';
    switch (message.role) {
      case 'user':
        return `u${text}`;
      case 'tool':
        return `r${text}${number(message.callId)}`;
      case 'assistant': {
        const calls = message.calls.map(({ callId, name }) => `${name}${number(callId)}`).join(' ');
        return `a${text}${message.thinking?.length ?? 0}${calls}`;
      }
      default:
        return message satisfies never;
    }
  });
  return `${tools.length}|${shapes.join('|')}`;
}

function judge(messages: readonly ModelMessage[], tools: readonly ToolSpec[]): string | undefined {
  const openAi = validateOpenAi({
    model: 'm',
    stream: true,
    ...(tools.length > 0 && { tools: chatTools(tools) }),
    messages: chatMessages(SYSTEM, messages),
  });
  if (openAi !== undefined) return `OpenAI: ${openAi}`;
  const anthropic = validateAnthropic(
    markForCache({
      model: 'm',
      max_tokens: 100,
      stream: true,
      system: [{ type: 'text', text: SYSTEM }],
      ...(tools.length > 0 && { tools: anthropicTools(tools) }),
      messages: anthropicMessages(messages, THINKING_HOST),
    }),
  );
  return anthropic === undefined ? undefined : `Anthropic: ${anthropic}`;
}
