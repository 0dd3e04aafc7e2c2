import type { ThinkingConfig, ThinkingLevel } from '@google/genai';
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

/** Tokens; 24,576 is the most that all models with a budget take. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
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
  const thinkingBudget = BUDGETS[effort];
  // Thoughts of a model that does not think are refused.
  return thinkingBudget === 0 ? { thinkingBudget } : { ...config, thinkingBudget };
}
