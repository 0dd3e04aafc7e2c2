import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { type Effort, effortLabel, effortWords } from '../state/model-words.ts';
import { Icon } from './icon.tsx';
import { MenuEntry, Popup } from './popup.tsx';
import { usePopup } from './use-popup.ts';
import { useSlice } from './use-slice.ts';

/** How much the model thinks, where it can be asked: its own ladder, and the provider's default. */
export function EffortPicker() {
  const chat = useChat();
  const { efforts = [], effort } = useSlice((state) => state.model);
  const { open, button, toggle, close } = usePopup();
  if (efforts.length === 0) return null;
  const label = effortLabel(effort);
  const choices: readonly (Effort | undefined)[] = [undefined, ...efforts];
  return (
    <div class="anchor picker">
      <button
        type="button"
        class="model-picker effort-picker"
        data-testid={testIds.effortPicker}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={t('Effort: {0}', label)}
        title={t('Effort: {0}. {1}.', label, effortWords(effort))}
        ref={button}
        onClick={toggle}
      >
        <Icon name="thinking" />
        <span class="model-label">{label}</span>
        <Icon name="chevron-down" />
      </button>
      {open && (
        <Popup role="menu" label={t('Effort')} testId={testIds.effortMenu} class="above-start" onClose={close}>
          {choices.map((choice) => (
            <MenuEntry
              key={choice ?? ''}
              label={effortLabel(choice)}
              detail={effortWords(choice)}
              checked={choice === effort}
              onSelect={() => {
                close();
                chat.host.notify({ type: 'selectEffort', effort: choice ?? '' });
              }}
            />
          ))}
        </Popup>
      )}
    </div>
  );
}
