import { testIds } from '../../src/protocol/index.ts';
import { visibleText } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { IconButton, TextButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { useSlice } from './use-slice.ts';

/** Downgrades, refusals and notices: said once, near the composer, and gone with the next text. */
export function QuietLine() {
  const chat = useChat();
  const line = useSlice((state) => state.quietLine);
  if (!line) return null;
  const { draft, images } = line;
  return (
    <div class={`quiet-line ${line.level}`} data-testid={testIds.receiptLine}>
      <Icon name={line.level === 'error' ? 'warning' : 'info'} />
      <span class="quiet-words">{visibleText(line.text)}</span>
      {draft !== undefined && (
        <TextButton
          look="link"
          testId="put-back"
          onClick={() => {
            chat.dismissQuietLine();
            chat.insertDraft(draft, images);
          }}
        >
          {t('Put in composer')}
        </TextButton>
      )}
      <IconButton icon="close" label={t('Dismiss')} testId="dismiss-line" onClick={() => chat.dismissQuietLine()} />
    </div>
  );
}
