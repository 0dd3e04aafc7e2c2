import type { Item } from '../../src/api.ts';
import { chipControls, chipId } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { TextButton } from './button.tsx';
import { ChipWords } from './chip.tsx';
import { Icon } from './icon.tsx';

/** A text that came back unsent, with why. It waits here because the composer holds something else. */
export function ReturnedChip({ item }: { readonly item: Item }) {
  const chat = useChat();
  if (item.state.is !== 'returned') return null;
  return (
    <div class="chip returned" data-testid={chipId(item.id)}>
      <span class="chip-kind" title={t('Returned')}>
        <Icon name="reply" />
        <span class="chip-kind-words">{t('Returned')}</span>
      </span>
      <ChipWords text={item.text} images={item.attachments.length} />
      <span class="chip-waits">{item.state.why}</span>
      <TextButton look="link" testId={chipControls.putInComposer} onClick={() => chat.takeReturnedItem(item)}>
        {t('Put in composer')}
      </TextButton>
    </div>
  );
}
