import type { ConsoleMessage, Page } from 'playwright-core';

/**
 * What must never happen in our chat page: blocked by its Content-Security-Policy, uncaught errors, rejected promises,
 * console errors. Heard from outside, because VS Code writes a webview by `document.open()`, which drops listeners inside.
 */
export class Problems {
  readonly #found: string[] = [];
  readonly #extension: string;

  /** `extension` is the id whose webviews are watched: the workbench around them is not ours. */
  constructor(page: Page, extension: string) {
    this.#extension = extension;
    page.on('console', (message) => {
      if (message.type() === 'error' && this.#isOurs(message)) this.#found.push(message.text());
    });
    page.on('pageerror', (error) => {
      const text = error.stack ?? error.message;
      if (!text.includes('/static/out/')) this.#found.push(text);
    });
  }

  get found(): readonly string[] {
    return this.#found;
  }

  /** Throws when there were any. */
  assertNone(): void {
    if (this.#found.length > 0) throw new Error(`Problems in the chat page:\n${this.#found.join('\n')}`);
  }

  /** A blocked thing is reported at the webview's address, a call of `console.error` at the script's. */
  #isOurs(message: ConsoleMessage): boolean {
    const { url } = message.location();
    return url.includes(`extensionId=${this.#extension}`) || url.includes('/dist/webview/');
  }
}
