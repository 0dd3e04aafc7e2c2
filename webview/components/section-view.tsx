import { useRef } from 'preact/hooks';
import { type Chat, useChat } from '../chat.ts';
import { memo } from '../memo.ts';
import { delegateTool } from '../state/call-label.ts';
import type { Section } from '../state/chat-state.ts';
import { type Entry, entriesOf } from '../state/entries.ts';
import { AgentCard } from './agent-card.tsx';
import { AssistantText } from './assistant-text.tsx';
import { Reasoning } from './reasoning.tsx';
import { SummaryDivider } from './summary-divider.tsx';
import { ToolCard } from './tool-card.tsx';
import { ToolGroup } from './tool-group.tsx';
import { TurnEnd } from './turn-end.tsx';
import { useNear } from './use-near.ts';
import { useSlice } from './use-slice.ts';
import { UserMessage } from './user-message.tsx';

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
        entry.is === 'tool' && carded.includes(entry.callId) ? null : <EntryView key={entry.key} entry={entry} />,
      )}
    </section>
  );
});

/** Calls of this conversation; an agent's may have the same ids. */
function cardedCalls(chat: Chat): readonly string[] {
  const approvals = chat.approvals.value.filter((approval) => !approval.child);
  return [...approvals, ...chat.questions.value].map((open) => open.callId);
}

function EntryView({ entry }: { readonly entry: Entry }) {
  switch (entry.is) {
    case 'user':
      return <UserMessage entry={entry} />;
    case 'text':
      return <AssistantText entry={entry} />;
    case 'reasoning':
      return <Reasoning entry={entry} />;
    case 'tool':
      return entry.name === delegateTool ? <AgentCard entry={entry} /> : <ToolCard entry={entry} />;
    case 'group':
      return <ToolGroup entry={entry} />;
    case 'notice':
      return <p class="notice-row">{entry.text}</p>;
    case 'summary':
      return <SummaryDivider text={entry.text} />;
    case 'end':
      return <TurnEnd result={entry.result} />;
    default:
      return entry satisfies never;
  }
}
