import type { Quirks } from '../catalogue/index.ts';
import type { Effort } from '../types.ts';

/** Tokens; 1,024 is the least that is taken. */
const BUDGETS: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 8192,
  high: 16_384,
  xhigh: 32_000,
  max: 48_000,
};

/** What is left for the answer itself, at least. */
const ANSWER_TOKENS = 1024;

/**
 * The fields of Claude's own API by which it is asked to think; none where nothing was asked for, or nobody knows how.
 *
 * @param maxOutput tokens; a budget has to be smaller
 */
export function claudeThinking(
  way: Quirks['thinkingAs'],
  effort: Effort | undefined,
  maxOutput: number | undefined,
): object | undefined {
  if (way === undefined || effort === undefined) return undefined;
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (way === 'adaptive') return { thinking: { type: 'adaptive' }, output_config: { effort } };
  const budget = Math.min(BUDGETS[effort], (maxOutput ?? Number.POSITIVE_INFINITY) - ANSWER_TOKENS);
  return budget < BUDGETS.minimal ? undefined : { thinking: { type: 'enabled', budget_tokens: budget } };
}
