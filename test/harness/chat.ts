import { errors, type FrameLocator, type Locator } from 'playwright-core';
import { approvalCardId, questionCardId, testIds, toolCardId } from '../../src/protocol/test-ids.ts';
import type { EditorWindow } from './window.ts';

/** Time for a card to take an answer, ms, before it is given again: it ignores those right after it took the focus. */
const answerPatience = 2_000;

/** The chat of a window, as a user has it: everything here clicks, types and reads in its page. */
export class Chat {
  readonly #window: Pick<EditorWindow, 'webview' | 'command'>;
  readonly #webview: string | undefined;

  /** @param webview which one, by a selector, where a window has several */
  constructor(window: Pick<EditorWindow, 'webview' | 'command'>, webview?: string) {
    this.#window = window;
    this.#webview = webview;
  }

  get frame(): FrameLocator {
    return this.#window.webview(this.#webview);
  }

  get composer(): Locator {
    return this.byId(testIds.composer);
  }

  get userMessages(): Locator {
    return this.byId(testIds.userMessage);
  }

  get answers(): Locator {
    return this.byId(testIds.assistantText);
  }

  /** Texts that wait to be read. */
  get chips(): Locator {
    return this.byId(testIds.shelf).locator('li[data-testid^="chip-"]');
  }

  /** By the `data-testid`s of src/protocol/test-ids.ts. */
  byId(testId: string): Locator {
    return this.frame.getByTestId(testId);
  }

  tool(callId: string): Locator {
    return this.byId(toolCardId(callId));
  }

  approval(callId: string): Locator {
    return this.byId(approvalCardId(callId));
  }

  question(callId: string): Locator {
    return this.byId(questionCardId(callId));
  }

  /** Brings the chat to the front and waits until it can be typed into. */
  async open(): Promise<void> {
    await this.#window.command('midcourse.focusChat');
    await this.composer.waitFor({ state: 'visible', timeout: 120_000 });
    await this.composer.click();
  }

  /** An empty session, by its button. */
  async newSession(): Promise<void> {
    await this.byId(testIds.newSession).click();
    await this.byId(testIds.empty).waitFor();
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

  /** Clicks these controls of a card (test ids, or where they are) in turn, until the card is gone. */
  async answer(card: Locator, ...controls: readonly (string | Locator)[]): Promise<void> {
    await card.waitFor();
    const timeout = answerPatience;
    const attempt = async () => {
      for (const control of controls) {
        await (typeof control === 'string' ? card.getByTestId(control) : control).click({ timeout });
      }
      await card.waitFor({ state: 'hidden', timeout });
    };
    do {
      await attempt().catch(ignoreTimeout);
    } while ((await card.count()) > 0);
  }

  /** Waits until so many turns of the shown session have ended. */
  async turnsEnded(count: number): Promise<void> {
    await this.byId(testIds.turnEnd)
      .nth(count - 1)
      .waitFor();
    await this.byId(testIds.stop).waitFor({ state: 'hidden' });
  }
}

/** A card that went while its button was clicked leaves nothing to click. */
function ignoreTimeout(error: unknown): void {
  if (!(error instanceof errors.TimeoutError)) throw error;
}
