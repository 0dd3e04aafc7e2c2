import type { ThinkingConfig, ThinkingLevel } from '@google/genai';
import { GEMINI_BUDGETS } from '../../catalogue/thinking-budgets.ts';
import type { Effort } from '../../types.ts';

const LEVELS: Readonly<Record<Effort, `${ThinkingLevel}`>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'XHIGH',
  max: 'XHIGH',
};

/** How a model is asked to think; undefined for one that does not. Without an effort the model decides how much. */
export function thinkingOf(
  way: 'level' | 'budget' | undefined,
  effort: Effort | undefined,
): ThinkingConfig | undefined {
  if (way === undefined) return undefined;
  const config: ThinkingConfig = { includeThoughts: true };
  if (effort === undefined) return config;
  if (way === 'level') return { ...config, thinkingLevel: LEVELS[effort] as ThinkingLevel };
  const thinkingBudget = GEMINI_BUDGETS[effort];
  // Thoughts of a model that does not think are refused.
  return thinkingBudget === 0 ? { thinkingBudget } : { ...config, thinkingBudget };
}
