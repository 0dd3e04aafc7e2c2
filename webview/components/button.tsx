import type { ComponentChildren, Ref } from 'preact';
import { Icon } from './icon.tsx';

interface IconButtonProps {
  readonly icon: string;
  readonly label: string;
  readonly testId: string;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly expanded?: boolean;
  readonly popup?: 'menu' | 'dialog';
  readonly class?: string;
  readonly buttonRef?: Ref<HTMLButtonElement>;
}

/** A button that shows only an icon; its label is its name and its tooltip. */
export function IconButton(props: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${props.class ?? ''}`}
      title={props.label}
      aria-label={props.label}
      data-testid={props.testId}
      disabled={props.disabled ?? false}
      aria-expanded={props.expanded}
      aria-haspopup={props.popup}
      ref={props.buttonRef ?? null}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}

interface TextButtonProps {
  readonly testId: string;
  readonly onClick: () => void;
  readonly children: ComponentChildren;
  readonly look?: 'primary' | 'secondary' | 'link';
  readonly keys?: string;
  readonly title?: string;
  readonly disabled?: boolean;
  readonly buttonRef?: Ref<HTMLButtonElement>;
}

/** A button with words and, where it has one, its key. */
export function TextButton(props: TextButtonProps) {
  return (
    <button
      type="button"
      class={`text-button ${props.look ?? 'secondary'}`}
      data-testid={props.testId}
      title={props.title}
      disabled={props.disabled ?? false}
      ref={props.buttonRef ?? null}
      onClick={props.onClick}
    >
      {props.children}
      {props.keys && <kbd>{props.keys}</kbd>}
    </button>
  );
}
