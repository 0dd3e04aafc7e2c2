import type { Effort } from '../types.ts';

/** Tokens that Claude may think with where its API takes a number and no effort. The least is 1,024. */
const BUDGETS: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 4_000,
  medium: 8_000,
  high: 16_000,
  xhigh: 32_000,
  max: 48_000,
};

/** The same for Gemini; 24,576 is the most that all of its models with a budget take. */
export const GEMINI_BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** The API's own least budget, and what is left for the answer itself. */
const LEAST = 1_024;
const LEAST_ANSWER = 1_024;

/**
 * Tokens to think with; they are part of the output limit. Undefined when thinking is off, or when the limit leaves no
 * room for it.
 */
export function thinkingBudget(effort: Effort, maxOutput: number): number | undefined {
  if (effort === 'none') return undefined;
  const budget = Math.min(BUDGETS[effort], maxOutput - LEAST_ANSWER);
  return budget < LEAST ? undefined : budget;
}
