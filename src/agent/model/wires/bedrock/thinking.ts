import type { Quirks } from '../../catalogue/index.ts';
import { thinkingBudget } from '../../catalogue/thinking-budgets.ts';
import type { Effort } from '../../types.ts';

/**
 * The fields of Claude's own API by which it is asked to think; none where nothing was asked for, or nobody knows how.
 *
 * @param maxOutput tokens; a budget has to be smaller
 */
export function claudeThinking(
  way: Quirks['thinkingAs'],
  effort: Effort | undefined,
  maxOutput = Number.POSITIVE_INFINITY,
): object | undefined {
  if (way === undefined || effort === undefined) return undefined;
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (way === 'adaptive') return { thinking: { type: 'adaptive' }, output_config: { effort } };
  const budget = thinkingBudget(effort, maxOutput);
  return budget === undefined ? undefined : { thinking: { type: 'enabled', budget_tokens: budget } };
}
