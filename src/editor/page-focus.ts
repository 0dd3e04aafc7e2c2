/** What `PageFocus` tells its owner. */
interface Needs<Page> {
  /** Another page has the focus, or none. */
  changed(): void;
  /** A page that said it has the focus may not have it any more: it is to say so anew. */
  ask(page: Page): void;
}

/**
 * Which page of the chat has the focus, and in which order the pages had it. Each page says of itself when it gets and
 * loses the focus; what two pages say may arrive in any order, and a page that crashed says nothing. One page at most has
 * the focus: the one that said so last. The one before is asked, and gets the focus back only if it says that it still
 * has it and the other one loses it: so the truth stands after the last message.
 */
export class PageFocus<Page> {
  readonly #needs: Needs<Page>;
  /** The one that was used last comes first. */
  #recent: readonly Page[] = [];
  #holder: Page | undefined;
  /** Pages that said, when they were asked, that they have it too. */
  readonly #claims = new Set<Page>();

  constructor(needs: Needs<Page>) {
    this.#needs = needs;
  }

  /** The page that has the focus. */
  get holder(): Page | undefined {
    return this.#holder;
  }

  /** The pages that are open: first the one that has the focus or had it last, then the one before. */
  get recent(): readonly Page[] {
    return this.#recent;
  }

  opened(page: Page): void {
    if (!this.#recent.includes(page)) this.#recent = [...this.#recent, page];
  }

  focused(page: Page): void {
    // What a page said before it was closed may arrive after its end.
    if (this.#holder === page || !this.#recent.includes(page)) return;
    const before = this.#holder;
    this.#hold(page);
    if (before !== undefined) this.#needs.ask(before);
  }

  /** It was asked and has the focus. Nobody is asked in turn: two pages that both say so would do that for ever. */
  confirmed(page: Page): void {
    if (this.#holder === page || !this.#recent.includes(page)) return;
    if (this.#holder === undefined) this.#hold(page);
    else this.#claims.add(page);
  }

  /** It lost the focus, is hidden, or loads anew. */
  left(page: Page): void {
    this.#claims.delete(page);
    if (this.#holder === page) this.#hold([...this.#claims].at(-1));
  }

  closed(page: Page): void {
    this.#recent = this.#recent.filter((one) => one !== page);
    this.left(page);
  }

  /** The user works with it, whether it has the focus or is about to get it. */
  used(page: Page): void {
    if (this.#recent.includes(page)) this.#recent = [page, ...this.#recent.filter((one) => one !== page)];
  }

  #hold(page: Page | undefined): void {
    this.#holder = page;
    if (page !== undefined) {
      this.#claims.delete(page);
      this.used(page);
    }
    this.#needs.changed();
  }
}
