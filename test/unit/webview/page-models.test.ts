/** The pickers of model and effort and what the session cost, in the page itself. */

import assert from 'node:assert/strict';
import type { ToHost } from '../../../src/protocol/index.ts';
import { testIds } from '../../../src/protocol/index.ts';
import { modelScenes } from '../../../webview/dev/model-scenes.ts';
import { type ChatPage, Stage } from '../../../webview/dev/stage.ts';

describe('models, usage and cost in the page', function () {
  this.timeout(240_000);
  let stage: Stage;
  let chat: ChatPage;

  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());
  beforeEach(async () => {
    chat = await stage.chat({ width: 300 });
  });
  afterEach(async () => {
    assert.deepEqual(chat.problems, []);
    await chat.page.close();
  });

  const show = async (name: string) => {
    const scene = modelScenes.find((one) => one.name === name);
    assert.ok(scene);
    await chat.send(...scene.messages());
    await scene.act?.(chat);
  };
  const sent = async <T extends ToHost['type']>(type: T) =>
    (await chat.posted()).filter((message): message is Extract<ToHost, { type: T }> => message.type === type);
  const press = (key: string) => chat.page.keyboard.press(key);
  const isInside = async (id: string) => {
    const box = await chat.testId(id).boundingBox();
    assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 300, `${id}: ${JSON.stringify(box)}`);
  };

  it('a model is searched and chosen by the keyboard alone, and the focus comes back', async () => {
    await show('models');
    await isInside(testIds.modelMenu);
    await chat.testId(testIds.modelSearch).fill('claude');
    await press('ArrowDown');
    await press('Enter');
    assert.deepEqual(await sent('selectModel'), [{ type: 'selectModel', ref: 'anthropic/claude-opus-4-5' }]);
    assert.equal(await chat.testId(testIds.modelMenu).count(), 0);
    assert.equal(await focusedId(), testIds.modelPicker);
  });

  it('the arrows go round, and Escape closes the list without a choice', async () => {
    await show('models');
    const active = () => chat.testId(testIds.modelSearch).getAttribute('aria-activedescendant');
    assert.equal(await active(), 'model-anthropic/claude-sonnet-4-5', 'the one in use');
    await press('ArrowUp');
    assert.equal(await active(), 'model-ollama/qwen3:8b');
    await press('ArrowDown');
    assert.equal(await active(), 'model-anthropic/claude-sonnet-4-5');
    await press('Escape');
    assert.equal(await chat.testId(testIds.modelMenu).count(), 0);
    assert.deepEqual(await sent('selectModel'), []);
  });

  it('the effort is chosen from the ladder of the model, beginning at the one in use', async () => {
    await show('effort');
    await isInside(testIds.effortMenu);
    assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-checked')), 'true');
    await press('ArrowUp');
    await press('Enter');
    assert.deepEqual(await sent('selectEffort'), [{ type: 'selectEffort', effort: 'medium' }]);
    assert.equal(await focusedId(), testIds.effortPicker);
  });

  it('there is no effort to choose where the model takes none', async () => {
    await show('cost-unknown');
    assert.equal(await chat.testId(testIds.effortPicker).count(), 0);
  });

  it('what is nearly used up is said by the button and in words in its popover', async () => {
    await show('cost');
    await isInside(testIds.costPopover);
    const label = await chat.testId(testIds.cost).getAttribute('aria-label');
    assert.match(label ?? '', /This session cost \$1\.87\. Today: used up/);
    const [words = ''] = await chat.testId(testIds.costPopover).allInnerTexts();
    assert.match(words, /Today\s+\$5\.02 of \$5\.00\s+used up: no request goes out/);
    assert.match(words, /Requests a minute[\s\S]*little left/);
  });

  it('the context says what fills it, and that it is nearly full', async () => {
    await show('context-full');
    await isInside(testIds.contextPopover);
    const [words = ''] = await chat.testId(testIds.contextPopover).allInnerTexts();
    assert.match(words, /Nearly full/);
    assert.match(words, /Conversation\s+156k/);
  });

  it('an answer that went on reads as one, and what happened on the way stands beside it', async () => {
    await show('went-on');
    const texts = await chat.testId(testIds.assistantText).allInnerTexts();
    assert.equal(texts.length, 1);
    assert.match(texts[0] ?? '', /Each line has a price and a quantity/);
    assert.equal(await chat.testId(testIds.mark).count(), 2);
  });

  const focusedId = () => chat.page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
});
