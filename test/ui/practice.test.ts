import assert from 'node:assert/strict';
import { cardControls, testIds } from '../../src/protocol/test-ids.ts';
import { processesWith } from './processes.ts';
import { Stage } from './stage.ts';

describe('the practice model', () => {
  let stage: Stage;

  before(async function () {
    this.timeout(300_000);
    stage = await Stage.start('practice', {
      settings: { 'midcourse.model': 'practice/rehearsal', 'midcourse.providers': undefined },
    });
  });
  beforeEach(() => stage.fresh());
  after(() => stage.close());

  it('says that it is a rehearsal', async () => {
    const { chat } = stage;
    await chat.byId(testIds.header).filter({ hasText: 'rehearsal' }).waitFor();
    await chat.byId(testIds.empty).filter({ hasText: 'The practice model answers' }).waitFor();
  });

  it('mends the failing test of the sample with real edits and commands', async function () {
    this.timeout(300_000);
    const { chat } = stage;
    await chat.send('Fix the failing test');
    const card = chat.frame.locator('article.approval');
    await card.filter({ hasText: 'node --test' }).waitFor();
    await chat.answer(card, cardControls.allow);
    await card.filter({ hasText: 'Edit src/cart.js' }).waitFor();
    await chat.answer(card, cardControls.allow);
    await card.filter({ hasText: 'node --test' }).waitFor();
    await chat.answer(card, cardControls.allow);
    await chat.answers.filter({ hasText: 'All tests pass.' }).waitFor();
    await chat.turnsEnded(1);
    assert.match(await stage.file('src/cart.js'), /line\.price \* line\.quantity/);
  });

  it('rehearses stop, then steer, then redirect', async function () {
    this.timeout(300_000);
    const { chat } = stage;
    const card = chat.frame.locator('article.approval');
    const question = chat.frame.locator('article.question');
    const choose = (choice: string) =>
      chat.answer(question, question.getByTestId(cardControls.choice).filter({ hasText: choice }));

    await chat.send('Try stop, steer and redirect');
    await choose('Stop a running command');
    await chat.answer(card, cardControls.allow);
    await chat.frame.getByTestId(cardControls.output).filter({ hasText: 'step 1 of 20' }).waitFor();
    await chat.composer.press('Escape');
    await chat.byId(testIds.turnStopped).filter({ hasText: 'while a tool ran' }).waitFor();
    assert.deepEqual(await processesWith('do echo "step $i of 20"; sleep 1'), []);

    await chat.send('Try stop, steer and redirect');
    await chat.answers.filter({ hasText: 'You stopped me before.' }).waitFor();
    await choose('Steer: add a hint while it works');
    await chat.answer(card, cardControls.allow);
    await chat.byId(cardControls.stopCommand).waitFor();
    await chat.send('say it in short words');
    await chat.chips.filter({ hasText: 'say it in short words' }).waitFor();
    await chat.answers.filter({ hasText: 'You steered me: “say it in short words”' }).waitFor();
    await chat.send('Talk about something else', 'Control+Enter');
    await chat.answers.filter({ hasText: 'You redirected me: “Talk about something else”' }).waitFor();
    await chat.turnsEnded(2);
  });
});
