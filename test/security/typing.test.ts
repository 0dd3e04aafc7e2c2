/** In the page alone, to the key; test/ui/security/typing.test.ts types sentences in the real editor. */

import assert from 'node:assert/strict';
import type { PendingApproval, PendingQuestion } from '../../src/api.ts';
import type { ToHost } from '../../src/protocol/index.ts';
import { approvalCardId, cardControls, questionCardId, testIds } from '../../src/protocol/index.ts';
import { events, snapshot, user } from '../../webview/dev/script.ts';
import { type ChatPage, Stage } from '../../webview/dev/stage.ts';

const running = { state: { state: 'running', phase: 'model' }, rows: [user('t1', 'Go')] } as const;
/** Each letter of it has a meaning on some card. */
const sentence = 'ad 123 and a daddy adds 1 a';

describe('typing beside cards', function () {
  this.timeout(240_000);
  let stage: Stage;
  let chat: ChatPage;
  let opened = 0;

  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());
  beforeEach(async () => {
    chat = await stage.chat();
    opened = 0;
  });
  afterEach(() => chat.page.close());

  const composer = () => chat.testId(testIds.composer);
  const approvalCard = (n = 1) => chat.testId(approvalCardId(`c${n}`));
  const questionCard = () => chat.testId(questionCardId('q1'));
  const type = (text: string) => chat.page.keyboard.type(text);
  const press = (key: string) => chat.page.keyboard.press(key);
  const draft = () => composer().inputValue();
  const focused = () =>
    chat.page.evaluate(() => document.activeElement?.getAttribute('data-testid') ?? document.activeElement?.tagName);
  const answers = async () =>
    (await chat.posted()).filter((message): message is Extract<ToHost, { type: 'answer' | 'answerQuestion' }> =>
      ['answer', 'answerQuestion'].includes(message.type),
    );
  /** Opens these beside what is open. */
  const open = async (what: { approvals?: readonly PendingApproval[]; questions?: readonly PendingQuestion[] }) => {
    await chat.send({ ...events(opened++, { type: 'approval.opened', id: 'a1' }), ...what });
    for (const { callId } of what.approvals ?? []) await chat.testId(approvalCardId(callId)).waitFor();
    for (const { callId } of what.questions ?? []) await chat.testId(questionCardId(callId)).waitFor();
  };

  const places: readonly (readonly [string, () => Promise<void>])[] = [
    ['the empty composer', () => composer().focus()],
    ['the body of the page', () => chat.page.evaluate(() => (document.activeElement as HTMLElement).blur())],
    ['the conversation', () => chat.testId(testIds.transcript).focus()],
    ['a button of the header', () => chat.testId(testIds.newSession).focus()],
    ['a message', () => chat.testId(testIds.userMessage).first().focus()],
  ];
  for (const [index, [where, put]] of places.entries()) {
    it(`J1${'abcde'.charAt(index)}. an approval and a question come while the focus is in ${where}, then a sentence of their keys is typed: nothing is answered, all of it is in the composer`, async () => {
      await chat.send(snapshot(running));
      await composer().waitFor();
      await put();
      const before = await focused();
      await open({ approvals: [approval(1), approval(2)], questions: [question] });
      assert.equal(await focused(), before);
      await type(sentence);
      assert.deepEqual(await answers(), []);
      assert.equal(await draft(), sentence);
      assert.equal(await approvalCard().getByTestId(cardControls.denyReason).count(), 0);
    });
  }

  it('J1f. a card comes while a name, a reason, a filter or a menu is open: focus and letters stay there', async () => {
    await chat.send(snapshot(running));
    await chat.testId(testIds.title).click();
    await chat.testId(testIds.titleInput).fill('');
    await open({ approvals: [approval(1)], questions: [question] });
    await type('a1 d');
    assert.equal(await chat.testId(testIds.titleInput).inputValue(), 'a1 d');
    await press('Escape');
    await chat.testId(testIds.overflow).click();
    await open({ approvals: [approval(1), approval(2)], questions: [question] });
    await type('ad1');
    assert.equal(await chat.testId(testIds.overflowMenu).count(), 1);
    await press('Escape');
    await approvalCard().getByTestId(cardControls.deny).click();
    await type('a reason');
    assert.equal(await approvalCard().getByTestId(cardControls.denyReason).inputValue(), 'a reason');
    assert.deepEqual(await answers(), []);
    assert.equal(await draft(), '');
  });

  it('J1g. the key that cards show moves into one, and into the next; their own keys work there, and only there', async () => {
    await chat.send(snapshot(running));
    await composer().focus();
    await open({ approvals: [approval(1), approval(2)], questions: [question] });
    assert.match((await approvalCard().textContent()) ?? '', /Alt\+J/);
    assert.match((await questionCard().textContent()) ?? '', /Alt\+J/);
    await press('Alt+j');
    assert.equal(await focused(), approvalCardId('c1'));
    await press('Alt+j');
    assert.equal(await focused(), approvalCardId('c2'));
    await press('a');
    assert.deepEqual(summary(await answers()), ['a2 once']);
    await press('Alt+j');
    assert.equal(await focused(), questionCardId('q1'));
    await press('2');
    assert.deepEqual(summary(await answers()), ['a2 once', 'q1 two']);
    await press('Escape');
    assert.equal(await focused(), testIds.composer);
    await type('ad1');
    assert.equal((await answers()).length, 2);
    assert.equal(await draft(), 'ad1');
  });

  it('J1h. a card is answered by its key and the next one waits: it gets the focus, but a second letter is not its answer', async () => {
    await chat.send(snapshot({ ...running, approvals: [approval(1), approval(2)] }));
    await approvalCard(2).waitFor();
    await press('Alt+j');
    await press('a');
    await open({ approvals: [approval(2)] });
    await approvalCard(1).waitFor({ state: 'detached' });
    assert.equal(await focused(), approvalCardId('c2'));
    await press('Enter');
    await press(' ');
    await type('and d');
    assert.deepEqual(summary(await answers()), ['a1 once']);
    assert.equal((await draft()).trim(), 'and d');
  });

  it('J1i. the last card goes, by an answer or by itself: the focus is in the composer, never on the body of the page', async () => {
    for (const leave of ['Alt+j a', 'click', 'withdrawn', 'question'] as const) {
      opened = 0;
      await chat.send(
        snapshot({ ...running, approvals: [approval(1)], questions: leave === 'question' ? [question] : [] }),
      );
      await approvalCard().waitFor();
      if (leave === 'Alt+j a') for (const key of ['Alt+j', 'a']) await press(key);
      if (leave === 'click') await approvalCard().getByTestId(cardControls.allow).click();
      if (leave === 'withdrawn') await approvalCard().getByTestId(cardControls.deny).focus();
      if (leave === 'question') await questionCard().getByTestId(cardControls.choice).first().click();
      await open({ approvals: [], questions: [] });
      await approvalCard().waitFor({ state: 'detached' });
      await questionCard().waitFor({ state: 'detached' });
      assert.equal(await focused(), testIds.composer, leave);
    }
  });

  it('J1j. a key is held down, or pressed in the menu of a card: it answers nothing', async () => {
    await chat.send(snapshot({ ...running, approvals: [approval(1)] }));
    await approvalCard().getByTestId(cardControls.allowMenuButton).click();
    await type('ad');
    await press('Escape');
    assert.deepEqual(await answers(), []);
    await approvalCard().click({ position: { x: 5, y: 5 } });
    await approvalCard().dispatchEvent('keydown', { key: 'a', repeat: true });
    assert.deepEqual(await answers(), []);
  });

  it('J1k. the window loses the focus while a card has it: coming back is not moving into the card', async () => {
    await chat.send(snapshot({ ...running, approvals: [approval(1)] }));
    await approvalCard().waitFor();
    await press('Alt+j');
    assert.equal(await focused(), approvalCardId('c1'));
    await chat.page.evaluate(() => window.dispatchEvent(new Event('blur')));
    await type('ad');
    assert.deepEqual(await answers(), []);
    assert.equal(await draft(), 'ad');
  });

  it('J1l. no button of a card that has just come is the page’s choice for Enter', async () => {
    await chat.send(snapshot(running));
    await chat.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await open({ approvals: [approval(1)], questions: [question] });
    for (const key of ['Enter', ' ', 'Enter']) await press(key);
    assert.deepEqual(await answers(), []);
  });
});

function approval(n: number): PendingApproval {
  return {
    ...{ id: `a${n}`, turnId: 't1', callId: `c${n}`, sessionId: 's1', tool: 'terminal', summary: 'Run npm test' },
    ...{ command: 'npm test', why: 'Commands ask before they run.', choices: ['once', 'session', 'always', 'deny'] },
  };
}

const question: PendingQuestion = {
  ...{ id: 'q1', turnId: 't1', callId: 'q1', text: 'Which one?', multiple: false, freeText: true },
  choices: [
    { id: 'one', label: 'One' },
    { id: 'two', label: 'Two' },
  ],
};

function summary(answers: readonly Extract<ToHost, { type: 'answer' | 'answerQuestion' }>[]): readonly string[] {
  return answers.map((message) =>
    message.type === 'answer'
      ? `${message.approvalId} ${message.choice}`
      : `${message.questionId} ${String(message.answer)}`,
  );
}
