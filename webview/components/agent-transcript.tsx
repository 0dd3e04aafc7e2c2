import { useMemo, useState } from 'preact/hooks';
import type { ChildAgent } from '../../src/api.ts';
import { cardControls } from '../../src/protocol/index.ts';
import { t } from '../l10n.ts';
import { agentFacts } from '../state/agent-words.ts';
import { childEntries } from '../state/child-entries.ts';
import { TextButton } from './button.tsx';
import { EntryView } from './entry-view.tsx';
import { useChildRows } from './use-child-rows.ts';

/** Rows that are asked for at first, and more with each *Show earlier steps*. */
const rowsAtOnce = 200;

interface AgentTranscriptProps {
  readonly childId: string;
  /** Undefined for an agent of an earlier window. */
  readonly child: ChildAgent | undefined;
  readonly task: string;
}

/** What an agent was told, did and said, inside its card; it follows the agent while it is open. */
export function AgentTranscript({ childId, child, task }: AgentTranscriptProps) {
  const [limit, setLimit] = useState(rowsAtOnce);
  const { stretch, problem } = useChildRows(childId, child, limit);
  const state = child?.state ?? 'finished';
  const shown = useMemo(() => stretch && childEntries(stretch, state), [stretch, state]);
  return (
    <section class="agent-transcript" data-testid={cardControls.agentTranscript} aria-label={t('What the agent did')}>
      <p class="agent-task">{shown?.task ?? task}</p>
      {stretch?.hasOlder && (
        <TextButton look="link" testId="earlier-steps" onClick={() => setLimit(limit + rowsAtOnce)}>
          {t('Show earlier steps')}
        </TextButton>
      )}
      {shown?.steps.map((entry) =>
        entry.is === 'end' ? null : <EntryView key={entry.key} entry={entry} controls={false} />,
      )}
      {shown?.steps.length === 0 && <p class="quiet">{t('Nothing yet.')}</p>}
      {problem !== undefined && <p class="quiet">{problem}</p>}
      {child && <p class="agent-facts">{agentFacts(child)}</p>}
    </section>
  );
}
