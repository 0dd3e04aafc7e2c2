import assert from 'node:assert/strict';
import { approvalCardId, cardControls, testIds } from '../../src/protocol/index.ts';
import { hookScenes } from '../../webview/dev/hook-scenes.ts';
import { slashCommands } from '../../webview/dev/slash-scenes.ts';
import { type ChatPage, Stage } from '../../webview/dev/stage.ts';

describe('Escape in the chat while a turn runs', function () {
  this.timeout(240_000);
  let stage: Stage;
  let chat: ChatPage;

  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());

  beforeEach(async () => {
    chat = await stage.chat();
    const asks = hookScenes.find(({ name }) => name === 'hook-asks');
    await chat.send(...(asks?.messages() ?? []), { type: 'slashCommands', commands: slashCommands });
    await chat.page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      // As VS Code listens: what arrives here becomes the keybinding that stops the turn.
      window.addEventListener('keydown', (event) => seen.push(event.key));
    });
  });
  afterEach(() => chat.page.close());

  const reached = () => chat.page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen.includes('Escape'));
  const composer = () => chat.testId(testIds.composer);

  it('F4. Escape in the card that a hook asked for leads to the composer and stops nothing', async () => {
    await chat.testId(approvalCardId('h3')).getByTestId(cardControls.allow).press('Escape');
    assert.equal(await reached(), false);
    assert.equal(await composer().evaluate((field) => field === document.activeElement), true);
    assert.equal(await chat.testId(approvalCardId('h3')).count(), 1, 'it is neither denied nor gone');
  });

  it('F4. Escape in the list of slash commands closes the list, the next one reaches the editor', async () => {
    await composer().fill('/');
    await composer().press('Escape');
    assert.equal(await chat.testId(testIds.slashMenu).count(), 0);
    assert.equal(await reached(), false);
    assert.equal(await composer().inputValue(), '/');
    await composer().press('Escape');
    assert.equal(await reached(), true);
  });
});
