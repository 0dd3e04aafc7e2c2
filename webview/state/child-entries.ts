import type { ChildAgent } from '../../src/api.ts';
import type { LiveState, Stretch } from '../../src/protocol/index.ts';
import { isOver } from './agent-words.ts';
import { type Entry, entriesOf } from './entries.ts';
import { sectionsOf } from './sections.ts';

const noReads: ReadonlyMap<string, boolean> = new Map();

export interface ChildEntries {
  /** The whole task; undefined where the transcript begins later than with it. */
  readonly task: string | undefined;
  readonly steps: readonly Entry[];
}

/** The transcript of a delegated agent, for inside its card, which itself says how the agent ended. */
export function childEntries(stretch: Stretch, state: ChildAgent['state']): ChildEntries {
  const calls = new Map((stretch.calls ?? []).map((card) => [card.callId, card]));
  const sections = sectionsOf(stretch.rows);
  const last = sections.at(-1);
  const entries = sections.flatMap((section) => {
    const live = section === last && !isOver(state) ? open(section.turnId) : null;
    return entriesOf(section, { live, reads: noReads, calls, result: undefined });
  });
  const [first] = entries;
  const begins = !stretch.hasOlder && first?.is === 'user' && first.kind === 'message';
  const steps = begins ? entries.slice(1) : entries;
  const current = steps.findIndex((entry) => entry.is === 'tool' && entry.state === 'waiting');
  return {
    task: begins ? first.text : undefined,
    steps: steps.map((entry, index) =>
      index === current && entry.is === 'tool'
        ? { ...entry, state: state === 'waiting' ? 'approval' : 'running' }
        : entry,
    ),
  };
}

/** With something live, calls without a result are not taken for calls that were not run. */
function open(turnId: string): LiveState {
  return { turnId, startedAt: 0, request: 0, attempt: 0, text: '', reasoning: '', tools: [] };
}
