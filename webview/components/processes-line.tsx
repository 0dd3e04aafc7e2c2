import type { BackgroundProcess } from '../../src/api.ts';
import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { elapsed } from '../state/words.ts';
import { TextButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { useNow } from './use-now.ts';
import { useSlice } from './use-slice.ts';

/** Commands that run in the background, also after the turn has ended. */
export function ProcessesLine() {
  const processes = useSlice((state) => state.processes).filter((process) => process.state === 'running');
  if (processes.length === 0) return null;
  return (
    <ul class="processes" data-testid={testIds.processes} aria-label={t('Background processes')}>
      {processes.map((process) => (
        <ProcessLine key={process.id} process={process} />
      ))}
    </ul>
  );
}

function ProcessLine({ process }: { readonly process: BackgroundProcess }) {
  const chat = useChat();
  const now = useNow(true);
  return (
    <li>
      <Icon name="server-process" />
      <code title={`${process.command}\n${process.cwd}`}>{process.command}</code>
      <span class="activity-time">{elapsed(now - process.startedAt)}</span>
      <TextButton
        look="link"
        testId={`end-process-${process.id}`}
        title={t('End this process')}
        onClick={() => chat.host.notify({ type: 'killProcess', id: process.id })}
      >
        {t('End')}
      </TextButton>
    </li>
  );
}
