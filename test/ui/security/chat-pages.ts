import assert from 'node:assert/strict';
import type { Keyboard } from 'playwright-core';
import { testIds } from '../../../src/protocol/test-ids.ts';
import { Chat } from '../../harness/index.ts';
import type { RecordedRequest } from '../../model-server/index.ts';
import type { Stage } from '../stage.ts';
import { until } from '../until.ts';

/** What a session of the window does, as the extension's API tells it. */
interface SessionFacts {
  readonly state: string;
  readonly waiting: readonly string[];
}

/** One page of the chat: the view or an editor tab, with a session of its own in which a turn runs. */
export interface ChatPage {
  readonly name: string;
  chat: Chat;
  /** Of the window in which it is. */
  keyboard: Keyboard;
  readonly isTab: boolean;
  sessionId: string;
  /** The request that the model answers for ever. */
  running: RecordedRequest;
}

/** The pages of one window. The view is there from the start. */
export class PagesOnStage {
  readonly stage: Stage;
  readonly open: ChatPage[] = [];
  #texts = 0;
  #tabs = 0;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  /** The view's page with a new session whose turn runs. */
  async view(): Promise<ChatPage> {
    const chat = new Chat(this.stage.window, await this.#webview([]));
    return this.#begin('view', chat, false);
  }

  /** Another page in an editor tab, with a session of its own. */
  async tab(name: string): Promise<ChatPage> {
    const chat = await this.newTab();
    return this.#begin(name, chat, true);
  }

  /** Opens a tab with the session of the page that was used last. */
  async newTab(): Promise<Chat> {
    const before = await this.#names();
    this.#tabs += 1;
    await this.stage.window.command('midcourse.openInEditor');
    const chat = new Chat(this.stage.window, await this.#webview(before));
    await chat.composer.waitFor();
    return chat;
  }

  /** How many tabs were opened so far. */
  get opened(): number {
    return this.#tabs;
  }

  /** Its session goes on without a page. */
  closed(page: ChatPage): void {
    this.open.splice(this.open.indexOf(page), 1);
  }

  /** Moves the tab with the focus into a window of its own. */
  async toOwnWindow(page: ChatPage): Promise<void> {
    const opening = this.stage.window.page.context().waitForEvent('page');
    await this.stage.window.command('workbench.action.moveEditorToNewWindow');
    const popup = await opening;
    const webview = (selector = 'iframe.webview.ready') =>
      popup.frameLocator(selector).frameLocator('iframe#active-frame');
    page.chat = new Chat({ webview, command: (...call) => this.stage.window.command(...call) });
    page.keyboard = popup.keyboard;
    await page.chat.composer.waitFor();
  }

  /** A text that no other session has. */
  text(words: string): string {
    this.#texts += 1;
    return `${words} ${this.#texts}.`;
  }

  /** Starts a turn in the page that goes on until something ends it. */
  async run(page: Pick<ChatPage, 'chat'>): Promise<RecordedRequest> {
    const words = this.text('Working at task');
    this.stage.server.script({ steps: [{ text: words }, { pause: 'rest' }] });
    await page.chat.send(this.text('Do task'));
    const request = await this.stage.nextRequest();
    await page.chat.answers.filter({ hasText: words }).waitFor();
    return request;
  }

  /** Puts the cursor into the page's composer, and waits until the window knows. */
  async focus({ chat }: ChatPage): Promise<void> {
    await chat.composer.click();
    await this.settled();
  }

  /** Until what the window, its pages and the extension have told each other so far has arrived. */
  async settled(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      await this.stage.window.page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
      await this.stage.window.command('setContext', 'midcourseTest.round', round);
    }
  }

  /** Every session of the window by its id. */
  async facts(): Promise<Readonly<Record<string, SessionFacts>>> {
    return this.stage.window.run(async (vscode) => {
      const api = await vscode.extensions.getExtension('midcourse.midcourse')?.activate();
      const facts: Record<string, SessionFacts> = {};
      for (const { id } of await api.sessions.list()) {
        const session = await api.sessions.open(id);
        const items: readonly { readonly kind: string; readonly text: string }[] = session.items();
        facts[id] = { state: session.state, waiting: items.map(({ kind, text }) => `${kind} ${text}`) };
      }
      return facts;
    });
  }

  /** Runs `act` and asserts that no session but `of` is another one after it. */
  async onlyIn(of: ChatPage | undefined, act: () => Promise<void>): Promise<void> {
    const before = await this.facts();
    const others = this.open
      .filter((page) => page !== of)
      .map(({ running }) => ({ running, closing: running.closing }));
    await act();
    const after = await this.facts();
    for (const [id, facts] of Object.entries(before)) if (id !== of?.sessionId) assert.deepEqual(after[id], facts);
    for (const { running, closing } of others)
      assert.equal(running.closing, closing, 'no request of another page ends');
  }

  /** Escape ends the page's turn and no other. */
  async stop(page: ChatPage): Promise<void> {
    await this.onlyIn(page, async () => {
      await this.focus(page);
      await page.keyboard.press('Escape');
      await page.chat.byId(testIds.stop).waitFor({ state: 'hidden' });
      assert.equal((await page.running.closed).by, 'client');
    });
    page.running = await this.run(page);
  }

  /** Ctrl+Enter cuts the page's request and asks again with the text. */
  async redirect(page: ChatPage): Promise<void> {
    const words = this.text('Working the other way');
    const text = this.text('The other way');
    this.stage.server.script({ steps: [{ text: words }, { pause: 'rest' }] });
    await this.onlyIn(page, async () => {
      await this.focus(page);
      await page.chat.type(text);
      await page.keyboard.press('Control+Enter');
      await page.chat.answers.filter({ hasText: words }).waitFor();
      assert.equal((await page.running.closed).by, 'client');
    });
    page.running = await this.stage.nextRequest();
    assert.ok(JSON.stringify(page.running.body).includes(text));
  }

  /** Alt+Enter puts the text into the page's queue; it is taken back afterwards. */
  async queue(page: ChatPage): Promise<void> {
    const text = this.text('Later');
    await this.onlyIn(page, async () => {
      await this.focus(page);
      await page.chat.type(text);
      await page.keyboard.press('Alt+Enter');
      const chip = page.chat.chips.filter({ hasText: text });
      await chip.waitFor();
      assert.deepEqual((await this.facts())[page.sessionId]?.waiting, [`queue ${text}`]);
      await chip.focus();
      await page.keyboard.press('Delete');
      await chip.waitFor({ state: 'hidden' });
      assert.equal(page.running.closing, undefined);
    });
  }

  async #begin(name: string, chat: Chat, isTab: boolean): Promise<ChatPage> {
    await chat.composer.waitFor();
    await chat.byId(testIds.newSession).click();
    await chat.byId(testIds.empty).waitFor();
    const before = await this.#runningIds();
    const running = await this.run({ chat });
    const sessionId = (await this.#runningIds()).find((id) => !before.includes(id));
    assert.ok(sessionId, 'the session of the new page');
    const page = { name, chat, keyboard: this.stage.window.page.keyboard, isTab, sessionId, running };
    this.open.push(page);
    return page;
  }

  async #runningIds(): Promise<readonly string[]> {
    return Object.entries(await this.facts()).flatMap(([id, { state }]) => (state === 'idle' ? [] : [id]));
  }

  #names(): Promise<readonly string[]> {
    return this.stage.window.page
      .locator('iframe.webview')
      .evaluateAll((frames) => frames.map((frame) => frame.getAttribute('name') ?? ''));
  }

  /** A selector of the one webview that is not among those. */
  async #webview(known: readonly string[]): Promise<string> {
    const name = await until(async () => (await this.#names()).find((one) => !known.includes(one)));
    return `iframe.webview.ready[name="${name}"]`;
  }
}
