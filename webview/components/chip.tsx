import { useEffect, useRef, useState } from 'preact/hooks';
import type { Item, ItemKind } from '../../src/api.ts';
import { chipControls, chipId } from '../../src/protocol/index.ts';
import { useChat } from '../chat.ts';
import { plural, t } from '../l10n.ts';
import type { Outgoing } from '../state/chat-state.ts';
import { waitsForWords } from '../state/words.ts';
import { IconButton } from './button.tsx';
import { ChipEditor } from './chip-editor.tsx';
import { Icon } from './icon.tsx';

interface ChipProps {
  readonly item: Item;
  readonly movable: boolean;
  readonly dropTarget: boolean;
  readonly move: (by: -1 | 1) => void;
  readonly drag: {
    readonly start: () => void;
    readonly over: () => void;
    readonly drop: () => void;
    readonly end: () => void;
  };
}

/** One waiting text. */
export function Chip({ item, movable, dropTarget, move, drag }: ChipProps) {
  const chat = useChat();
  const [editing, setEditing] = useState(false);
  const chip = useRef<HTMLLIElement>(null);
  const wasEditing = useRef(false);
  // The editor goes with the focus in it.
  useEffect(() => {
    if (wasEditing.current && !editing) chip.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  // The head of the held ones says it for all of them.
  const waits = item.state.is === 'held' ? '' : waitsForWords(item);

  /** The chip takes the focus with it, so that goes on to the next one, or to the composer. */
  const remove = () => {
    chat.do({ verb: 'withdraw', id: item.id });
    const all = [...document.querySelectorAll<HTMLElement>('li.chip[tabindex]')];
    const next = chip.current ? all[all.indexOf(chip.current) + 1] : undefined;
    if (next) next.focus();
    else chat.composerFocus.value++;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.altKey && event.key === 'ArrowUp') move(-1);
    else if (event.altKey && event.key === 'ArrowDown') move(1);
    else if (event.key === 'Delete') remove();
    else if (event.key === 'Enter' || event.key === 'F2') setEditing(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  if (editing) return <ChipEditor item={item} close={() => setEditing(false)} />;
  return (
    <li
      ref={chip}
      class={`chip ${item.kind} ${dropTarget ? 'drop-target' : ''}`}
      data-testid={chipId(item.id)}
      draggable={movable}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Alt and arrows move it, Delete removes it
      tabIndex={0}
      aria-label={`${kindWords(item.kind)}: ${item.text}. ${waits}`}
      onKeyDown={onKeyDown}
      onDragStart={(event) => {
        event.dataTransfer?.setData('text/plain', item.text);
        drag.start();
      }}
      onDragOver={(event) => {
        event.preventDefault();
        drag.over();
      }}
      onDrop={(event) => {
        event.preventDefault();
        drag.drop();
      }}
      onDragEnd={drag.end}
    >
      <span class="chip-kind" title={kindWords(item.kind)}>
        <Icon name={kindIcon(item.kind)} />
        <span class="chip-kind-words">{kindWords(item.kind)}</span>
      </span>
      <ChipWords text={item.text} images={item.attachments.length} />
      {waits && <span class="chip-waits">{waits}</span>}
      <span class="chip-actions">
        <SoonerButton item={item} />
        <IconButton icon="edit" label={t('Edit')} testId={chipControls.edit} onClick={() => setEditing(true)} />
        {movable && (
          <>
            <IconButton icon="arrow-up" label={t('Earlier')} testId={chipControls.moveUp} onClick={() => move(-1)} />
            <IconButton icon="arrow-down" label={t('Later')} testId={chipControls.moveDown} onClick={() => move(1)} />
          </>
        )}
        <IconButton icon="close" label={t('Remove')} testId={chipControls.remove} onClick={remove} />
      </span>
    </li>
  );
}

/** A steer can cut the answer instead of waiting for it; a queued or held text can go now. */
function SoonerButton({ item }: { readonly item: Item }) {
  const chat = useChat();
  if (item.kind === 'redirect' && item.state.is === 'pending') return null;
  return item.kind === 'steer' && item.state.is === 'pending' ? (
    <IconButton
      icon="redo"
      label={t('Redirect now: cut the answer and ask again with this')}
      testId={chipControls.redirectNow}
      onClick={() => chat.do({ verb: 'redirectNow', id: item.id })}
    />
  ) : (
    <IconButton
      icon="send"
      label={t('Send now: it is read at the next step')}
      testId={chipControls.sendNow}
      onClick={() => chat.do({ verb: 'sendNow', id: item.id })}
    />
  );
}

/** Sent a moment ago; the host has not answered yet. */
export function OutgoingChip({ sent }: { readonly sent: Outgoing }) {
  return (
    <li class="chip outgoing" data-testid={chipId(sent.id)}>
      <span class="chip-kind">
        <Icon name="loading" class="codicon-modifier-spin" />
      </span>
      <ChipWords text={sent.text} images={sent.images.length} />
    </li>
  );
}

/** The first words and, where images go with them, how many. */
export function ChipWords({ text, images }: { readonly text: string; readonly images: number }) {
  return (
    <>
      <span class="chip-text" title={text}>
        {text === '' ? plural(images, 'One image', '{0} images') : firstWords(text)}
      </span>
      {images > 0 && text !== '' && (
        <span class="chip-images" title={plural(images, 'With one image', 'With {0} images')}>
          <Icon name="file-media" />
          {images > 1 && images}
        </span>
      )}
    </>
  );
}

function kindWords(kind: ItemKind): string {
  switch (kind) {
    case 'message':
      return t('Message');
    case 'steer':
      return t('Steer');
    case 'redirect':
      return t('Redirect');
    case 'queue':
      return t('Queued');
    default:
      return kind satisfies never;
  }
}

function kindIcon(kind: ItemKind): string {
  switch (kind) {
    case 'message':
      return 'comment';
    case 'steer':
      return 'indent';
    case 'redirect':
      return 'redo';
    case 'queue':
      return 'list-ordered';
    default:
      return kind satisfies never;
  }
}

/** The style sheet cuts the line; this only keeps a long text out of it. */
function firstWords(text: string): string {
  return text.slice(0, 200).replace(/\s+/g, ' ');
}
