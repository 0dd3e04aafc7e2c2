import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { testIds } from '../../../src/protocol/test-ids.ts';
import { Stage } from '../stage.ts';
import { until } from '../until.ts';
import { type ChatPage, PagesOnStage } from './chat-pages.ts';

/** Steps of each schedule: the shortest first, so that what breaks is as short as can be. */
const lengths = [4, 6, 9, 13];
const seed = Number(process.env.MIDCOURSE_PAGES_SEED ?? 20_261_201);

describe('security: pages of the chat', () => {
  let stage: Stage;
  let pages: PagesOnStage;
  let view: ChatPage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('pages');
  });
  beforeEach(async () => {
    await stage.window.command('workbench.action.closeAllEditors');
    await stage.window.command('midcourse.focusChat');
    await stage.window.command('midcourse.stopEverything');
    stage.server.reset();
    pages = new PagesOnStage(stage);
    view = await pages.view();
  });
  after(() => stage.close());

  it('J3a. a chat in a tab beside the one in the side bar: Escape, Ctrl+Enter and Alt+Enter act in each, to and fro', async () => {
    const tab = await pages.tab('tab');
    for (const page of [view, tab, view, tab]) {
      await pages.redirect(page);
      await pages.queue(page);
      await pages.stop(page);
    }
  });

  it('J3b. Escape in a page whose session is idle, and in a text editor, while another page works: that goes on', async () => {
    const tab = await pages.tab('tab');
    const { keyboard } = stage.window.page;
    await pages.focus(view);
    await keyboard.press('Escape');
    await view.chat.byId(testIds.stop).waitFor({ state: 'hidden' });
    await pages.onlyIn(undefined, async () => {
      await pages.focus(view);
      await keyboard.press('Escape');
      await keyboard.press('Escape');
      await pages.settled();
    });
    await openFile(stage, 'note.txt', 'one\n');
    await stage.window.page.locator('.editor-instance .view-lines').last().click();
    await pages.onlyIn(undefined, async () => {
      await keyboard.press('Escape');
      await keyboard.press('Control+Enter');
      await keyboard.press('Escape');
      await pages.settled();
    });
    assert.equal(tab.running.closing, undefined);
  });

  it('J3c. a page that is hidden, or closed with the focus in it, leaves the keys to the others', async () => {
    const tab = await pages.tab('tab');
    await pages.focus(tab);
    await openFile(stage, 'cover.txt', '');
    await pages.stop(view);
    await stage.window.command('midcourse.openSession', tab.sessionId);
    await pages.stop(tab);
    await pages.focus(tab);
    await stage.window.command('workbench.action.closeActiveEditor');
    await pages.redirect(view);
    await pages.stop(view);
  });

  it('J3d. New session in a tab is a new session in that tab; the page in the side bar keeps its own', async () => {
    const tab = await pages.tab('tab');
    await tab.chat.byId(testIds.newSession).click();
    await tab.chat.byId(testIds.empty).waitFor();
    assert.equal(await view.chat.byId(testIds.empty).count(), 0);
    await pages.stop(view);
  });

  it('J3e. a session that is deleted in one page leaves no other page behind that shows it', async () => {
    const tab = await pages.tab('tab');
    await pages.stop(tab);
    await stage.window.command('midcourse.deleteSession', { sessionId: tab.sessionId, confirmed: true });
    await tab.chat.answers.first().waitFor({ state: 'hidden' });
  });

  it('J3g. what is chosen in the title menu of the view is about the session of the view, also while a tab was used last', async () => {
    const { page } = stage.window;
    const tab = await pages.tab('tab');
    await pages.focus(tab);
    await page.locator('.part.auxiliarybar .codicon-toolbar-more').first().click();
    await page.locator('.monaco-menu .action-item').filter({ hasText: 'Rename Session' }).first().click();
    const input = page.locator('.quick-input-widget input').first();
    await input.waitFor();
    await input.fill('Renamed by the menu');
    await page.keyboard.press('Enter');
    await view.chat.byId(testIds.title).filter({ hasText: 'Renamed by the menu' }).waitFor();
    assert.equal(await tab.chat.byId(testIds.title).filter({ hasText: 'Renamed' }).count(), 0);
  });

  it('J3h. a page that is moved into a window of its own: the keys act in each, there and here', async () => {
    const tab = await pages.tab('tab');
    await pages.focus(tab);
    await pages.toOwnWindow(tab);
    for (const page of [tab, view, tab]) {
      await pages.redirect(page);
      await pages.queue(page);
      await pages.stop(page);
    }
  });

  it('J3i. Ctrl+Escape in a text editor stops the session of the page that was used last, and no other', async () => {
    const tab = await pages.tab('tab');
    await openFile(stage, 'note.txt', 'one\n');
    await pages.focus(view);
    await stage.window.page.locator('.editor-instance .view-lines').last().click();
    await pages.settled();
    await pages.onlyIn(view, async () => {
      await stage.window.page.keyboard.press('Control+Escape');
      assert.equal((await view.running.closed).by, 'client');
    });
    assert.equal(tab.running.closing, undefined);
  });

  it('J3j. a text in the composer of one page is kept for a reload, though another page of the session has sent its own', async () => {
    await view.chat.type('Not sent yet');
    const other = await pages.newTab();
    await other.composer.fill('');
    await other.type('Sent from the other page');
    await other.composer.press('Alt+Enter');
    await other.chips.filter({ hasText: 'Sent from the other page' }).waitFor();
    await pages.settled();
    await stage.window.reload();
    await stage.chat.open();
    await until(async () => (await stage.chat.composer.inputValue()) === 'Not sent yet');
  });

  for (const [index, length] of lengths.entries()) {
    it(`J3f. stop, redirect and queue by key in three pages, opened, hidden, moved, loaded anew and closed in any order: ${length} steps, seed ${seed + index}`, async function () {
      this.timeout(60_000 + length * 30_000);
      const schedule = new Schedule(pages, view, seed + index);
      try {
        for (let step = 0; step < length; step++) await schedule.step();
      } catch (error) {
        throw new Error(`after ${schedule.log.join(', ')}`, { cause: error });
      }
    });
  }
});

