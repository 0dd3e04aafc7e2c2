import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { agentCardId, backgroundAgentId, cardControls, testIds } from '../../src/protocol/test-ids.ts';
import type { Answer, RecordedRequest } from '../model-server/index.ts';
import { resultTexts, userTexts } from './requests.ts';
import { Stage, wires } from './stage.ts';

/** Answers of the model, by the words with which a conversation began: agents ask side by side. */
type Scripts = Readonly<Record<string, readonly Answer[]>>;

const holds = (text: string): Answer => ({ steps: [{ text }, { pause: 'rest' }, { text: ' never' }] });

for (const wire of wires) {
  describe(`delegated agents (${wire})`, () => {
    let stage: Stage;

    before(async function () {
      this.timeout(300_000);
      stage = await Stage.start(`agents-${wire}`, { wire });
    });
    beforeEach(() => stage.fresh());
    after(() => stage.close());

    it('say what they do, ask with their name, can be looked into and stopped one by one', async () => {
      const { chat } = stage;
      script(stage, {
        Prepare: [
          { steps: [delegate('d1', 'maker', 'Make the file'), delegate('d2', 'looker', 'Look around')] },
          { steps: [{ text: 'All done.' }] },
        ],
        'Make the file': [
          { steps: [call('m1', 'terminal', { command: 'touch made' })] },
          { steps: [{ text: 'I made it.' }] },
        ],
        'Look around': [{ steps: [call('l1', 'read_file', { path: 'README.md' })] }, holds('Half of a look')],
      });
      await chat.send('Prepare');
      const [maker, looker] = [card(stage, 'd1'), card(stage, 'd2')];
      await maker.filter({ hasText: 'waiting for you' }).waitFor();
      const approval = chat.approval('m1');
      await approval.getByRole('heading', { name: /^Agent maker wants to run a command/ }).waitFor();
      await chat.byId(testIds.activity).filter({ hasText: 'Agent maker is waiting for you' }).waitFor();

      await looker.getByTestId(cardControls.toggle).click();
      await looker.getByTestId(cardControls.agentTranscript).filter({ hasText: 'Read README.md' }).waitFor();
      await (await requestOf(stage, 'Look around', 1)).paused('rest');
      await looker.getByTestId(cardControls.stopAgent).click();
      await looker.filter({ hasText: 'interrupted' }).waitFor();
      assert.equal((await (await requestOf(stage, 'Look around', 1)).closed).by, 'client');
      await approval.waitFor();

      await chat.answer(approval, cardControls.allow);
      await maker.filter({ hasText: 'finished' }).waitFor();
      await chat.turnsEnded(1);
      await chat.answers.filter({ hasText: 'All done.' }).waitFor();
      await stage.file('made');
      const [made, looked] = resultTexts(await requestOf(stage, 'Prepare', 1));
      assert.match(made ?? '', /I made it\./);
      assert.match(looked ?? '', /was interrupted/);
      for (const request of stage.modelRequests) assert.equal(request.invalid, undefined);
    });

    it('are all ended by Stop, which the next request is told', async () => {
      const { chat } = stage;
      script(stage, {
        Prepare: [{ steps: [delegate('d1', 'one', 'First'), delegate('d2', 'two', 'Second')] }, { steps: [] }],
        First: [holds('Half of one')],
        Second: [holds('Half of two')],
      });
      await chat.send('Prepare');
      const requests = await Promise.all(['First', 'Second'].map((task) => requestOf(stage, task, 0)));
      await Promise.all(requests.map((request) => request.paused('rest')));
      await chat.byId(testIds.activity).filter({ hasText: '2 agents are working' }).waitFor();
      await chat.byId(testIds.stop).click();
      await chat.byId(testIds.turnStopped).waitFor();
      for (const id of ['d1', 'd2']) await card(stage, id).filter({ hasText: 'interrupted' }).waitFor();
      for (const request of requests) assert.equal((await request.closed).by, 'client');
      await chat.send('And now?');
      await chat.turnsEnded(2);
      assert.equal(stage.modelRequests.filter((request) => userTexts(request)[0] !== 'Prepare').length, 2);
    });

    it('go on in the background while the turn does, and stand above the composer until they end', async () => {
      const { chat } = stage;
      script(stage, {
        Prepare: [{ steps: [delegate('d1', 'slow', 'Take long')] }, { steps: [{ text: 'I go on without it.' }] }],
        'Take long': [holds('Half')],
      });
      await chat.send('Prepare');
      await (await requestOf(stage, 'Take long', 0)).paused('rest');
      await card(stage, 'd1').getByTestId(cardControls.moveToBackground).click();
      await chat.turnsEnded(1);
      await card(stage, 'd1').filter({ hasText: 'in background' }).waitFor();
      const line = chat.byId(testIds.background).getByTestId(new RegExp(`^${backgroundAgentId('')}`));
      await line.filter({ hasText: 'slow' }).waitFor();
      await line.getByTestId(cardControls.end).click();
      await card(stage, 'd1').filter({ hasText: 'interrupted' }).waitFor();
      await line.waitFor({ state: 'detached' });
    });
  });
}

describe('the list of agents and background commands', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('process-list');
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  it('ends an agent while it is open, keeps it as ended, and shows what it did', async () => {
    const { chat, window } = stage;
    script(stage, {
      Prepare: [{ steps: [delegate('d1', 'slow', 'Take long', true)] }, { steps: [{ text: 'It works by itself.' }] }],
      'Take long': [holds('Half')],
    });
    await chat.send('Prepare');
    await chat.turnsEnded(1);
    await (await requestOf(stage, 'Take long', 0)).paused('rest');
    await window.command('midcourse.showProcesses');
    const row = window.page.locator('.quick-input-widget .quick-input-list-entry').filter({ hasText: 'slow' });
    await row.filter({ hasText: 'running' }).hover();
    await row.getByRole('button', { name: 'Stop this agent' }).click();
    await row.filter({ hasText: 'interrupted' }).waitFor();
    await window.page.keyboard.press('Enter');
    await window.page.locator('.editor-instance').filter({ hasText: 'Take long' }).waitFor();
  });
});

function card({ chat }: Stage, callId: string): Locator {
  return chat.byId(agentCardId(callId));
}

function call(id: string, name: string, input: unknown) {
  return { call: { id, name, input } };
}

function delegate(id: string, name: string, task: string, background = false) {
  return call(id, 'delegate', { name, task, ...(background && { background }) });
}

function script({ server }: Stage, scripts: Scripts): void {
  const left = new Map(Object.entries(scripts).map(([first, answers]) => [first, [...answers]]));
  server.fallback = (request) => left.get(userTexts(request)[0] ?? '')?.shift() ?? { steps: [{ text: 'Well.' }] };
}

/** The request of that conversation with that index; waits for it. */
async function requestOf(stage: Stage, first: string, index: number): Promise<RecordedRequest> {
  for (let seen = 0; ; seen++) {
    const found = stage.modelRequests.filter((request) => userTexts(request)[0] === first)[index];
    if (found) return found;
    await stage.server.request(seen);
  }
}
