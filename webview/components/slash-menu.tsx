import { useEffect, useRef } from 'preact/hooks';
import { type SlashEntry, testIds } from '../../src/protocol/index.ts';
import { visibleLine } from '../../src/words/visible-text.ts';
import { plural, t } from '../l10n.ts';
import { Icon } from './icon.tsx';
import type { SlashMenuState } from './use-slash-menu.ts';

export const slashListId = 'slash-options';

export function slashOptionId({ name }: SlashEntry): string {
  return `slash-${name}`;
}

/** Over the composer, as wide as it: the commands that fit what is typed behind the `/`. */
export function SlashMenu({ menu }: { readonly menu: SlashMenuState }) {
  const { found, more, active, choose } = menu;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active?.name]);
  if (found.length === 0) return null;
  const moreWords =
    more > 0 ? plural(more, 'One more: type a part of its name', '{0} more: type a part of the name') : '';
  return (
    <div class="popup slash-menu" data-testid={testIds.slashMenu}>
      <div ref={list} id={slashListId} class="slash-options" role="listbox" aria-label={t('Commands')}>
        {found.map((entry) => (
          <SlashOption key={entry.name} entry={entry} active={entry === active} choose={() => choose(entry)} />
        ))}
      </div>
      <p class="menu-note">{moreWords}</p>
      <p class="only-heard" role="status">
        {plural(found.length, '{0} command', '{0} commands')}
      </p>
    </div>
  );
}

interface SlashOptionProps {
  readonly entry: SlashEntry;
  readonly active: boolean;
  readonly choose: () => void;
}

function SlashOption({ entry, active, choose }: SlashOptionProps) {
  const { kind } = entry;
  const name = visibleLine(entry.name);
  const description = entry.description && visibleLine(entry.description);
  const source = entry.source && visibleLine(entry.source);
  const argumentHint = entry.argumentHint && visibleLine(entry.argumentHint);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the composer has the focus and takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the composer names the active one
    <div
      id={slashOptionId(entry)}
      class={`menu-entry ${active ? 'active' : ''}`}
      role="option"
      aria-selected={active}
      title={[`/${name} ${argumentHint ?? ''}`.trim(), description].filter(Boolean).join('\n')}
      // The composer keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={choose}
    >
      <Icon name={icons[kind]} />
      <span class="menu-words">
        <span class="slash-line">
          <span class="slash-name">/{name}</span>
          {argumentHint && <span class="slash-argument">{argumentHint}</span>}
          {source && <span class="slash-source">{source}</span>}
        </span>
        {description && <span class="menu-detail slash-description">{description}</span>}
      </span>
    </div>
  );
}

const icons: Readonly<Record<SlashEntry['kind'], string>> = {
  builtin: 'terminal',
  prompt: 'note',
  command: 'note',
  skill: 'mortar-board',
};
