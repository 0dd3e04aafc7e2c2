/** Delegated agents, and sessions of other windows, in the page itself. */

import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ToHost } from '../../../src/protocol/index.ts';
import { agentCardId, backgroundAgentId, cardControls, testIds } from '../../../src/protocol/index.ts';
import { childStretch } from '../../../webview/dev/agent-scenes.ts';
import { agent, answer, events, snapshot, summary, toolResult, user } from '../../../webview/dev/script.ts';
import { type ChatPage, Stage } from '../../../webview/dev/stage.ts';

const child = agent('tests', 'Mend the tests\nand nothing else', { activity: ['Read src/a.ts'] });
const told = (changed: typeof child) =>
  ({ type: 'child', turnId: 't1', childId: child.id, name: child.name, state: changed.state, child: changed }) as const;
const delegating = () =>
  snapshot({
    rows: [
      user('t1', 'Go'),
      answer('t1', 1, '', [{ callId: child.callId, name: 'delegate', input: { name: 'tests', task: child.task } }]),
    ],
    children: [child],
    state: { state: 'running', phase: 'tool' },
    live: {
      ...{ turnId: 't1', startedAt: Date.now(), request: 1, attempt: 1, text: '', reasoning: '' },
      tools: [
        {
          ...{ callId: child.callId, name: 'delegate', state: 'running', label: 'Delegated: tests' },
          ...{ startedAt: Date.now(), output: '' },
        },
      ],
    },
  });
const elsewhere = { id: 's1', title: '', readOnly: 'It runs in another window.', canTakeOver: true };

