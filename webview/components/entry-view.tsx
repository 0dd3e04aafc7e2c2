import { testIds } from '../../src/protocol/index.ts';
import { visibleText } from '../../src/words/visible-text.ts';
import type { Entry } from '../state/entries.ts';
import { markIcon } from '../state/marks.ts';
import { AssistantText } from './assistant-text.tsx';
import { GoOn } from './hook-words.tsx';
import { Icon } from './icon.tsx';
import { Reasoning } from './reasoning.tsx';
import { SummaryDivider } from './summary-divider.tsx';
import { ToolCard } from './tool-card.tsx';
import { ToolGroup } from './tool-group.tsx';
import { UserMessage } from './user-message.tsx';

interface EntryProps {
  readonly entry: Exclude<Entry, { is: 'end' }>;
  /** False inside an agent's card: its calls are looked at there, not handled. */
  readonly controls?: boolean;
}

/** What stands in a transcript, the session's and an agent's alike. */
export function EntryView({ entry, controls = true }: EntryProps) {
  switch (entry.is) {
    case 'user':
      return <UserMessage entry={entry} />;
    case 'text':
      return <AssistantText entry={entry} />;
    case 'reasoning':
      return <Reasoning entry={entry} />;
    case 'tool':
      return <ToolCard entry={entry} controls={controls} />;
    case 'group':
      return <ToolGroup entry={entry} controls={controls} />;
    case 'notice':
      return (
        <p class={`notice-row ${entry.mark ? 'mark' : ''}`} data-testid={entry.mark ? testIds.mark : undefined}>
          {entry.mark && <Icon name={markIcon(entry.mark)} />}
          <span>{visibleText(entry.text)}</span>
        </p>
      );
    case 'hook':
      return <GoOn hook={entry.hook} text={entry.text} />;
    case 'summary':
      return <SummaryDivider text={entry.text} />;
    default:
      return entry satisfies never;
  }
}
