import type { Rehearsal } from './history.ts';
import type { Move } from './move.ts';

/** Requests beside the conversation, which are no task: for a summary of it, and for a look back at a turn. */
export function asideMove({ task, tools, calls }: Rehearsal): Move | undefined {
  if (tools.size === 0 && task.startsWith('<conversation>')) {
    return {
      say: 'A rehearsal with the practice model. Its script remembers nothing of it: ask for an exercise anew.',
    };
  }
  if (tools.has('note') && calls === 0 && task.startsWith('<notes>')) return { say: 'Nothing.' };
  return undefined;
}
