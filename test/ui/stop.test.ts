import assert from 'node:assert/strict';
import path from 'node:path';
import { cardControls, testIds } from '../../src/protocol/test-ids.ts';
import type { Answer } from '../model-server/index.ts';
import { processesWith } from './processes.ts';
import { resultTexts } from './requests.ts';
import { Stage, type Wire } from './stage.ts';
import { until } from './until.ts';

/** A point of a turn at which the user stops it. */
interface Moment {
  readonly name: string;
  readonly answer: Answer;
  /** Resolves when the chat shows that the turn is there. */
  reached(stage: Stage): Promise<unknown>;
  /** What the line of the stopped turn says. */
  readonly phase: string;
  /** What must hold when the turn has ended. */
  after?(stage: Stage): Promise<unknown>;
}

const seconds = 7411;

const moments: readonly Moment[] = [
  {
    name: 'before the first byte',
    answer: { steps: [{ text: 'Never read' }], holdHead: true },
    reached: ({ chat }) => chat.byId(testIds.activity).filter({ hasText: 'Waiting for the model' }).waitFor(),
    phase: 'while the model answered',
    after: async (stage) => assert.equal(await stage.chat.answers.count(), 0),
  },
  {
    name: 'in the middle of a text',
    answer: { steps: [{ text: 'Half of it' }, { pause: 'rest' }, { text: 'never' }] },
    reached: ({ chat }) => chat.answers.filter({ hasText: 'Half of it' }).waitFor(),
    phase: 'while the model answered',
    after: ({ chat }) => chat.answers.filter({ hasText: 'Half of it' }).waitFor(),
  },
  {
    name: 'in the middle of the arguments of a call',
    answer: {
      steps: [{ call: { id: 'torn', name: 'terminal', arguments: '{"command":"touch torn' } }, { pause: 'rest' }],
    },
    reached: ({ chat }) => chat.byId(testIds.activity).filter({ hasText: 'Preparing a command' }).waitFor(),
    phase: 'while the model answered',
  },
  {
    name: 'while it waits to try again',
    answer: { status: 503, body: { error: { message: 'Overloaded', type: 'overloaded_error' } } },
    reached: ({ chat }) =>
      chat
        .byId(testIds.activity)
        .filter({ hasText: /Trying again in \d+ s/ })
        .waitFor(),
    phase: 'while it waited to try again',
    after: async (stage) => assert.equal(stage.modelRequests.length, 1, 'nothing is asked again by itself'),
  },
  {
    name: 'while an approval is open',
    answer: { steps: [{ call: { id: 'ask', name: 'terminal', input: { command: 'touch asked' } } }] },
    reached: ({ chat }) => chat.frame.getByTestId(/^approval-/).waitFor(),
    phase: 'while an approval was open',
    after: ({ chat }) =>
      chat.frame
        .getByTestId(/^tool-/)
        .filter({ hasText: 'withdrawn' })
        .waitFor(),
  },
  {
    name: 'while a question is open',
    answer: { steps: [{ call: { name: 'ask_user', input: { question: 'Which one?', choices: ['A', 'B'] } } }] },
    reached: ({ chat }) => chat.frame.locator('article.question').waitFor(),
    phase: 'while a question was open',
  },
  {
    name: 'while a command runs',
    answer: { steps: [{ text: 'I run it.' }, { call: { name: 'terminal', input: { command: `sleep ${seconds}` } } }] },
    async reached({ chat }) {
      await chat.answer(chat.frame.getByTestId(/^approval-/), cardControls.allow);
      await until(async () => (await processesWith(`sleep ${seconds}`)).length > 0);
      await chat.byId(cardControls.stopCommand).waitFor();
    },
    phase: 'while a tool ran',
    after: async () => assert.deepEqual(await processesWith(`sleep ${seconds}`), []),
  },
];

const ways: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'its button': ({ chat }) => chat.byId(testIds.stop).click(),
  Escape: ({ chat }) => chat.composer.press('Escape'),
  'Ctrl+Escape in the editor': async ({ window, folder }) => {
    await window.run(
      (vscode, file) => Promise.resolve(vscode.window.showTextDocument(vscode.Uri.file(file))).then(() => undefined),
      path.join(folder, 'README.md'),
    );
    await window.page.locator('.editor-instance .view-lines').first().click();
    await window.page.keyboard.press('Control+Escape');
  },
};

const suites: readonly (readonly [Wire, readonly string[]])[] = [
  ['openai-chat', ['its button', 'Escape']],
  ['anthropic', ['Ctrl+Escape in the editor']],
];

for (const [wire, keys] of suites) {
  describe(`stop in every phase (${wire})`, () => {
    let stage: Stage;

    before(async function () {
      this.timeout(300_000);
      stage = await Stage.start(`stop-${wire}`, { wire });
    });
    beforeEach(() => stage.fresh());
    after(() => stage.close());

    for (const key of keys) {
      for (const moment of moments) {
        it(`ends the turn ${moment.name} by ${key}`, async () => {
          const { chat, server } = stage;
          server.script(moment.answer);
          await chat.send('Do something');
          const request = await stage.nextRequest();
          await moment.reached(stage);
          await ways[key]?.(stage);
          await chat
            .byId(testIds.turnStopped)
            .filter({ hasText: `Stopped by you ${moment.phase}.` })
            .waitFor();
          await chat.byId(testIds.stop).waitFor({ state: 'hidden' });
          if (request.pausedAt !== undefined) assert.equal((await request.closed).by, 'client');
          await moment.after?.(stage);

          await chat.send('Go on');
          await chat.turnsEnded(2);
          for (const sent of stage.modelRequests) assert.equal(sent.invalid, undefined);
          assert.match(JSON.stringify(stage.modelRequests.at(-1)?.body), /stopped your previous turn/);
        });
      }
    }
  });
}

describe('stop and hooks', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('stop-hooks');
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  it('gives the text back when it is stopped before the first request, while a hook thinks', async () => {
    const { chat } = stage;
    const release = await hangingHook(stage, 'pre_llm_call');
    await chat.send('A text that nobody has read');
    await chat.byId(testIds.stop).click();
    await chat.byId(testIds.stop).waitFor({ state: 'hidden' });
    await until(async () => (await chat.composer.inputValue()) === 'A text that nobody has read');
    assert.equal(stage.modelRequests.length, 0);
    await release();
  });

  it('is idle at once after the answer, whatever a hook of the end does', async () => {
    const { chat, server } = stage;
    const release = await hangingHook(stage, 'post_llm_call');
    server.script({ steps: [{ text: 'Done.' }] });
    await chat.send('Do it');
    await chat.turnsEnded(1);
    await chat.composer.press('Escape');
    await chat.send('And the next');
    await chat.turnsEnded(2);
    assert.equal(await chat.byId(testIds.turnStopped).count(), 0);
    assert.deepEqual(resultTexts(await stage.nextRequest()), []);
    await release();
  });
});

/** Registers a hook that answers only when it is released. */
async function hangingHook({ window }: Stage, event: 'pre_llm_call' | 'post_llm_call'): Promise<() => Promise<void>> {
  await window.run(async (vscode, name) => {
    const api = await vscode.extensions.getExtension('midcourse.midcourse')?.activate();
    const answer = Promise.withResolvers<void>();
    const registration = api.hooks.on(name, () => answer.promise);
    Reflect.set(globalThis, 'releaseHook', () => {
      registration.dispose();
      answer.resolve();
    });
  }, event);
  return () => window.run(() => Reflect.get(globalThis, 'releaseHook')());
}
