import { useEffect, useRef, useState } from 'preact/hooks';
import { testIds } from '../../src/protocol/index.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { useChat } from '../chat.ts';
import { belongsToComposition } from '../keys.ts';
import { plural, t } from '../l10n.ts';
import { findModels, type ListedModel, modelFacts } from '../state/model-words.ts';
import { TextButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { Popup } from './popup.tsx';
import { usePopup } from './use-popup.ts';
import { useSlice } from './use-slice.ts';

type Close = (how?: 'keyboard' | 'elsewhere') => void;

export function ModelPicker() {
  const model = useSlice((state) => state.model);
  const { open, button, toggle, close } = usePopup();
  const label = model.label || t('No model');
  return (
    <div class="anchor picker model-anchor">
      <button
        type="button"
        class={`model-picker ${model.ref ? '' : 'missing'}`}
        data-testid={testIds.modelPicker}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={t('Model: {0}', label)}
        title={model.ref ? t('Model: {0}', model.ref) : t('Select a model')}
        ref={button}
        onClick={toggle}
      >
        <span class="model-label">{label}</span>
        <Icon name="chevron-down" />
      </button>
      {open && <ModelList onClose={close} />}
    </div>
  );
}

/** A field and the models that fit it: the arrows move in the list while the field has the focus. */
function ModelList({ onClose }: { readonly onClose: Close }) {
  const chat = useChat();
  const models = useSlice((state) => state.models);
  const [search, setSearch] = useState('');
  const [at, setAt] = useState<string | undefined>(undefined);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => chat.host.notify({ type: 'listModels' }), [chat]);

  const { groups, more } = findModels(models?.groups ?? [], search);
  const all = groups.flatMap((group) => group.models);
  const current = models?.current;
  // What was found last may be gone from a narrower search.
  const active = all.find(({ ref }) => ref === at) ?? all.find(({ ref }) => ref === current && search === '') ?? all[0];

  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active?.ref]);

  const choose = (model: ListedModel) => {
    onClose();
    chat.host.notify({ type: 'selectModel', ref: model.ref });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (belongsToComposition(event)) return;
    if (event.key === 'Enter' && active) choose(active);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const index = active ? all.indexOf(active) : -1;
      setAt(all[(index + step + all.length) % all.length]?.ref);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <Popup role="dialog" label={t('Model')} testId={testIds.modelMenu} class="above-start models" onClose={onClose}>
      <input
        class="filter"
        data-autofocus
        data-testid={testIds.modelSearch}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="model-options"
        aria-activedescendant={active && optionId(active)}
        aria-label={t('Search models')}
        placeholder={t('Search models')}
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id="model-options" class="model-options" role="listbox" aria-label={t('Models')}>
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own outside of a select
          <div key={group.label} class="menu-group" role="group" aria-label={visibleLine(group.label)}>
            <p class="menu-head" aria-hidden="true">
              {visibleLine(group.label)}
            </p>
            {group.models.map((model) => (
              <ModelOption
                key={model.ref}
                model={model}
                current={model.ref === current}
                active={model === active}
                choose={() => choose(model)}
              />
            ))}
          </div>
        ))}
      </div>
      <p class="menu-note" role="status">
        {noteOf({ known: models !== null, found: all.length, more })}
      </p>
      <div class="menu-foot">
        <TextButton
          look="link"
          testId={testIds.modelSetKey}
          onClick={() => {
            onClose('elsewhere');
            chat.host.notify({ type: 'runCommand', command: 'midcourse.setApiKey' });
          }}
        >
          {t('Set API key')}
        </TextButton>
        <TextButton
          look="link"
          testId={testIds.modelTest}
          onClick={() => {
            onClose('elsewhere');
            chat.host.notify({ type: 'runCommand', command: 'midcourse.testConnection' });
          }}
        >
          {t('Test connection')}
        </TextButton>
      </div>
    </Popup>
  );
}

interface ModelOptionProps {
  readonly model: ListedModel;
  readonly current: boolean;
  readonly active: boolean;
  readonly choose: () => void;
}

function ModelOption({ model, current, active, choose }: ModelOptionProps) {
  const facts = modelFacts(model);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the field names the active one
    <div
      id={optionId(model)}
      class={`menu-entry ${active ? 'active' : ''}`}
      role="option"
      aria-selected={active}
      aria-current={current ? 'true' : undefined}
      title={visibleLine(model.ref)}
      onClick={choose}
    >
      <Icon name={current ? 'check' : 'blank'} />
      <span class="menu-words">
        <span class="menu-label">{visibleLine(model.label)}</span>
        {facts && <span class="menu-detail">{facts}</span>}
      </span>
    </div>
  );
}

function optionId({ ref }: ListedModel): string {
  return `model-${ref}`;
}

function noteOf(of: { readonly known: boolean; readonly found: number; readonly more: number }): string {
  if (!of.known) return t('Looking for models');
  if (of.found === 0) return t('No model fits. A provider lists its models once it has a key.');
  return of.more > 0 ? plural(of.more, 'One more: type a part of its name', '{0} more: type a part of the name') : '';
}
