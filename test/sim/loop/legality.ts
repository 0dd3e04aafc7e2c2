/** Whether a history can be sent: the bodies that the real wires build, judged as the providers would judge them. */

import type { ModelMessage, ToolSpec } from '../../../src/agent/model/types.ts';
import { anthropicMessages, anthropicTools } from '../../../src/agent/model/wires/anthropic-messages.ts';
import { markForCache } from '../../../src/agent/model/wires/cache-marks.ts';
import { chatMessages, chatTools } from '../../../src/agent/model/wires/chat-messages.ts';
import { validateAnthropic } from '../../model-server/validate-anthropic.ts';
import { validateOpenAi } from '../../model-server/validate-openai.ts';
import { THINKING_HOST } from './model.ts';

const SYSTEM = 'You are simulated.';

/** What a provider would refuse, or undefined. */
export function illegal(messages: readonly ModelMessage[], tools: readonly ToolSpec[]): string | undefined {
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
