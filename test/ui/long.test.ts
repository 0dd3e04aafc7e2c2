import assert from 'node:assert/strict';
import { openStore } from '../../src/agent/session/index.ts';
import type { TranscriptRow } from '../../src/api.ts';
import { testIds } from '../../src/protocol/test-ids.ts';
import { Stage } from './stage.ts';
import { until } from './until.ts';

const rows = 10_000;
const rowsAtATime = 100;
/** Older rows are asked for when less than this is above the view, px. */
const nearTop = 600;

describe('long conversations and answers', function () {
  this.timeout(300_000);
  let stage: Stage;

  before(async () => {
    stage = await Stage.start('long');
  });
  after(() => stage.close());

  it('opens 10,000 rows at their end, loads older ones on the way up and keeps the place', async () => {
    const { chat, window } = stage;
    const folder = (await window.command('midcourse.openDataFolder')) as string;
    writeLongSession(folder, 'long-session');
    await window.command('midcourse.openSession', { sessionId: 'long-session' });
    await chat.userMessages.filter({ hasText: `Message ${rows - 1}.` }).waitFor();
    const transcript = chat.byId(testIds.transcript);
    const fromEnd = () => transcript.evaluate((box) => Math.round(box.scrollHeight - box.clientHeight - box.scrollTop));
    assert.ok((await fromEnd()) <= 32, 'it opens at its end');

    const sections = chat.frame.locator('.transcript .section');
    const before = await sections.count();
    await transcript.evaluate((box, top) => box.scrollTo({ top }), nearTop + 50);
    const words = await until(() => messageInView(stage));
    await transcript.evaluate((box) => box.scrollBy({ top: -100 }));
    await until(async () => (await sections.count()) > before);
    const place = await chat.userMessages
      .filter({ hasText: words })
      .evaluate((element) => Math.round(element.getBoundingClientRect().top));
    const height = await transcript.evaluate((box) => box.getBoundingClientRect().bottom);
    assert.ok(place > 0 && place < height, `the message that was read is still in view (${place} of ${height} px)`);

    const frames = await scrollUp(stage);
    const sorted = frames.toSorted((a, b) => a - b);
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
    console.log(
      `      scrolling: ${frames.length} frames, p95 ${p95.toFixed(1)} ms, longest ${sorted.at(-1)?.toFixed(1)} ms`,
    );
    assert.ok(frames.length > 0);
    await chat.byId(testIds.jumpToLatest).click();
    await until(async () => (await fromEnd()) <= 32);
  });

  it('streams an answer of 100,000 characters to its last word', async () => {
    const { chat, server } = stage;
    await stage.fresh();
    const text = 'word of a long answer\n\n';
    const times = Math.ceil(100_000 / text.length);
    server.script({ steps: [{ burst: { text, times } }, { text: 'The last word.' }] });
    await chat.send('Write a lot');
    await chat.answers.filter({ hasText: 'The last word.' }).waitFor();
    await chat.turnsEnded(1);
    const length = await chat.answers.evaluate((answer) => answer.textContent.length);
    assert.ok(length >= times * 'word of a long answer'.length, `${length} characters are shown`);
  });

  it('stops behind a burst of 20,000 tokens: the socket closes, then the chat is idle, and the text is kept', async () => {
    const { chat, server } = stage;
    await stage.fresh();
    server.script({ steps: [{ burst: { times: 20_000 } }, { pause: 'rest' }, { text: 'never' }] });
    await chat.send('Write a lot');
    const request = await stage.nextRequest();
    await request.paused('rest');
    await chat.byId(testIds.stop).click();
    assert.equal((await request.closed).by, 'client');
    await chat.byId(testIds.turnStopped).filter({ hasText: 'Stopped by you while the model answered.' }).waitFor();
    await chat.byId(testIds.stop).waitFor({ state: 'hidden' });
    assert.ok((await chat.answers.textContent())?.startsWith('token token'));
    await chat.send('Go on');
    await chat.turnsEnded(2);
    for (const sent of stage.modelRequests) assert.equal(sent.invalid, undefined);
  });
});

/** Writes the session into the store beside the window that has it open too. */
function writeLongSession(folder: string, id: string): void {
  const { store } = openStore(folder);
  const now = Date.now();
  store.create({ id, title: 'A long one', titleSource: 'user', createdAt: now, updatedAt: now });
  for (let first = 1; first <= rows; first += rowsAtATime) {
    store.commit({ sessionId: id, rows: Array.from({ length: rowsAtATime }, (_, n) => row(id, first + n)) });
  }
  store.close();
}

/** Odd rows are the user's, even ones the answers. */
function row(session: string, seq: number): TranscriptRow {
  const turnId = `${session}-turn-${Math.ceil(seq / 2)}`;
  const [role, kind, text] =
    seq % 2 === 1
      ? (['user', 'message', `Message ${seq}. What about it?`] as const)
      : ([
          'assistant',
          'text',
          `Answer ${seq} with **words** and \`code\`.\n\n${'A line of prose. '.repeat(12)}`,
        ] as const);
  return { id: `${session}-${seq}`, seq, turnId, role, kind, parts: [{ type: 'text', text }], displayText: text };
}

/** The words of a user's message in the upper part of the view, when one is drawn there. */
function messageInView({ chat }: Stage): Promise<string | undefined> {
  return chat.byId(testIds.transcript).evaluate((box, id) => {
    const { top, height } = box.getBoundingClientRect();
    const message = [...box.querySelectorAll(`[data-testid="${id}"]`)].find((element) => {
      const at = element.getBoundingClientRect().top - top;
      return at > 0 && at < height / 2;
    });
    return message?.textContent ?? undefined;
  }, testIds.userMessage);
}

/** Turns the wheel upwards for a while; the length of each frame, ms. */
async function scrollUp({ chat, window }: Stage): Promise<readonly number[]> {
  const transcript = chat.byId(testIds.transcript);
  await transcript.hover();
  await transcript.evaluate(() => {
    const frames: number[] = [];
    let last = performance.now();
    const next = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      if (Reflect.get(window, 'frames-wanted') !== false) requestAnimationFrame(next);
    };
    Reflect.set(window, 'frame-times', frames);
    requestAnimationFrame(next);
  });
  for (let turn = 0; turn < 60; turn++) await window.page.mouse.wheel(0, -400);
  return transcript.evaluate(() => {
    Reflect.set(window, 'frames-wanted', false);
    return Reflect.get(window, 'frame-times') as number[];
  });
}
