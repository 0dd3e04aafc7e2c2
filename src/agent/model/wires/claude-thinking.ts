import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { Quirks } from '../catalogue/index.ts';
import { thinkingBudget } from '../catalogue/thinking-budgets.ts';
import type { Effort } from '../types.ts';

type ThinkingFields = Pick<MessageCreateParamsStreaming, 'thinking' | 'output_config'>;

/**
 * The fields of Claude's own API by which it is asked to think; none where nothing was asked for, or nobody knows how.
 * Bedrock hands them on as they are.
 *
 * @param maxOutput tokens; a budget has to be smaller
 */
export function claudeThinking(
  way: Quirks['thinkingAs'],
  effort: Effort | undefined,
  maxOutput = Number.POSITIVE_INFINITY,
): ThinkingFields {
  if (way === undefined || effort === undefined) return {};
  // Said, not left out: some models think where nothing is said.
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  switch (way) {
    case 'adaptive':
      // Without `display` the newest models think in silence.
      return {
        thinking: { type: 'adaptive', display: 'summarized' },
        output_config: { effort: effort === 'minimal' ? 'low' : effort },
      };
    case 'budget': {
      const budget = thinkingBudget(effort, maxOutput);
      return budget === undefined ? {} : { thinking: { type: 'enabled', budget_tokens: budget } };
    }
    default:
      return way satisfies never;
  }
}
