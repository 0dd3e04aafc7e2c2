import { testIds } from '../../src/protocol/test-ids.ts';
import { t } from '../l10n.ts';
import { highlight } from './highlight.ts';

/** Growing code is coloured anew with each update up to this many characters; beyond, only new text is appended. */
const colouredWhileGrowing = 4_000;
/** Code up to this long is coloured at once when it is complete, longer code when the page is idle. */
const colouredAtOnce = 2_000;

/** One block of code: its language, buttons to copy and to insert, and the text. Grows by `update`. */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly #label: HTMLElement;
  readonly #code: HTMLElement;
  #shown = '';
  #coloured = false;

  constructor() {
    this.element = element('div', 'code-block');
    this.element.dataset.testid = testIds.codeBlock;
    const head = element('div', 'code-head');
    this.#label = element('span', 'code-language');
    const actions = element('span', 'code-actions');
    actions.append(
      button('copy', t('Copy code'), testIds.copyCode),
      button('insert', t('Insert at cursor'), testIds.insertCode),
    );
    head.append(this.#label, actions);
    const pre = element('pre', '');
    this.#code = element('code', '');
    pre.append(this.#code);
    this.element.append(head, pre);
  }

  update(code: string, language: string, complete: boolean): void {
    this.#label.textContent = language;
    if (!complete) {
      if (code.length <= colouredWhileGrowing && this.#colour(code, language)) return;
      this.#append(code);
    } else if (code.length <= colouredAtOnce) {
      if (!this.#colour(code, language)) this.#append(code);
    } else {
      this.#append(code);
      whenIdle(() => this.#colour(code, language));
    }
  }

  #colour(code: string, language: string): boolean {
    const html = highlight(code, language);
    if (html === undefined) return false;
    // highlight.js escapes the code and adds nothing but spans with a class.
    this.#code.innerHTML = html;
    this.#shown = code;
    this.#coloured = true;
    return true;
  }

  #append(code: string): void {
    const text = this.#code.lastChild;
    if (!this.#coloured && text instanceof Text && code.startsWith(this.#shown)) {
      text.appendData(code.slice(this.#shown.length));
    } else if (!this.#coloured || code !== this.#shown) {
      this.#code.textContent = code;
      this.#coloured = false;
    }
    this.#shown = code;
  }
}

/** The text of the block that a button stands in. */
export function codeOfButton(clicked: Element): string | undefined {
  return clicked.closest('.code-block')?.querySelector('code')?.textContent ?? undefined;
}

function whenIdle(work: () => void): void {
  if (typeof requestIdleCallback === 'function') requestIdleCallback(work, { timeout: 2_000 });
  else setTimeout(work, 50);
}

function element(tag: string, className: string): HTMLElement {
  const created = document.createElement(tag);
  if (className) created.className = className;
  return created;
}

function button(icon: string, label: string, testId: string): HTMLButtonElement {
  const created = document.createElement('button');
  created.type = 'button';
  created.className = `icon-button codicon codicon-${icon}`;
  created.title = label;
  created.ariaLabel = label;
  created.dataset.testid = testId;
  return created;
}
