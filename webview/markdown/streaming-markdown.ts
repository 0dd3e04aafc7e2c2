import { type Block, BlockSplitter, codeOf, type Tail } from './blocks.ts';
import { CodeBlock } from './code-block.ts';
import { heal } from './heal.ts';
import { safeCut } from './inline-cut.ts';
import { type Environment, languageOf, renderBlock, renderInline } from './render.ts';
import { sanitize } from './sanitize.ts';

/** Where drawing the tail took longer than this (ms), the next drawing waits a multiple of it. */
const costly = 6;
const restFactor = 4;

/**
 * Draws markdown that grows. What is finished is drawn once and never touched again; the cost of an update depends on
 * the tail alone, not on the length of the text.
 */
export class StreamingMarkdown {
  readonly #root: HTMLElement;
  #splitter = new BlockSplitter();
  #environment: Environment = {};
  #text = '';
  #complete = false;
  #tail: TailView | undefined;
  #restUntil = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /** `raw` is the whole text so far. A text that does not go on from the last one is drawn from the start. */
  update(raw: string, complete: boolean): void {
    const text = withLineFeeds(raw);
    if (text === this.#text && complete === this.#complete) return;
    if (this.#complete || !text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    this.#complete = complete;
    for (const block of this.#splitter.push(text)) this.#finish(block);
    const tail = this.#splitter.tail();
    if (complete) {
      this.#cancelTimer();
      if (tail.text.trim() !== '' || this.#tail) this.#finish(tail);
    } else {
      this.#growTail(tail);
    }
  }

  dispose(): void {
    this.#cancelTimer();
  }

  #reset(): void {
    this.#cancelTimer();
    this.#splitter = new BlockSplitter();
    this.#environment = {};
    this.#tail = undefined;
    this.#root.replaceChildren();
  }

  #finish(block: Block): void {
    const view = this.#viewFor(block.kind);
    view.grow(block.text, true);
    this.#tail = undefined;
  }

  #growTail(tail: Tail): void {
    if (tail.text.trim() === '') return;
    const now = performance.now();
    if (now < this.#restUntil) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#restUntil = 0;
        this.#growTail(this.#splitter.tail());
      }, this.#restUntil - now);
      return;
    }
    this.#viewFor(tail.kind).grow(tail.text, false);
    const took = performance.now() - now;
    this.#restUntil = took > costly ? now + took * (1 + restFactor) : 0;
  }

  /** A tail may turn out to be code when its first line is complete. */
  #viewFor(kind: Block['kind']): TailView {
    if (this.#tail?.kind === kind) return this.#tail;
    this.#tail?.remove();
    const view = kind === 'code' ? new CodeTail(this.#root) : new ProseTail(this.#root, this.#environment);
    this.#tail = view;
    return view;
  }

  #cancelTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#restUntil = 0;
  }
}

interface TailView {
  readonly kind: Block['kind'];
  /** `text` is the block's whole text so far. */
  grow(text: string, complete: boolean): void;
  remove(): void;
}

class CodeTail implements TailView {
  readonly kind = 'code';
  readonly #block = new CodeBlock();

  constructor(root: HTMLElement) {
    root.append(this.#block.element);
  }

  grow(text: string, complete: boolean): void {
    const { code, language } = codeOf(text);
    this.#block.update(code, language, complete);
  }

  remove(): void {
    this.#block.element.remove();
  }
}

class ProseTail implements TailView {
  readonly kind = 'prose';
  readonly #root: HTMLElement;
  readonly #environment: Environment;
  #nodes: readonly ChildNode[] = [];
  /** Set once the paragraph is long: its settled pieces, then the piece that still grows. */
  #long: { readonly paragraph: HTMLElement; readonly growing: HTMLElement; settled: number } | undefined;

  constructor(root: HTMLElement, environment: Environment) {
    this.#root = root;
    this.#environment = environment;
  }

  grow(text: string, complete: boolean): void {
    this.#settle(text);
    if (this.#long) {
      const rest = text.slice(this.#long.settled);
      this.#long.growing.replaceChildren(this.#inline(complete ? rest.trimEnd() : heal(rest)));
    } else {
      this.#replace(sanitize(renderBlock(complete ? text : heal(text), this.#environment)));
    }
  }

  remove(): void {
    for (const node of this.#nodes) node.remove();
  }

  #settle(text: string): void {
    const settled = this.#long?.settled ?? 0;
    const rest = text.slice(settled);
    const cut = safeCut(rest, settled > 0);
    if (cut === 0) return;
    if (!this.#long) {
      const paragraph = document.createElement('p');
      const growing = document.createElement('span');
      paragraph.append(growing);
      this.#replace(paragraph);
      this.#long = { paragraph, growing, settled: 0 };
    }
    const piece = document.createElement('span');
    piece.append(this.#inline(rest.slice(0, cut)));
    this.#long.growing.before(piece);
    this.#long.settled += cut;
  }

  #inline(text: string): DocumentFragment {
    // markdown-it drops spaces at both ends of a paragraph; between pieces they belong to the text.
    const before = /^\s*/.exec(text)?.[0] ?? '';
    const after = text.length > before.length ? text.slice(text.trimEnd().length) : '';
    const fragment = sanitize(renderInline(text.trim(), this.#environment));
    fragment.prepend(before);
    fragment.append(after);
    return fragment;
  }

  #replace(content: DocumentFragment | HTMLElement): void {
    for (const pre of content.querySelectorAll('pre')) decorate(pre);
    const nodes = content instanceof DocumentFragment ? [...content.childNodes] : [content];
    for (const node of this.#nodes) node.remove();
    this.#root.append(content);
    this.#nodes = nodes;
  }
}

/** Code inside a list or quote gets the same head as code of its own. */
function decorate(pre: HTMLPreElement): void {
  const code = pre.querySelector('code');
  const language = languageOf(/language-(\S+)/.exec(code?.className ?? '')?.[1] ?? '');
  const block = new CodeBlock();
  block.update((code?.textContent ?? '').replace(/\n$/, ''), language, true);
  pre.replaceWith(block.element);
}

/** As the renderer reads line ends; the beginning of a text stays the beginning of what this makes of the whole. */
function withLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
