import { useRef } from 'preact/hooks';
import { type Chat, useChat } from '../chat.ts';
import { memo } from '../memo.ts';
import { delegateTool } from '../state/call-label.ts';
import type { Section } from '../state/chat-state.ts';
import { type Entry, entriesOf } from '../state/entries.ts';
import { AgentCard } from './agent-card.tsx';
import { EntryView } from './entry-view.tsx';
import { TurnEnd } from './turn-end.tsx';
import { useNear } from './use-near.ts';
import { useSlice } from './use-slice.ts';

interface SectionProps {
  readonly section: Section;
  readonly isLast: boolean;
  readonly endsTurn: boolean;
  /** Drawn at once; otherwise when the view comes near. */
  readonly eager: boolean;
}

/**
 * One stretch of the transcript. Only the last one reads what is being written, and it stays the same component when
 * another becomes the last: nothing in it is drawn again.
 */
export const SectionView = memo(({ section, isLast, endsTurn, eager }: SectionProps) => {
  const chat = useChat();
  const reads = useSlice((state) => state.reads);
  const calls = useSlice((state) => state.calls);
  const results = useSlice((state) => state.turnResults);
  const live = isLast ? chat.live.value : null;
  // What a card shows is not also shown as a line.
  const carded = isLast ? cardedCalls(chat) : [];
  const result = endsTurn ? results.get(section.turnId) : undefined;
  const entries = entriesOf(section, { live, reads, calls, result });
  const box = useRef<HTMLElement>(null);
  const near = useNear(box, eager);
  if (!near) return <section ref={box} class="section far" aria-hidden="true" />;
  return (
    <section class={isLast ? 'section' : 'section at-rest'}>
      {entries.map((entry) =>
        entry.is === 'tool' && carded.includes(entry.callId) ? null : <SessionEntry key={entry.key} entry={entry} />,
      )}
    </section>
  );
});

/** Calls of this conversation; an agent's may have the same ids. */
function cardedCalls(chat: Chat): readonly string[] {
  const approvals = chat.approvals.value.filter((approval) => !approval.child);
  return [...approvals, ...chat.questions.value].map((open) => open.callId);
}

function SessionEntry({ entry }: { readonly entry: Entry }) {
  if (entry.is === 'end') return <TurnEnd result={entry.result} />;
  if (entry.is === 'tool' && entry.name === delegateTool) return <AgentCard entry={entry} />;
  return <EntryView entry={entry} />;
}
