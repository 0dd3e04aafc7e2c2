import type { ModelMessage } from '../types.ts';

export type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

/** The results that stand right behind a message of a history. */
export function resultsBehind(history: readonly ModelMessage[], at: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let next = history[at + 1]; next?.role === 'tool'; next = history[at + 1 + results.length]) results.push(next);
  return results;
}
