import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { belongsToComposition, keepEscape } from '../keys.ts';
import { Icon } from './icon.tsx';

interface PopupProps {
  readonly role: 'menu' | 'dialog' | 'listbox';
  readonly label: string;
  readonly testId: string;
  readonly class?: string;
  /** `keyboard`: by Escape or Tab, so the focus goes back to what opened it. */
  readonly onClose: (how: 'keyboard' | 'elsewhere') => void;
  readonly children: ComponentChildren;
}

/** Something over the page that closes by Escape, by Tab and by a click elsewhere. Takes the focus when it opens. */
export function Popup({ role, label, testId, class: className = '', onClose, children }: PopupProps) {
  const element = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    // What is chosen now goes before what merely stands first.
    const found = ['[data-autofocus]', '[aria-checked=true]', '[role^=menuitem], [role=option]']
      .map((selector) => element.current?.querySelector<HTMLElement>(selector))
      .find(Boolean);
    (found ?? element.current)?.focus();
  }, []);

  useEffect(() => {
    const onPointerDown = (event: PointerEvent) => {
      // The parent holds the button too, which closes by itself.
      if (event.target instanceof Node && !element.current?.parentElement?.contains(event.target)) onClose('elsewhere');
    };
    const onBlur = () => onClose('elsewhere');
    document.addEventListener('pointerdown', onPointerDown);
    window.addEventListener('blur', onBlur);
    return () => {
      document.removeEventListener('pointerdown', onPointerDown);
      window.removeEventListener('blur', onBlur);
    };
  }, [onClose]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (belongsToComposition(event)) return;
    if (event.key === 'Escape') {
      keepEscape(event);
      onClose('keyboard');
    } else if (event.key === 'Tab' && role !== 'dialog') {
      onClose('keyboard');
    } else if (role !== 'dialog') {
      moveFocus(event, element.current);
    }
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its role, a menu, a list or a dialog, comes from outside
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of these roles takes a label
    <div
      ref={element}
      class={`popup ${className}`}
      role={role}
      aria-label={label}
      data-testid={testId}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  );
}

interface MenuEntryProps {
  readonly label: string;
  readonly onSelect: () => void;
  readonly testId?: string;
  readonly icon?: string;
  readonly detail?: string;
  readonly keys?: string;
  readonly checked?: boolean;
  readonly disabled?: boolean;
}

export function MenuEntry(props: MenuEntryProps) {
  const checkable = props.checked !== undefined;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: aria-checked is there only with menuitemradio
    <button
      type="button"
      class="menu-entry"
      role={checkable ? 'menuitemradio' : 'menuitem'}
      aria-checked={props.checked}
      data-testid={props.testId}
      tabIndex={-1}
      disabled={props.disabled ?? false}
      onClick={props.onSelect}
    >
      <Icon name={props.icon ?? (props.checked ? 'check' : 'blank')} />
      <span class="menu-words">
        <span class="menu-label">{props.label}</span>
        {props.detail && <span class="menu-detail">{props.detail}</span>}
      </span>
      {props.keys && <kbd>{props.keys}</kbd>}
    </button>
  );
}

function moveFocus(event: KeyboardEvent, popup: HTMLElement | null): void {
  const entries = [...(popup?.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled), [role=option]') ?? [])];
  if (entries.length === 0) return;
  const at = entries.indexOf(document.activeElement as HTMLElement);
  const to = destination(event.key, at, entries.length);
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  entries[to]?.focus();
}

function destination(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count;
    case 'ArrowUp':
      return (at - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
