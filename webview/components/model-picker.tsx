import { useEffect } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { t } from '../l10n.ts';
import { Icon } from './icon.tsx';
import { MenuEntry, Popup } from './popup.tsx';
import { usePopup } from './use-popup.ts';
import { useSlice } from './use-slice.ts';

export function ModelPicker() {
  const model = useSlice((state) => state.model);
  const { open, button, toggle, close } = usePopup();
  const label = model.label || t('No model');
  return (
    <div class="anchor">
      <button
        type="button"
        class={`model-picker ${model.ref ? '' : 'missing'}`}
        data-testid={testIds.modelPicker}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={t('Model: {0}', label)}
        title={model.ref ? t('Model: {0}', model.ref) : t('Select a model')}
        ref={button}
        onClick={toggle}
      >
        <span class="model-label">{label}</span>
        <Icon name="chevron-down" />
      </button>
      {open && <ModelMenu onClose={close} />}
    </div>
  );
}

function ModelMenu({ onClose }: { readonly onClose: (how?: 'keyboard' | 'elsewhere') => void }) {
  const chat = useChat();
  const models = useSlice((state) => state.models);
  useEffect(() => chat.host.notify({ type: 'listModels' }), [chat]);
  const act = (work: () => void) => () => {
    onClose();
    work();
  };
  return (
    <Popup role="menu" label={t('Model')} testId={testIds.modelMenu} class="above-start models" onClose={onClose}>
      {!models && <p class="menu-note">{t('Looking for models')}</p>}
      {models?.groups.map((group) => (
        <div key={group.label} class="menu-group">
          <p class="menu-head">{group.label}</p>
          {group.models.map((model) => (
            <MenuEntry
              key={model.ref}
              label={model.label}
              checked={model.ref === models.current}
              {...(model.detail !== undefined && { detail: model.detail })}
              onSelect={act(() => chat.host.notify({ type: 'selectModel', ref: model.ref }))}
            />
          ))}
        </div>
      ))}
      <hr />
      <MenuEntry
        icon="key"
        label={t('Set API key')}
        onSelect={act(() => chat.host.notify({ type: 'runCommand', command: 'midcourse.setApiKey' }))}
      />
    </Popup>
  );
}
