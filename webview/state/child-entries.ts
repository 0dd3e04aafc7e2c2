import type { ChildAgent } from '../../src/api.ts';
import type { LiveState, Stretch } from '../../src/protocol/index.ts';
import { isOver } from './agent-words.ts';
import { type Entry, entriesOf } from './entries.ts';
import { sectionsOf } from './sections.ts';

const noReads: ReadonlyMap<string, boolean> = new Map();

/**
 * The transcript of a delegated agent, for inside its card. The card's own lines say its task and how it ended, so the
 * message that began it and the ends of its turns are left out.
 */
export function childEntries(stretch: Stretch, state: ChildAgent['state']): readonly Entry[] {
  const calls = new Map((stretch.calls ?? []).map((card) => [card.callId, card]));
  const sections = sectionsOf(stretch.rows);
  const last = sections.at(-1);
  const entries = sections.flatMap((section) => {
    const live = section === last && !isOver(state) ? open(section.turnId) : null;
    return entriesOf(section, { live, reads: noReads, calls, result: undefined });
  });
  const [first] = entries;
  const steps = !stretch.hasOlder && first?.is === 'user' && first.kind === 'message' ? entries.slice(1) : entries;
  const current = steps.findIndex((entry) => entry.is === 'tool' && entry.state === 'waiting');
  return steps.map((entry, index) =>
    index === current && entry.is === 'tool'
      ? { ...entry, state: state === 'waiting' ? 'approval' : 'running' }
      : entry,
  );
}

/** With something live, calls without a result are not taken for calls that were not run. */
function open(turnId: string): LiveState {
  return { turnId, startedAt: 0, request: 0, attempt: 0, text: '', reasoning: '', tools: [] };
}
