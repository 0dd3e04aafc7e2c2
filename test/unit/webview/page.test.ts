/** The page itself in a browser: what cannot be said about pure functions. */

import assert from 'node:assert/strict';
import type { PendingApproval } from '../../../src/api.ts';
import type { ToHost, ToView } from '../../../src/protocol/index.ts';
import {
  approvalCardId,
  cardControls,
  chipControls,
  chipId,
  testIds,
  toolCardId,
} from '../../../src/protocol/index.ts';
import { scenes } from '../../../webview/dev/scenes.ts';
import { answer, events, item, snapshot, toolResult, turnResult, user } from '../../../webview/dev/script.ts';
import { type ChatPage, Stage } from '../../../webview/dev/stage.ts';

const running = { state: { state: 'running', phase: 'model' } } as const;
const approval: PendingApproval = {
  ...{ id: 'a1', turnId: 't1', callId: 'c1', sessionId: 's1', tool: 'terminal', summary: 'Run npm test' },
  ...{ command: 'npm test', why: 'Commands ask before they run.', choices: ['once', 'session', 'always', 'deny'] },
};
const delta = (text: string) => ({ type: 'delta', turnId: 't1', request: 1, attempt: 1, part: 'text', text }) as const;

describe('the page of the chat', function () {
  // Generous: the machine that runs it may be busy with everything else.
  this.timeout(240_000);
  let stage: Stage;
  let chat: ChatPage;

  before(async () => {
    stage = await Stage.open();
  });
  after(() => stage.close());
  beforeEach(async () => {
    chat = await stage.chat();
  });
  afterEach(async () => {
    assert.deepEqual(chat.problems, []);
    await chat.page.close();
  });

  const composer = () => chat.testId(testIds.composer);
  const sent = async <T extends ToHost['type']>(type: T) =>
    (await chat.posted()).filter((message): message is Extract<ToHost, { type: T }> => message.type === type);
  const verbs = async () => (await sent('verb')).map((message) => message.verb);

  it('draws every scene without an error and without breaking its Content-Security-Policy', async () => {
    await chat.page.setViewportSize({ width: 300, height: 700 });
    for (const { name, messages, act } of scenes) {
      const inSession = (message: ToView): ToView =>
        message.type === 'snapshot' ? { ...message, session: { ...message.session, id: name } } : message;
      await chat.send(...messages().map(inSession));
      await composer().waitFor();
      await act?.(chat);
      assert.deepEqual(chat.problems, [], name);
      const overflow = await chat.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${name} is ${overflow} px too wide at 300 px`);
      await chat.page.keyboard.press('Escape');
    }
  });

  it('shows the lines that an edit counts as they are, and marks a sign that passes for another in any other detail', async () => {
    const details = ['+12 \u22123', 'rm \u2212rf x', '+1 \u22121 \u2212rf'];
    const calls = details.map((_, at) => ({
      callId: `c${at}`,
      name: 'patch',
      input: { path: 'a.ts', old_string: 'a', new_string: 'b' },
    }));
    const results = details.map((detail, at) =>
      toolResult('t1', `c${at}`, 'Edited', { label: 'Edited a.ts', detail, durationMs: 1 }),
    );
    await chat.send(snapshot({ rows: [user('t1', 'Edit'), answer('t1', 1, 'Now.', calls), ...results] }));
    await chat
      .testId(toolCardId('c0'))
      .filter({ hasText: details[0] ?? '' })
      .waitFor();
    for (const id of ['c1', 'c2']) await chat.testId(toolCardId(id)).filter({ hasText: '⟨U+2212⟩rf' }).waitFor();
  });

  it('shows a sent text before the host has said anything, and once when it has', async () => {
    await chat.send(snapshot());
    await composer().fill('Mend the tests');
    await composer().press('Enter');
    assert.deepEqual(await chat.testId(testIds.userMessage).allInnerTexts(), ['Mend the tests']);
    assert.equal(await composer().inputValue(), '');
    const [call] = await verbs();
    assert.ok(call?.verb === 'send');
    await chat.send(
      events(
        0,
        { type: 'turn.started', turnId: 't1' },
        { type: 'row', row: user('t1', 'Mend the tests', { itemIds: [call.id] }) },
      ),
    );
    await chat.page.locator('.user-message:not(.outgoing)').waitFor();
    assert.equal(await chat.testId(testIds.userMessage).count(), 1);
  });

  it('K3c. tells the draft of who types without a pause every half second, and the rest as the page goes', async () => {
    await chat.send(snapshot({}));
    await chat.page.clock.install();
    await composer().focus();
    for (const letter of 'abcdefghij') {
      await chat.page.keyboard.press(letter);
      await chat.page.clock.runFor(200);
    }
    const told = (await sent('draft')).map(({ text }) => text);
    assert.ok(told.length >= 3, told.join());
    assert.ok('abcdefghij'.length - (told.at(-1)?.length ?? 0) <= 3, told.join());
    await chat.page.keyboard.press('k');
    await chat.page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
    assert.equal((await sent('draft')).at(-1)?.text, 'abcdefghijk');
  });

  it('puts a refused text back into the composer with the reason', async () => {
    await chat.send(snapshot());
    await composer().fill('Hello');
    await composer().press('Enter');
    const [request] = await sent('verb');
    assert.ok(request?.verb.verb === 'send');
    await chat.send({
      type: 'reply',
      requestId: request.requestId,
      ok: true,
      value: {
        id: request.verb.id,
        verb: 'send',
        seq: 1,
        outcome: 'refused',
        reason: 'no_model',
        message: 'Choose a model first.',
      },
    });
    await chat.testId(testIds.receiptLine).waitFor();
    assert.equal(await composer().inputValue(), 'Hello');
    assert.equal(await chat.testId(testIds.userMessage).count(), 0);
  });

  it('never draws finished blocks of an answer again, nor when it is stored', async () => {
    await chat.send(
      snapshot({ rows: [user('t1', 'Go')], ...running }),
      events(0, delta('First paragraph.\n\nSecond\n')),
    );
    const first = chat.page.locator('.markdown p').first();
    await first.waitFor();
    await first.evaluate((element) => element.setAttribute('data-marked', ''));
    await chat.send(
      events(1, delta(' grows.\n\n')),
      events(2, delta('```ts\nconst a = 1;\n```\n')),
      events(3, {
        type: 'row',
        row: answer('t1', 1, 'First paragraph.\n\nSecond\n grows.\n\n```ts\nconst a = 1;\n```\n'),
      }),
      events(4, { type: 'turn.ended', turnId: 't1', result: turnResult('t1') }),
    );
    await chat.testId(testIds.turnEnd).waitFor();
    assert.equal(await chat.page.locator('[data-marked]').count(), 1);
    assert.deepEqual(await chat.page.locator('.markdown p').allInnerTexts(), ['First paragraph.', 'Second grows.']);
  });

  it('shows all of a long paragraph that came in thousands of pieces', async () => {
    const words = Array.from({ length: 5_000 }, (_, n) => `w${n}`);
    await chat.send(snapshot({ rows: [user('t1', 'Go')], ...running }));
    for (let start = 0; start < words.length; start += 500) {
      await chat.send(events(start, ...words.slice(start, start + 500).map((word) => delta(`${word} `))));
    }
    await chat.page.getByText('w4999').waitFor();
    assert.equal((await chat.testId(testIds.assistantText).textContent())?.trim(), words.join(' '));
  });

  it('follows the newest line until the user scrolls up, and then leaves the page alone', async () => {
    const paragraphs = (from: number) => Array.from({ length: 40 }, (_, n) => `Paragraph ${from + n}.\n\n`).join('');
    await chat.send(snapshot({ rows: [user('t1', 'Go')], ...running }), events(0, delta(paragraphs(0))));
    const box = chat.testId(testIds.transcript);
    const top = () => box.evaluate((element) => element.scrollTop);
    const fromEnd = () => box.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop);
    await chat.page.getByText('Paragraph 39.').waitFor();
    await chat.page.waitForFunction(() => {
      const element = document.querySelector('[data-testid=transcript]');
      return (
        element !== null && element.scrollTop > 0 && element.scrollHeight - element.clientHeight - element.scrollTop < 2
      );
    });
    await box.hover();
    await chat.page.mouse.wheel(0, -400);
    await chat.testId(testIds.jumpToLatest).waitFor();
    const before = await top();
    await chat.send(events(1, delta(paragraphs(40))));
    await chat.page.getByText('Paragraph 79.').waitFor({ state: 'attached' });
    assert.equal(await top(), before);
    await chat.testId(testIds.jumpToLatest).click();
    assert.ok((await fromEnd()) < 2);
  });

  it('leaves the focus to a user who is typing when an approval opens', async () => {
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')] }));
    await composer().pressSequentially('half a tho');
    await chat.send({ ...events(0, { type: 'approval.opened', id: 'a1' }), approvals: [approval] });
    await chat.testId(approvalCardId('c1')).waitFor();
    await composer().pressSequentially('ught');
    assert.equal(await composer().inputValue(), 'half a thought');
    assert.equal(await chat.testId(testIds.send).textContent(), 'Steer · cancels this approval');
  });

  it('keeps an Escape inside a card, a menu and a rename, and lets every other one reach the editor', async () => {
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')], approvals: [approval] }));
    await chat.page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      // As VS Code listens, except that the page runs first in its own handlers.
      window.addEventListener('keydown', (event) => seen.push(event.key));
    });
    const seen = () => chat.page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen.splice(0));
    const card = chat.testId(approvalCardId('c1'));
    await card.getByTestId(cardControls.allow).press('Escape');
    assert.deepEqual(await seen(), []);
    assert.equal(await composer().evaluate((field) => field === document.activeElement), true);
    assert.deepEqual(await sent('answer'), []);
    await chat.testId(testIds.overflow).click();
    await chat.page.keyboard.press('Escape');
    assert.equal(await chat.testId(testIds.overflowMenu).count(), 0);
    await chat.testId(testIds.title).click();
    await chat.testId(testIds.titleInput).press('Escape');
    assert.deepEqual(await seen(), []);
    await composer().press('Escape');
    assert.deepEqual(await seen(), ['Escape']);
  });

  it('denies with a reason that goes to the host', async () => {
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')], approvals: [approval] }));
    const card = chat.testId(approvalCardId('c1'));
    await card.getByTestId(cardControls.deny).click();
    await card.getByTestId(cardControls.denyReason).fill('Only the unit tests');
    await chat.page.waitForFunction(() => performance.now() > 500);
    await card.getByTestId(cardControls.denyConfirm).click();
    const [message] = await sent('answer');
    assert.deepEqual([message?.approvalId, message?.choice, message?.reason], ['a1', 'deny', 'Only the unit tests']);
  });

  it('keeps the buttons of an approval alive when an answer to it was lost (B103)', async () => {
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')], approvals: [approval] }));
    const allow = chat.testId(approvalCardId('c1')).getByTestId(cardControls.allow);
    await allow.click();
    await allow.click();
    assert.deepEqual(
      (await sent('answer')).map(({ approvalId, choice }) => [approvalId, choice]),
      [
        ['a1', 'once'],
        ['a1', 'once'],
      ],
    );
  });

  it('sends by the editor’s keybindings as what they ask for', async () => {
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')] }));
    for (const as of ['queue', 'redirect', 'stopAndSend', 'steer'] as const) {
      await composer().fill(`as ${as}`);
      await chat.send({ type: 'submit', as });
      await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === '');
    }
    assert.deepEqual(
      (await verbs()).map((call) => [call.verb, 'text' in call ? call.text : '']),
      [
        ['queue', 'as queue'],
        ['redirect', 'as redirect'],
        ['stopAndSend', 'as stopAndSend'],
        ['steer', 'as steer'],
      ],
    );
  });

  it('moves, edits and removes a waiting text by keys', async () => {
    const [a, b] = [item('queue', 'first', { revision: 3 }), item('queue', 'second')];
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')], items: [a, b] }));
    await chat.testId(chipId(b.id)).press('Alt+ArrowUp');
    await chat.testId(chipId(b.id)).press('Delete');
    // The last one hands the focus to the composer, once the page has painted.
    await chat.page.waitForFunction(() => document.activeElement instanceof HTMLTextAreaElement);
    await chat.testId(chipId(a.id)).press('Enter');
    await chat.testId(chipId(a.id)).locator('textarea').fill('first, edited');
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await verbs(), [
      { verb: 'move', id: b.id, before: a.id },
      { verb: 'withdraw', id: b.id },
      { verb: 'edit', id: a.id, text: 'first, edited', revision: 3 },
    ]);
  });

  it('stops when its button is pressed, once, and by the keyboard', async () => {
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')] }));
    const stop = chat.testId(testIds.stop);
    await stop.hover();
    await chat.page.mouse.down();
    assert.deepEqual(await verbs(), [{ verb: 'stop' }]);
    await chat.page.waitForFunction(() => document.activeElement instanceof HTMLTextAreaElement);
    await chat.page.mouse.up();
    await stop.click({ button: 'right' });
    assert.equal((await verbs()).length, 1);
    await stop.press('Enter');
    assert.equal((await verbs()).length, 2);
  });

  it('leaves in the composer what is typed between a chord and the editor’s request for its draft', async () => {
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')] }));
    await composer().fill('first');
    await composer().press('Control+Enter');
    await composer().pressSequentially(' and');
    await composer().press('Alt+Enter');
    await composer().pressSequentially('more');
    await chat.send({ type: 'submit', as: 'redirect' }, { type: 'submit', as: 'queue' });
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'more');
    assert.deepEqual(
      (await verbs()).map((call) => [call.verb, 'text' in call ? call.text : '']),
      [
        ['redirect', 'first'],
        ['queue', 'and'],
      ],
    );
  });

  it('leads from a removed text to the next one, and from the last to the composer', async () => {
    const [a, b] = [item('queue', 'first'), item('queue', 'second')];
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')], items: [a, b] }));
    const focused = (id: string) =>
      chat.page.waitForFunction((name) => document.activeElement?.getAttribute('data-testid') === name, id);
    await chat.testId(chipId(a.id)).press('Delete');
    await focused(chipId(b.id));
    await chat.testId(chipId(b.id)).getByTestId(chipControls.remove).press('Enter');
    await focused(testIds.composer);
  });

  it('keeps the model, the kind of a text and the way to deny in reach at 300 px', async () => {
    await chat.page.setViewportSize({ width: 300, height: 700 });
    const waiting = item('queue', 'second');
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')], approvals: [approval], items: [waiting] }));
    const card = chat.testId(approvalCardId('c1'));
    const box = async (id: string, from = chat.page.locator('body')) =>
      (await from.getByTestId(id).boundingBox()) ?? assert.fail(id);
    assert.equal((await box(cardControls.allow, card)).y, (await box(cardControls.deny, card)).y);
    assert.ok((await box(testIds.modelPicker)).width > 60);
    assert.deepEqual(await chat.testId(testIds.send).allInnerTexts(), ['Steer']);
    assert.equal(await chat.testId(testIds.send).getAttribute('aria-label'), 'Steer · cancels this approval');
    assert.match((await chat.testId(chipId(waiting.id)).getAttribute('aria-label')) ?? '', /^Queued: second/);
    const kind = await chat.testId(chipId(waiting.id)).locator('.chip-kind').boundingBox();
    assert.ok((kind?.width ?? 99) < 30);
  });

  it('keeps an edit that came too late as a draft', async () => {
    const waiting = item('steer', 'Look here');
    await chat.send(snapshot({ ...running, rows: [user('t1', 'Go')], items: [waiting] }));
    await chat.testId(chipId(waiting.id)).press('Enter');
    await chat.testId(chipId(waiting.id)).locator('textarea').fill('Look there');
    const delivered = { is: 'delivered', turnId: 't1', request: 2, rowId: 'r', read: false } as const;
    await chat.send(events(0, { type: 'item', item: { ...waiting, state: delivered } }));
    await chat.testId(testIds.receiptLine).waitFor();
    assert.equal(await composer().inputValue(), 'Look there');
  });

  it('takes returned texts into an empty composer only', async () => {
    const returned = item('steer', 'Came back', { state: { is: 'returned', why: 'stopped', acknowledged: false } });
    await chat.send(snapshot({ items: [returned] }));
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'Came back');
    assert.deepEqual(
      (await sent('takeReturned')).map((message) => message.itemId),
      [returned.id],
    );
    // Kept before it is taken: a window that closes in between loses nothing.
    const told = (await chat.posted()).map(({ type }) => type);
    assert.ok(told.indexOf('draft') < told.indexOf('takeReturned'));
    const other = { ...returned, id: 'other', text: 'Also back' };
    await chat.send(events(0, { type: 'item', item: other }));
    await chat.testId(chipId('other')).waitFor();
    assert.equal(await composer().inputValue(), 'Came back');
  });

  it('keeps what was typed before the host has said which session is shown', async () => {
    await composer().fill('Typed early');
    await chat.send(snapshot({ draft: 'From yesterday' }));
    await chat.page.waitForFunction(
      () => document.querySelector('textarea')?.value === 'From yesterday\n\nTyped early',
    );
  });

  it('tells what was typed just now of the session that the host leaves by itself', async () => {
    const first = snapshot();
    await chat.send(first);
    await composer().fill('Half a tho');
    await chat.send(snapshot({ session: { ...first.session, id: 'another' } }));
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === '');
    assert.deepEqual(await sent('draft'), [{ type: 'draft', sessionId: first.session.id, text: 'Half a tho' }]);
  });

  it('keeps what was typed into a card that closes before it is used', async () => {
    const question = { id: 'q1', turnId: 't1', callId: 'c1', text: 'Which?', choices: [], multiple: false };
    await chat.send(
      snapshot({ state: { state: 'waiting', phase: 'question' }, questions: [{ ...question, freeText: true }] }),
    );
    await chat.testId(cardControls.questionText).fill('the second one');
    await chat.send(snapshot({ state: { state: 'waiting', phase: 'approval' }, approvals: [approval] }));
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'the second one');

    await chat.testId(cardControls.deny).click();
    await chat.testId(cardControls.denyReason).fill('use pnpm');
    await chat.send(snapshot(running));
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'the second one\n\nuse pnpm');
  });

  it('puts nothing into the composer when a card was answered', async () => {
    await chat.send(snapshot({ state: { state: 'waiting', phase: 'approval' }, approvals: [approval] }));
    await chat.testId(cardControls.deny).click();
    await chat.testId(cardControls.denyReason).fill('use pnpm');
    await chat.testId(cardControls.denyConfirm).click();
    await chat.send(snapshot(running));
    await chat.testId(approvalCardId('c1')).waitFor({ state: 'detached' });
    assert.equal(await composer().inputValue(), '');
  });

  it('gives a typed answer back when its question was closed meanwhile', async () => {
    const question = { id: 'q1', turnId: 't1', callId: 'c1', text: 'Which?', choices: [], multiple: false };
    const questions = [{ ...question, freeText: true }];
    await chat.send(snapshot({ state: { state: 'waiting', phase: 'question' }, questions }));
    await composer().fill('The second one');
    await composer().press('Enter');
    const [request] = await sent('answerQuestion');
    assert.ok(request);
    await chat.send({ type: 'reply', requestId: request.requestId, ok: true, value: false });
    await chat.testId(testIds.receiptLine).waitFor();
    assert.equal(await composer().inputValue(), 'The second one');
  });

  it('asks for a snapshot once when it has missed something', async () => {
    await chat.send(snapshot(), events(5, delta('a')), events(6, delta('b')));
    await chat.page.waitForFunction(() =>
      (globalThis as unknown as { posted: ToHost[] }).posted.some((m) => m.type === 'resync'),
    );
    assert.deepEqual(await sent('resync'), [{ type: 'resync', have: 0 }]);
  });

  it('opens files and web links through the host and follows no other', async () => {
    await chat.send(
      snapshot({
        rows: [user('t1', 'Go'), answer('t1', 1, '[file](src/a.ts:3) [web](https://example.com/x) [bad](command:x)')],
      }),
    );
    await chat.page.getByText('file', { exact: true }).click();
    await chat.page.getByText('web', { exact: true }).click();
    assert.deepEqual(await sent('openFile'), [{ type: 'openFile', path: 'src/a.ts', line: 3 }]);
    assert.deepEqual(await sent('openLink'), [{ type: 'openLink', href: 'https://example.com/x' }]);
    assert.equal(await chat.page.locator('.markdown a').count(), 2);
  });

  it('moves between messages by the arrow keys', async () => {
    await chat.send(snapshot({ rows: [user('t1', 'One'), answer('t1', 1, 'Two'), user('t2', 'Three')] }));
    await chat.testId(testIds.transcript).focus();
    const focused = () => chat.page.evaluate(() => document.activeElement?.textContent?.trim());
    await chat.page.keyboard.press('ArrowUp');
    assert.equal(await focused(), 'Three');
    await chat.page.keyboard.press('ArrowUp');
    assert.equal(await focused(), 'Two');
    await chat.page.keyboard.press('Home');
    assert.equal(await focused(), 'One');
  });

  it('announces what matters', async () => {
    await chat.send(snapshot({ rows: [user('t1', 'Go')], ...running }));
    await chat.send(
      events(0, delta('word')),
      events(1, { type: 'turn.ended', turnId: 't1', result: turnResult('t1') }),
    );
    await chat.testId(testIds.turnEnd).waitFor();
    assert.equal(await chat.testId(testIds.liveRegion).textContent(), 'Answer finished.');
  });

  it('draws of 10,000 rows only those near the view, and the others when it comes near them', async () => {
    const rows = Array.from({ length: 2_500 }, (_, n) => [
      user(`t${n}`, `Question ${n}`),
      answer(`t${n}`, 1, `Answer ${n} with **some** words.\n\n- one\n- two`),
      answer(`t${n}`, 2, 'A second answer.'),
      answer(`t${n}`, 3, 'A closing sentence.'),
    ]).flat();
    assert.equal(rows.length, 10_000);
    await chat.send(snapshot({ rows }));
    await chat.page.getByText('Question 2499', { exact: true }).waitFor();
    const drawn = await chat.testId(testIds.userMessage).count();
    assert.ok(drawn < 100, `${drawn} messages drawn`);
    await chat.testId(testIds.transcript).evaluate((element) => {
      element.scrollTop = element.scrollHeight / 2;
    });
    const middle = chat.page.getByText(/^Question 1[23]\d\d$/).first();
    await middle.waitFor();
    const p95 = await chat.testId(testIds.transcript).evaluate(async (element) => {
      const frames: number[] = [];
      let last = performance.now();
      for (let frame = 0; frame < 120; frame++) {
        element.scrollTop -= 200;
        const now: number = await new Promise((done) => requestAnimationFrame(done));
        frames.push(now - last);
        last = now;
      }
      return frames.sort((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? Number.NaN;
    });
    // Printed, not asserted: the bench measures it on a quiet machine.
    console.log(`      scrolling: 95 of 100 frames within ${p95.toFixed(1)} ms`);
  });
});
