import { type ReadonlySignal, signal } from '@preact/signals';
import { belongsToComposition, entersCard } from './keys.ts';

/**
 * Where keys go. Cards that ask come while somebody types, so none of them takes the focus, and none acts on a key before
 * the person has moved into it: by Tab, by a click or by the key that it shows. What is typed anywhere else goes into the
 * composer, from the first letter on.
 */
export class PageFocus {
  /** The composer's field, while there is one. */
  composer: HTMLTextAreaElement | null = null;
  readonly #page: Document;
  readonly #entered = signal<Element | undefined>(undefined);
  /** A Tab is on its way: what gets the focus next was chosen by the person. */
  #tabbing = false;
  #byKeyboard = false;

  constructor(page: Document) {
    this.#page = page;
  }

  /** The card that the person has moved into; its keys work. */
  get entered(): ReadonlySignal<Element | undefined> {
    return this.#entered;
  }

  /** Follows keys, clicks and focus. The returned function ends it. */
  watch(): () => void {
    const ended = new AbortController();
    const { signal: until } = ended;
    const early = { capture: true, signal: until };
    this.#page.addEventListener('keydown', (event) => this.#beforeKey(event), early);
    this.#page.addEventListener('keydown', (event) => this.#afterKey(event), { signal: until });
    this.#page.addEventListener('pointerdown', (event) => this.#onPointer(event), early);
    this.#page.addEventListener('focusin', (event) => this.#onFocus(event), early);
    // Who comes back from elsewhere may not know any more that a card has the focus.
    window.addEventListener('blur', () => this.#enter(undefined), { signal: until });
    return () => ended.abort();
  }

  /** At once: a letter that is typed next may have a meaning where the focus is now. */
  toComposer(): void {
    this.composer?.focus();
  }

  /**
   * To be called before a card goes. When the focus is in it, it moves on once the card is gone: to the next card after
   * an answer by keyboard, which that does not enter, and to the composer otherwise.
   */
  leave(card: Element, answered: boolean): void {
    if (!card.contains(this.#page.activeElement) || !this.#page.hasFocus()) return;
    const toCard = answered && this.#byKeyboard;
    queueMicrotask(() => {
      const { activeElement, body } = this.#page;
      if (activeElement !== body && activeElement !== null) return;
      (toCard ? (this.#cards()[0] ?? this.composer) : this.composer)?.focus();
    });
  }

  #beforeKey(event: KeyboardEvent): void {
    this.#byKeyboard = true;
    this.#tabbing = event.key === 'Tab';
    if (!entersCard(event) || !this.#enterNext()) return;
    event.preventDefault();
    // VS Code would look for a keybinding of its own.
    event.stopPropagation();
  }

  /** After every control has had its say. */
  #afterKey(event: KeyboardEvent): void {
    const { target } = event;
    if (event.defaultPrevented || !typesText(event) || !(target instanceof Element) || usesLetters(target)) return;
    if (event.key === ' ' && target !== this.#page.body && target !== this.#notEntered(target)) return;
    if (!this.composer || this.composer.readOnly) return;
    // The letter itself follows: it goes to whatever has the focus when its keydown is over.
    this.composer.focus();
  }

  #onPointer({ target }: PointerEvent): void {
    this.#byKeyboard = false;
    this.#tabbing = false;
    this.#enter(cardOf(target));
  }

  #onFocus({ target }: FocusEvent): void {
    const card = cardOf(target);
    if (this.#tabbing) this.#enter(card);
    else if (card !== this.#entered.peek()) this.#enter(undefined);
    this.#tabbing = false;
  }

  /** False when no card waits. */
  #enterNext(): boolean {
    const cards = this.#cards();
    const next = cards[(cards.findIndex((card) => card.matches(':focus-within')) + 1) % cards.length];
    if (!next) return false;
    this.#enter(next);
    (next.querySelector<HTMLElement>('[data-entry]') ?? next).focus({ preventScroll: true });
    next.scrollIntoView({ block: 'nearest' });
    return true;
  }

  #enter(card: Element | undefined): void {
    this.#entered.value = card;
  }

  #notEntered(target: Element): Element | undefined {
    const card = cardOf(target);
    return card === this.#entered.peek() ? undefined : card;
  }

  #cards(): readonly HTMLElement[] {
    return [...this.#page.querySelectorAll<HTMLElement>(cards)];
  }
}

/** Everything that comes without being asked for and asks something. */
const cards = '[data-asks]';

function cardOf(target: EventTarget | null): Element | undefined {
  return (target instanceof Element && target.closest(cards)) || undefined;
}

/** True for a key that writes something, an input method's included. */
function typesText(event: KeyboardEvent): boolean {
  if (belongsToComposition(event) || event.key === 'Dead') return true;
  if ([...event.key].length !== 1 || event.metaKey) return false;
  return event.getModifierState('AltGraph') || (!event.ctrlKey && !event.altKey);
}

/** Fields, and what opened over the page and has keys of its own. */
function usesLetters(target: Element): boolean {
  return target.closest('input, textarea, select, [contenteditable], dialog, .popup') !== null;
}