describe('agents in the page', function () {
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

  const text = async (locator: Locator) => (await locator.textContent()) ?? '';
  const card = () => chat.testId(agentCardId(child.callId));
  const control = (id: string) => card().getByTestId(id);
  const sent = async <T extends ToHost['type']>(type: T) =>
    (await chat.posted()).filter((message): message is Extract<ToHost, { type: T }> => message.type === type);

  it('have a card that says name, task and what they do, with controls of their own', async () => {
    await chat.send(delegating());
    assert.match(await text(control(cardControls.toggle)), /tests\s*Mend the tests\s*running/);
    assert.match(await text(control(cardControls.agentActivity)), /Read src\/a\.ts/);
    await control(cardControls.moveToBackground).click();
    assert.deepEqual(await sent('moveToBackground'), [{ type: 'moveToBackground', callId: child.callId }]);
    await control(cardControls.stopAgent).press('Enter');
    assert.deepEqual(await sent('stopChild'), [{ type: 'stopChild', id: child.id }]);
    await chat.send(events(0, told({ ...child, state: 'interrupted', endedAt: child.startedAt + 5_000 })));
    await card().getByText('interrupted').waitFor();
    assert.equal(await control(cardControls.stopAgent).count(), 0);
    assert.match(await text(chat.testId(testIds.liveRegion)), /Agent tests was interrupted/);
    const focused = await chat.page.evaluate(() => (document.activeElement as HTMLElement).dataset.testid);
    assert.equal(focused, cardControls.toggle, 'the focus stays on the card whose control went away');
  });

  it('show their own transcript when opened, without controls that belong to the conversation', async () => {
    await chat.send(delegating());
    await control(cardControls.toggle).press('Enter');
    await chat.reply('childRows', childStretch());
    const transcript = control(cardControls.agentTranscript);
    await transcript.getByText('never looks at').waitFor();
    assert.match(await text(transcript), /Touch nothing below dist/);
    assert.equal(await transcript.getByTestId(cardControls.stopCommand).count(), 0);
    assert.equal(await transcript.getByTestId(cardControls.openDiff).count(), 0);
  });

  it('are looked at again while open when something has happened, once for many changes', async () => {
    await chat.send(delegating());
    await control(cardControls.toggle).click();
    await chat.reply('childRows', childStretch());
    const changes = Array.from({ length: 40 }, (_, n) => told({ ...child, activity: [`Step ${n}`] }));
    for (const [n, change] of changes.entries()) await chat.send(events(n, change));
    const more = childStretch();
    await chat.reply('childRows', { ...more, rows: [...more.rows, answer('c1', 3, 'That was all.')] });
    await control(cardControls.agentTranscript).getByText('That was all.').waitFor();
    const looks = (await sent('childRows')).length;
    assert.ok(looks < changes.length / 2, `${looks} looks for ${changes.length} changes`);
  });

  it('that go on in the background stand above the composer until they end', async () => {
    await chat.send(delegating(), events(0, told({ ...child, mode: 'background' })));
    const line = chat.testId(backgroundAgentId(child.id));
    assert.match(await text(line), /tests\s*Read src\/a\.ts/);
    await line.getByTestId(cardControls.end).click();
    assert.deepEqual(await sent('stopChild'), [{ type: 'stopChild', id: child.id }]);
    await chat.send(events(1, told({ ...child, mode: 'background', state: 'interrupted', endedAt: Date.now() })));
    await line.waitFor({ state: 'detached' });
    assert.equal(await chat.testId(testIds.background).count(), 0);
  });

  it('do not hide a call of the conversation by a card that has the same call id', async () => {
    await chat.send({
      ...delegating(),
      approvals: [
        {
          ...{ id: 'a1', turnId: 'c1', callId: child.callId, sessionId: child.id, tool: 'terminal' },
          ...{ child: { id: child.id, name: 'tests' }, summary: 'Run npm test', command: 'npm test', why: 'It asks.' },
          choices: ['once', 'deny'],
        },
      ],
    });
    await chat.page.getByRole('heading', { name: 'Agent tests wants to run a command' }).waitFor();
    assert.equal(await card().count(), 1);
  });

  it('of an earlier window can still be opened', async () => {
    const base = delegating();
    const card = { label: 'Delegated: tests', durationMs: 1, childId: child.id };
    const result = toolResult('t1', child.callId, 'They pass.', card);
    await chat.send({ ...base, children: [], live: null, state: { state: 'idle' }, rows: [...base.rows, result] });
    await control(cardControls.toggle).click();
    await chat.reply('childRows', childStretch());
    await control(cardControls.agentTranscript).getByText('never looks at').waitFor();
    assert.equal((await sent('childRows'))[0]?.childId, child.id);
  });

  it('leave a session of another window to a bar that takes it over, and the draft stays', async () => {
    await chat.send(snapshot({ session: elsewhere, draft: 'half a thought' }));
    const bar = chat.testId(testIds.readOnlyBar);
    assert.match(await text(bar), /It runs in another window\./);
    assert.equal(await chat.testId(testIds.send).count(), 0);
    await chat.testId(testIds.takeOver).click();
    assert.deepEqual(await sent('runCommand'), [{ type: 'runCommand', command: 'midcourse.takeOverSession' }]);
    await bar.getByText('Taking over…').waitFor();
    await chat.send({ type: 'notice', level: 'error', text: 'The other window did not let go.' });
    await bar.getByText('Take over', { exact: true }).waitFor();
    await chat.send(snapshot({ session: { id: 's1', title: '' } }));
    await bar.waitFor({ state: 'detached' });
    assert.equal(await chat.testId(testIds.composer).inputValue(), 'half a thought');
    assert.match(await text(chat.testId(testIds.liveRegion)), /in this window now/);
  });

  it('leave a session that cannot be taken over to its reason alone', async () => {
    await chat.send(snapshot({ session: { id: 's1', title: '', readOnly: 'A newer version wrote it.' } }));
    await chat.testId(testIds.readOnlyBar).waitFor();
    assert.equal(await chat.testId(testIds.takeOver).count(), 0);
  });

  it('are followed by Compact in what fills the context, and by what it left behind', async () => {
    await chat.send(snapshot({ rows: [user('t1', 'Go')] }));
    await chat.testId(testIds.contextMeter).click();
    await chat.testId(testIds.compact).click();
    assert.deepEqual(await sent('runCommand'), [{ type: 'runCommand', command: 'midcourse.compact' }]);
    const row = summary('t2', 'The goal is **three** things.');
    await chat.send(events(0, { type: 'row', turnId: 't2', row }));
    const divider = chat.testId(testIds.summary);
    assert.equal((await text(divider)).trim(), 'Earlier conversation was summarised');
    await chat.testId(testIds.summaryToggle).press('Enter');
    await divider.getByText('The goal is three things.').waitFor();
  });
});
