import assert from 'node:assert/strict';
import { testIds } from '../../src/protocol/test-ids.ts';
import type { EditorWindow } from '../harness/index.ts';
import { assistantTexts, userTexts } from './requests.ts';
import { Stage } from './stage.ts';

describe('two windows on one workspace', () => {
  let stage: Stage;
  let second: EditorWindow;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('windows');
  });
  beforeEach(() => stage.fresh());
  afterEach(async () => {
    await second.close();
    second.problems.assertNone();
  });
  after(() => stage.close());

  const openSecond = async () => {
    second = await stage.editor.open({ folder: stage.folder });
    second.page.setDefaultTimeout(90_000);
    await second.chat.open();
    return second.chat;
  };

  it('let one take over what the other runs: the turn stops there and the conversation goes on here', async () => {
    const { chat, server } = stage;
    server.script({ steps: [{ text: 'Half of the answer' }, { pause: 'rest' }, { text: ' never' }] });
    await chat.send('A long task');
    const running = await stage.nextRequest();
    await running.paused('rest');

    const other = await openSecond();
    await other.userMessages.filter({ hasText: 'A long task' }).waitFor();
    const bar = other.byId(testIds.readOnlyBar);
    await bar.filter({ hasText: 'running in another window' }).waitFor();
    assert.equal(await other.byId(testIds.send).count(), 0);
    await other.byId(testIds.takeOver).click();
    await bar.waitFor({ state: 'detached' });
    await other.answers.filter({ hasText: 'Half of the answer' }).waitFor();
    const stopped = 'Stopped by another window while the model answered. It took this session over.';
    await other.byId(testIds.turnStopped).filter({ hasText: stopped }).waitFor();
    await chat.byId(testIds.turnStopped).filter({ hasText: stopped }).waitFor();
    assert.equal((await running.closed).by, 'client');

    server.script({ steps: [{ text: 'From the second window.' }] });
    await other.send('Go on here');
    await other.answers.filter({ hasText: 'From the second window.' }).waitFor();
    const request = await stage.nextRequest();
    assert.equal(request.invalid, undefined);
    assert.ok(assistantTexts(request).some((text) => text.includes('Half of the answer')));
    assert.ok(userTexts(request).some((text) => text.includes('Go on here')));
    await chat.answers.filter({ hasText: 'From the second window.' }).waitFor();
  });

  it('stop together by Stop everything in one of them', async () => {
    const { chat, server } = stage;
    server.script({ steps: [{ text: 'Half of the answer' }, { pause: 'rest' }, { text: ' never' }] });
    await chat.send('A long task');
    const running = await stage.nextRequest();
    await running.paused('rest');
    await openSecond();
    await second.command('midcourse.stopEverything');
    await chat.byId(testIds.turnStopped).filter({ hasText: 'Stopped by you' }).waitFor();
    assert.equal((await running.closed).by, 'client');
    await stage.window.page.getByText('Stopped here: 1 turn.').first().waitFor();
    await second.page.getByText('Nothing was running in this window.').first().waitFor();
  });

  it('offer to go on with a turn whose window was closed', async () => {
    const { server } = stage;
    server.script({ steps: [{ text: 'Half of the answer' }, { pause: 'rest' }, { text: ' never' }] });
    const other = await openSecond();
    await other.newSession();
    await other.send('A long task');
    await (await stage.nextRequest()).paused('rest');
    await second.reload();
    await other.open();
    const end = other.byId(testIds.turnStopped).filter({ hasText: 'the window was closed or reloaded' });
    await end.waitFor();
    server.script({ steps: [{ text: 'The other half.' }] });
    await end.getByTestId(testIds.turnContinue).click();
    await other.answers.filter({ hasText: 'The other half.' }).waitFor();
    assert.equal(stage.modelRequests.at(-1)?.invalid, undefined);
  });
});
