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
  { thinkingAs: way, leastThinking }: Pick<Quirks, 'thinkingAs' | 'leastThinking'>,
  effort: Effort | undefined,
  maxOutput = Number.POSITIVE_INFINITY,
): ThinkingFields {
  if (way === undefined || effort === undefined) return {};
  if (effort === 'none') return least(leastThinking);
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

/** Said, not left out: some models think where nothing is said. */
function least(way: Quirks['leastThinking']): ThinkingFields {
  switch (way) {
    case undefined:
      return { thinking: { type: 'disabled' } };
    case 'between_tools':
      // The SDK does not know it yet. It goes with the lower efforts only.
      return {
        thinking: { type: 'between_tools' } as unknown as NonNullable<ThinkingFields['thinking']>,
        output_config: { effort: 'low' },
      };
    case 'low_effort':
      return { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } };
    default:
      return way satisfies never;
  }
}