/** Moves pages about at random, and does something by key in one of them after each move. */
class Schedule {
  readonly log: string[] = [];
  readonly #pages: PagesOnStage;
  readonly #view: ChatPage;
  #random: number;
  #covers = 0;

  constructor(pages: PagesOnStage, view: ChatPage, seed: number) {
    this.#pages = pages;
    this.#view = view;
    this.#random = seed;
  }

  async step(): Promise<void> {
    await this.#move();
    const page = this.#one(this.#pages.open);
    const act = this.#one(['stop', 'redirect', 'queue'] as const);
    this.log.push(`${act} in ${page.name}`);
    // It may be hidden.
    await this.#window.command('midcourse.openSession', page.sessionId);
    await this.#pages[act](page);
  }

  async #move(): Promise<void> {
    const tabs = this.#pages.open.filter(({ isTab }) => isTab);
    const moves = [
      ...(tabs.length < 2 ? (['open', 'open', 'open'] as const) : []),
      ...(tabs.length > 0 ? (['hide', 'right', 'left', 'below'] as const) : []),
      ...(tabs.length > 1 ? (['close'] as const) : []),
      ...(['hide view', 'reload', 'leave'] as const),
    ];
    const move = this.#one(moves);
    const tab = tabs.length > 0 ? this.#one(tabs) : undefined;
    this.log.push(move.includes('view') || !tab ? move : `${move} ${tab.name}`);
    switch (move) {
      case 'open':
        await this.#pages.tab(`tab ${this.#pages.opened}`);
        return;
      case 'hide':
        await this.#show(tab);
        await openFile(this.#pages.stage, `cover-${++this.#covers}.txt`, '');
        return;
      case 'right':
      case 'left':
      case 'below':
        await this.#show(tab);
        await this.#window.command(groupCommands[move]);
        return;
      case 'close':
        await this.#show(tab);
        await this.#window.command('workbench.action.closeActiveEditor');
        this.#pages.closed(tab ?? assert.fail());
        return;
      case 'hide view':
        await this.#pages.focus(await this.#show(this.#view));
        await this.#window.command('workbench.action.closeAuxiliaryBar');
        return;
      case 'reload':
        await this.#window.command('workbench.action.webview.reloadWebviewAction');
        return;
      case 'leave':
        await this.#window.command('workbench.action.focusFirstEditorGroup');
        return;
      default:
        move satisfies never;
    }
  }

  /** The page in front, with the focus. */
  async #show(page: ChatPage | undefined): Promise<ChatPage> {
    assert.ok(page);
    await this.#window.command('midcourse.openSession', page.sessionId);
    await this.#pages.focus(page);
    return page;
  }

  get #window() {
    return this.#pages.stage.window;
  }

  /** The same ones for the same seed. */
  #one<T>(of: readonly T[]): T {
    this.#random = (this.#random * 48_271) % 2_147_483_647;
    return of[this.#random % of.length] ?? assert.fail('nothing to choose from');
  }
}

const groupCommands = {
  right: 'workbench.action.moveEditorToRightGroup',
  left: 'workbench.action.moveEditorToLeftGroup',
  below: 'workbench.action.moveEditorToBelowGroup',
} as const;

/** Opens a file in front of the page that has the focus. */
async function openFile({ folder, window }: Stage, name: string, text: string): Promise<void> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  await window.run(async (vscode, target) => {
    await vscode.window.showTextDocument(vscode.Uri.file(target), { preview: false });
  }, file);
}
