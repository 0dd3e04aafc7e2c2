import { beside } from './context-fills.ts';
import type { AgentPorts } from './types.ts';

/** What the control machine has to know of the settings. A review needs a folder that it may write to. */
export function limits({ settings, parent }: AgentPorts): { stepBudget: number; reviews: boolean; wrapsUp: boolean } {
  const { stepBudget, review, folders, toolsOff, wrapsUp = true } = settings();
  const reviews = review.enabled && !parent && toolsOff === undefined && folders.length > 0;
  return { stepBudget, reviews, wrapsUp };
}

/** Tokens that go with every request beside the history. */
export function overhead(ports: AgentPorts): number {
  const { system, tools } = beside(ports);
  return system + tools;
}
