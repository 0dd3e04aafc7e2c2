/** Slash commands and what is shown of hooks, in the page itself. */

import assert from 'node:assert/strict';
import { cardControls, type ToHost, testIds, toolCardId } from '../../../src/protocol/index.ts';
import { hookScenes } from '../../../webview/dev/hook-scenes.ts';
import { snapshot } from '../../../webview/dev/script.ts';
import { slashCommands, slashScenes } from '../../../webview/dev/slash-scenes.ts';
import { type ChatPage, Stage } from '../../../webview/dev/stage.ts';
import { until } from '../../ui/until.ts';

describe('slash commands and hooks in the page', function () {
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

  const composer = () => chat.testId(testIds.composer);
  const menu = () => chat.testId(testIds.slashMenu);
  const options = () => menu().getByRole('option');
  const sent = async <T extends ToHost['type']>(type: T) =>
    (await chat.posted()).filter((message): message is Extract<ToHost, { type: T }> => message.type === type);
  const show = async (name: string) => {
    const scene = [...slashScenes, ...hookScenes].find((one) => one.name === name);
    assert.ok(scene);
    await chat.send(...scene.messages());
    await scene.act?.(chat);
  };
  const words = async (of: ReturnType<ChatPage['testId']>) => (await of.allInnerTexts()).join('\n');
  const type = async (text: string) => {
    await composer().fill('');
    await composer().pressSequentially(text);
  };

  it('the list opens at the slash, asks the host for what there is, and stays inside of 300 px', async () => {
    await chat.send(snapshot());
    await type('/');
    // The page asks once it has painted.
    await until(async () => (await sent('listSlashCommands')).length > 0);
    assert.equal((await sent('listSlashCommands')).length, 1);
    assert.equal(await menu().count(), 0, 'nothing is known yet');
    await chat.send({ type: 'slashCommands', commands: slashCommands });
    assert.equal(await options().count(), slashCommands.length);
    const box = await menu().boundingBox();
    assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 300, JSON.stringify(box));
    assert.match(await words(options().nth(3)), /\/review[\s\S]*workspace[\s\S]*Review the changes/);
  });

  it('arrows choose, and the composer names the chosen one to screen readers', async () => {
    await show('slash');
    const active = () => composer().getAttribute('aria-activedescendant');
    assert.equal(await active(), 'slash-new');
    await composer().press('ArrowUp');
    assert.equal(await active(), 'slash-a-plugin-with-a-long-name:generate-fixtures');
    await composer().press('ArrowDown');
    await composer().press('ArrowDown');
    assert.equal(await active(), 'slash-compact');
    assert.equal(await menu().getByRole('option', { selected: true }).getAttribute('id'), 'slash-compact');
    assert.equal(await composer().getAttribute('aria-controls'), await menu().getByRole('listbox').getAttribute('id'));
  });

  it('Enter completes a part of a name and sends a whole one; Tab completes', async () => {
    await show('slash-part');
    await composer().press('Enter');
    assert.equal(await composer().inputValue(), '/review ');
    assert.equal(await menu().count(), 0);
    assert.match(await words(chat.testId(testIds.slashHint)), /\[branch or pull request\]/);
    assert.deepEqual(await sent('verb'), []);
    await composer().pressSequentially('main');
    assert.equal(await chat.testId(testIds.slashHint).count(), 0);
    await composer().press('Enter');
    const [message] = await sent('verb');
    assert.ok(message?.verb.verb === 'send');
    assert.equal(message.verb.text, '/review main');

    await type('/release');
    await composer().press('Tab');
    assert.equal(await composer().inputValue(), '/release-notes ');
    await type('/release-notes');
    await composer().press('Enter');
    assert.equal((await sent('verb')).length, 2);
  });

  it('a built-in command is run and nothing is sent, chosen from the list or typed', async () => {
    await show('slash');
    await type('/com');
    await composer().press('Enter');
    assert.equal(await composer().inputValue(), '');
    await type('/new Mend the tests');
    await composer().press('Enter');
    assert.deepEqual(
      (await sent('runSlashCommand')).map(({ text }) => text),
      ['/compact', '/new Mend the tests'],
    );
    assert.deepEqual(await sent('verb'), []);
  });

  it('a path is sent as it is, and no list stands in its way', async () => {
    await show('slash');
    await type('/etc/hosts');
    assert.equal(await menu().count(), 0);
    await composer().press('Enter');
    const [message] = await sent('verb');
    assert.ok(message?.verb.verb === 'send');
    assert.equal(message.verb.text, '/etc/hosts');
  });

  it('a click chooses without taking the focus from the composer', async () => {
    await show('slash');
    await options().nth(4).click();
    assert.equal(await composer().inputValue(), '/release-notes ');
    assert.equal(await composer().evaluate((field) => field === document.activeElement), true);
  });

  it('a long list is cut, says how many more there are, and keeps the chosen one in view', async () => {
    await show('slash-many');
    assert.equal(await options().count(), 60);
    assert.match(await words(menu()), /30 more: type a part of the name/);
    await composer().press('ArrowUp');
    const [option, box] = [await options().nth(59).boundingBox(), await menu().boundingBox()];
    assert.ok(option && box && option.y >= box.y && option.y + option.height <= box.y + box.height);
  });

  it('a command that has done its work leaves no message behind', async () => {
    await chat.send(snapshot());
    await type('/ask');
    await composer().press('Enter');
    assert.equal(await chat.testId(testIds.userMessage).count(), 1);
    await chat.replyEach('verb', (message) => {
      assert.ok('id' in message.verb);
      return { id: message.verb.id, verb: 'send', seq: 1, outcome: 'changed' };
    });
    await chat.testId(testIds.userMessage).waitFor({ state: 'detached' });
  });

  it('a blocked call names the hook and why; open it says all and leads to the hook', async () => {
    await show('hook-blocked');
    const card = chat.testId(toolCardId('h1'));
    assert.match(await words(card), /Blocked by \.\/scripts\/guard-migrations\.sh · Nothing below migrations/);
    await card.getByTestId(cardControls.toggle).click();
    assert.match(await words(card.getByTestId(cardControls.hookWords)), /npm run migration:create instead/);
    await card.getByTestId(cardControls.showHook).click();
    assert.deepEqual(await sent('runCommand'), [
      { type: 'runCommand', command: 'midcourse.manageHooks', hook: './scripts/guard-migrations.sh' },
    ]);
  });

  it('a call that a hook changed says so, and so does an answer that a hook had go on', async () => {
    await show('hook-blocked');
    assert.match(await words(chat.testId(toolCardId('h2'))), /Arguments changed by \.\/scripts\/quiet-tests\.sh/);
    const goOn = chat.testId(testIds.goOn);
    assert.match(await words(goOn), /\.\/scripts\/lint\.sh had it go on\s+src\/cart\.js:4 is not formatted/);
  });

  it('the line of what goes on names the hook that is waited for, and for how long', async () => {
    await show('hook-waits');
    assert.match(await words(chat.testId(testIds.activity)), /Waiting for hook \.\/scripts\/ask-the-team[\s\S]*1\d s/);
  });

  it('words of a hook for the person stand quietly in the conversation', async () => {
    await show('hook-says');
    assert.match(await words(chat.testId(testIds.mark)), /12 commits behind main/);
  });
});
