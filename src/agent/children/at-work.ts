import type { ChildAgent } from '../../api.ts';

/** By its state: an agent that ended with its window has no time of its end. */
export function isAtWork({ state }: ChildAgent): boolean {
  return state === 'running' || state === 'waiting' || state === 'stopping';
}
