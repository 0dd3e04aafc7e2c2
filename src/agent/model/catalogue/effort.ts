/** How much a model is asked to think: what was wished for, brought to what the model takes. */

import type { Effort } from '../types.ts';

/** All efforts, weakest first. */
export const EFFORTS = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const satisfies readonly Effort[];

/** The efforts that a model takes, weakest first. */
export type Ladder = readonly Effort[];

/**
 * The wish itself where the model takes it, otherwise the nearest weaker one; the model's weakest where there is none.
 * Never more than was asked for where that can be had, and thinking is never switched off but by `none`.
 * Undefined where the model takes no effort at all.
 */
export function effortFor(ladder: Ladder, wish: Effort): Effort | undefined {
  if (ladder.includes(wish)) return wish;
  const rank = EFFORTS.indexOf(wish);
  const steps = ladder.filter((step) => step !== 'none').toSorted((a, b) => EFFORTS.indexOf(a) - EFFORTS.indexOf(b));
  return steps.findLast((step) => EFFORTS.indexOf(step) < rank) ?? steps[0];
}
