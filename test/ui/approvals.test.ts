import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cardControls, testIds } from '../../src/protocol/test-ids.ts';
import { resultTexts, userTexts } from './requests.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

describe('approvals', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('approvals');
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  it('tells the model why the user said no', async () => {
    const { chat } = stage;
    proposes(stage, 'deny-1', 'touch denied');
    await chat.send('Make a file');
    const card = chat.approval('deny-1');
    await card.getByTestId(cardControls.deny).click();
    await card.getByTestId(cardControls.denyReason).fill('use the folder tmp');
    await chat.answer(card, cardControls.denyConfirm);
    await chat.turnsEnded(1);
    await chat.tool('deny-1').filter({ hasText: 'denied' }).waitFor();
    assert.match(lastResult(stage), /use the folder tmp/);
    await assert.rejects(stage.file('denied'), /ENOENT/);
  });

  it('asks no more for what is always allowed, and asks again once that is taken back in the settings', async () => {
    const { chat, window } = stage;
    proposes(stage, 'always-1', 'node --version');
    await chat.send('Which version?');
    const card = chat.approval('always-1');
    await chat.answer(card, cardControls.allowMenuButton, cardControls.allowAlways);
    await chat.turnsEnded(1);
    const rules = () => allowedRules(stage);
    await until(async () => JSON.stringify(await rules()).includes('node'));

    await chat.newSession();
    proposes(stage, 'always-2', 'node --version');
    await chat.send('Which version, again?');
    await chat.turnsEnded(1);
    assert.match(lastResult(stage), /v\d+\./);

    const asked = window.command('midcourse.manageApprovals');
    const picker = window.page.locator('.quick-input-widget');
    await picker.getByText('node --version').first().click();
    await picker.getByText('1 Selected').waitFor();
    await picker.getByText('OK', { exact: true }).click();
    await asked;
    await until(async () => !JSON.stringify(await rules()).includes('node'));

    await chat.newSession();
    proposes(stage, 'always-3', 'node --version');
    await chat.send('And now?');
    await chat.answer(chat.approval('always-3'), cardControls.allow);
    await chat.turnsEnded(1);
  });

  it('allows for one session and asks again in another', async () => {
    const { chat, server } = stage;
    server.script(
      { steps: [terminal('session-1', 'npm --version')] },
      { steps: [terminal('session-2', 'npm --version')] },
      { steps: [{ text: 'Twice.' }] },
    );
    await chat.send('Run it twice');
    await chat.answer(chat.approval('session-1'), cardControls.allowMenuButton, cardControls.allowSession);
    await chat.turnsEnded(1);
    await chat.answers.filter({ hasText: 'Twice.' }).waitFor();
    assert.equal(resultTexts(stage.modelRequests.at(-1) ?? assert.fail()).length, 2);
    await chat.newSession();
    proposes(stage, 'session-3', 'npm --version');
    await chat.send('Run it');
    await chat.answer(chat.approval('session-3'), cardControls.allow);
    await chat.turnsEnded(1);
  });

  it('offers nothing lasting for a command that destroys', async () => {
    const { chat } = stage;
    proposes(stage, 'destroy-1', 'rm -rf src');
    await chat.send('Clean up');
    const card = chat.approval('destroy-1');
    await card.filter({ hasText: 'asked every time' }).waitFor();
    assert.equal(await card.getByTestId(cardControls.allowMenuButton).count(), 0);
    await card.getByTestId(cardControls.deny).click();
    await chat.answer(card, cardControls.denyConfirm);
    await chat.turnsEnded(1);
    assert.match(await stage.file('src/cart.js'), /total/);
  });

  it('shows an open card again in a view that was hidden, and in a page that was loaded anew', async () => {
    const { chat, window } = stage;
    proposes(stage, 'again-1', 'touch again');
    await chat.send('Make a file');
    const card = chat.approval('again-1');
    await card.waitFor();
    await window.command('workbench.action.closeAuxiliaryBar');
    await card.waitFor({ state: 'hidden' });
    await chat.open();
    await card.waitFor();
    await reloadPage(stage);
    await chat.answer(card, cardControls.allow);
    await chat.turnsEnded(1);
    assert.equal(await stage.file('again'), '');
  });

  it('never takes a text for an approval: the card closes and nothing is run', async () => {
    const { chat } = stage;
    proposes(stage, 'text-1', 'touch by-text');
    await chat.send('Make a file');
    await chat.approval('text-1').waitFor();
    await chat.byId(testIds.send).filter({ hasText: 'Steer · cancels this approval' }).waitFor();
    await chat.send('yes, allow it');
    await chat.turnsEnded(1);
    await assert.rejects(stage.file('by-text'), /ENOENT/);
    await chat.tool('text-1').filter({ hasText: 'withdrawn' }).waitFor();
    const request = stage.modelRequests.at(-1) ?? assert.fail();
    assert.deepEqual(userTexts(request), ['Make a file', 'yes, allow it']);
    assert.match(lastResult(stage), /Not run/);
  });

  it('leads from the card to the composer by Escape, which neither denies nor stops', async () => {
    const { chat } = stage;
    proposes(stage, 'escape-1', 'touch escaped');
    await chat.send('Make a file');
    const card = chat.approval('escape-1');
    await card.getByTestId(cardControls.allow).press('Escape');
    await chat.frame.locator(`[data-testid=${testIds.composer}]:focus`).waitFor();
    await card.waitFor();
    await chat.byId(testIds.stop).waitFor();
    assert.equal(await chat.byId(testIds.turnStopped).count(), 0);
    await chat.answer(card, cardControls.allow);
    await chat.turnsEnded(1);
    assert.equal(await stage.file('escaped'), '');
  });

  it('masks a word that is wholly a key, and nothing else of a command', async () => {
    const { chat } = stage;
    const secret = 'sk-live-0123456789abcdefghijkl';
    proposes(stage, 'secret-1', `echo ${secret} > header`);
    await chat.send('Write the header');
    const card = chat.approval('secret-1');
    await card.waitFor();
    assert.equal((await card.textContent())?.includes(secret), false);
    await card.filter({ hasText: `echo ${'•'.repeat(secret.length)} > header` }).waitFor();
    await chat.answer(card, cardControls.allow);
    await chat.turnsEnded(1);
    assert.equal((await chat.byId(testIds.transcript).textContent())?.includes(secret), false);
    assert.match(await stage.file('header'), new RegExp(secret), 'what runs is not changed');
  });

  it('asks before it reads a file that may hold keys', async () => {
    const { chat, server } = stage;
    await writeFile(path.join(stage.folder, '.env'), 'TOKEN=abc\n');
    server.script(
      { steps: [{ call: { id: 'env-1', name: 'read_file', input: { path: '.env' } } }] },
      { steps: [{ text: 'As you wish.' }] },
    );
    await chat.send('Read the environment');
    const card = chat.approval('env-1');
    await card.getByTestId(cardControls.deny).click();
    await chat.answer(card, cardControls.denyConfirm);
    await chat.turnsEnded(1);
    assert.equal(lastResult(stage).includes('abc'), false);
  });
});

/** The model asks for one command and is content with whatever comes of it. */
function proposes({ server }: Stage, id: string, command: string): void {
  server.script({ steps: [terminal(id, command)] }, { steps: [{ text: 'As you wish.' }] });
}

function terminal(id: string, command: string) {
  return { call: { id, name: 'terminal', input: { command } } };
}

function lastResult(stage: Stage): string {
  const request = stage.modelRequests.at(-1);
  assert.ok(request, 'a request');
  return resultTexts(request).at(-1) ?? '';
}

/** Loads the chat's page anew and waits for the new one. */
async function reloadPage({ chat, window }: Stage): Promise<void> {
  const root = chat.byId(testIds.root);
  await root.evaluate(() => Reflect.set(globalThis, 'isOldPage', true));
  await window.command('workbench.action.webview.reloadWebviewAction');
  // The page may go while it is asked.
  await until(() => root.evaluate(() => Reflect.get(globalThis, 'isOldPage') !== true).catch(() => false));
}

function allowedRules({ window }: Stage): Promise<unknown> {
  return window.run((vscode) => vscode.workspace.getConfiguration('midcourse').get('approvals.allowed'));
}
