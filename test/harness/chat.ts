import type { FrameLocator, Locator } from 'playwright-core';
import { testIds } from '../../src/protocol/test-ids.ts';
import type { EditorWindow } from './window.ts';

/** The chat of a window, as a user has it: everything here clicks, types and reads in its page. */
export class Chat {
  readonly #window: EditorWindow;

  constructor(window: EditorWindow) {
    this.#window = window;
  }

  get frame(): FrameLocator {
    return this.#window.webview();
  }

  get composer(): Locator {
    return this.byId(testIds.composer);
  }

  /** By the `data-testid`s of src/protocol/test-ids.ts. */
  byId(testId: string): Locator {
    return this.frame.getByTestId(testId);
  }

  /** Brings the chat to the front and waits until it can be typed into. */
  async open(): Promise<void> {
    await this.#window.command('midcourse.focusChat');
    await this.composer.waitFor({ state: 'visible', timeout: 30_000 });
    await this.composer.click();
  }

  /** Replaces what is in the composer. */
  async type(text: string): Promise<void> {
    await this.composer.fill(text);
  }

  /** Types and presses Enter, or another key or chord in Playwright's words (`Alt+Enter`). */
  async send(text: string, key = 'Enter'): Promise<void> {
    await this.type(text);
    await this.composer.press(key);
  }
}
