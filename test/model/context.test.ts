/** When a conversation is compacted, and what comes of it (facts section 5). */

import assert from 'node:assert/strict';
import { summaryRequest } from '../../src/agent/context/index.ts';
import { ContextWatch } from '../../src/agent/turn/context-watch.ts';
import { History } from '../../src/agent/turn/history.ts';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import type { TranscriptRow } from '../../src/api.ts';
import type { RecordedRequest, Script } from '../model-server/index.ts';
import { Rig } from '../unit/turn/rig.ts';

const WINDOW = 200_000;
const LIMIT = 100_000;
/** The rig's model reads 100,000 tokens; a compaction is due above 80,000. */
const FULL = { usage: { input: 90_000, output: 10 } };
const ROOMY = { usage: { input: 9_000, output: 10 } };
const answer = (text: string, usage = ROOMY): Script => ({ steps: [usage, { text }] });

/** A conversation whose estimate grows by what is added to it. */
class Conversation {
  readonly history = new History();
  readonly watch: ContextWatch;
  #seq = 0;

  constructor(overhead = 0) {
    this.watch = new ContextWatch(this.history, () => overhead, undefined);
  }

  get lastSeq(): number {
    return this.#seq;
  }

  /** One message of the user that is estimated to have so many tokens. */
  add(tokens: number): void {
    this.#seq += 1;
    this.history.append(row(this.#seq, 'user', 'x'.repeat(tokens * 4 - 16)));
  }

  answer(text = 'ok'): void {
    this.#seq += 1;
    this.history.append(row(this.#seq, 'assistant', text));
  }

  summarise(): void {
    this.#seq += 1;
    const summary = { kind: 'summary', providerText: 'SUMMARY', keepsFrom: this.#seq } as const;
    this.watch.swap({ ...row(this.#seq, 'notice', 'SUMMARY'), ...summary });
  }

  /** The provider counts all that there is. */
  read(tokens: number): void {
    this.watch.read(tokens, this.lastSeq, LIMIT);
  }

  get isTooLong(): boolean {
    return this.watch.isTooLong(LIMIT, WINDOW);
  }
}

describe('how full the window is', () => {
  it('134. is the last real count and what was added since, not the rough estimate of all', () => {
    const talk = new Conversation();
    talk.add(149_990);
    talk.answer();
    talk.add(10);
    talk.read(60_000);
    talk.answer();
    talk.add(5_000);
    assert.equal(talk.isTooLong, false);
    assert.ok(Math.abs(talk.watch.estimate() - 65_000) < 100, `${talk.watch.estimate()}`);
  });

  it('135. is the rough estimate where no real count has come yet', () => {
    const talk = new Conversation(1_000);
    talk.add(60_000);
    talk.answer();
    talk.add(60_000);
    assert.equal(talk.isTooLong, true);
  });

  it('136. grows against the same real count as long as no new one comes', () => {
    const talk = new Conversation();
    talk.add(40_000);
    talk.answer();
    talk.add(100);
    talk.read(40_000);
    const fired = Array.from({ length: 8 }, () => {
      talk.answer();
      talk.add(8_000);
      return talk.isTooLong;
    });
    assert.deepEqual(fired, [false, false, false, false, false, false, false, true]);
  });

  it('137. is not judged right after a summary until one response has counted it', () => {
    const talk = new Conversation(120_000);
    talk.add(60_000);
    talk.answer();
    talk.summarise();
    talk.add(1_000);
    assert.ok(talk.watch.estimate() > LIMIT, 'the estimate is over');
    assert.equal(talk.isTooLong, false);
    talk.read(120_000);
    talk.answer();
    talk.add(50_000);
    assert.equal(talk.isTooLong, true);
  });

  it('137. is waited for also when the window was reloaded in between', () => {
    const talk = new Conversation(120_000);
    talk.add(60_000);
    talk.answer();
    talk.summarise();
    const reloaded = new ContextWatch(talk.history, () => 120_000, { tokens: 90_000, upTo: 1 });
    talk.add(1_000);
    talk.answer();
    talk.add(1_000);
    assert.ok(reloaded.estimate() > LIMIT, 'the count before the summary is no use');
    assert.equal(reloaded.isTooLong(LIMIT, WINDOW), false);
  });

  it('counts an image as what it costs, not as the length of its bytes', () => {
    const history = new History();
    const part = { type: 'image', mime: 'image/png', ref: 'x'.repeat(1_000_000) } as const;
    history.append({ ...row(1, 'user', 'Look'), parts: [{ type: 'text', text: 'Look' }, part] });
    const watch = new ContextWatch(history, () => 0, undefined);
    assert.ok(watch.estimate() < 5_000, `${watch.estimate()}`);
  });
});

describe('a compaction', () => {
  let rig: Rig;
  let session: LiveSession;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
    session = rig.agent.create();
  });

  afterEach(() => rig.close());

  async function turn(text: string, ...scripts: Script[]) {
    rig.server.script(...scripts);
    const { turnId } = session.send(text);
    return await session.settled(turnId);
  }

  const summaries = () => session.rows().filter(({ kind }) => kind === 'summary').length;
  const notices = (kind: string) => session.events(0).filter((one) => one.type === 'notice' && one.kind === kind);

  it('138. that helped nothing twice is not made a third time by itself; by hand it is, and that clears it', async () => {
    const long = 'word '.repeat(2_000);
    await turn('zero', answer(long, FULL));
    await turn('one', answer('S1'), answer(long, FULL));
    await turn('two', answer('S2'), answer(long, FULL));
    await turn('three', answer(long, { usage: { input: 99_000, output: 10 } }));
    await turn('four', answer(long, { usage: { input: 99_000, output: 10 } }));
    assert.equal(summaries(), 2);
    assert.equal(notices('compaction_blocked').length, 1, 'it is said once');
    rig.server.script(answer('S3'));
    session.compact();
    await session.settled();
    assert.equal(summaries(), 3);
    await turn('five', answer(long, FULL));
    await turn('six', answer('S4'), answer('ok'));
    assert.equal(summaries(), 4, 'it is made by itself again');
  });

  const failures: readonly (readonly [string, Script])[] = [
    ['is refused with 401', { status: 401, body: { error: { message: 'Incorrect API key provided.' } } }],
    ['drops', { steps: [{ text: 'SUM' }, { eof: true }] }],
    ['fails with 500', { status: 500, body: { error: { message: 'Internal error' } } }],
  ];
  for (const [how, script] of failures) {
    it(`139. whose summary ${how} leaves the transcript as it was, and the turn goes on`, async () => {
      await turn('zero', answer('a long answer', FULL));
      const before = session.rows();
      const result = await turn('one', script, answer('done'));
      assert.equal(result.exitReason, 'answered');
      assert.equal(summaries(), 0);
      assert.deepEqual(session.rows().slice(0, before.length), before);
      assert.match(JSON.stringify(messagesOf(rig.server.requests.at(-1))), /a long answer/);
      assert.equal(notices('not_compacted').length, 1);
    });
  }

  it('141. keeps the session, its old rows and what search finds of them, also after a reload', async () => {
    await turn('Sort the walnuts', answer('Sorted with a loop.', FULL));
    const old = session.rows();
    const { id, title } = session;
    await turn('Now reverse it', answer('SUMMARY'), answer('Reversed.'));
    assert.equal(session.id, id);
    assert.equal(session.title, title);
    assert.deepEqual(session.rows().slice(0, old.length), old);
    assert.deepEqual(
      rig.agent.search('walnuts').map(({ sessionId }) => sessionId),
      [id],
    );
    session = rig.reopen(id);
    assert.deepEqual(session.rows().slice(0, old.length), old);
    await turn('And print it', answer('Printed.'));
    const sent = JSON.stringify(messagesOf(rig.server.requests.at(-1)));
    assert.match(sent, /SUMMARY/);
    assert.doesNotMatch(sent, /Sorted with a loop/);
  });

  it('142. asks for a summary with the newest copy of a result that stands twice, and a line for the older one', () => {
    const result = 'result line\n'.repeat(420);
    const call = (callId: string) => [
      { role: 'assistant', text: '', calls: [{ callId, name: 'read_file', input: {} }] } as const,
      { role: 'tool', callId, name: 'read_file', text: result, isError: false } as const,
    ];
    const [asked] = summaryRequest([{ role: 'user', text: 'Go' }, ...call('c1'), ...call('c2')], 100_000);
    const text = asked?.text ?? '';
    assert.equal(text.split('result line\n').length - 1, 420, 'once');
    assert.match(text, /The same 5040 characters as the result of read_file further below/);
    assert.ok(text.indexOf('The same 5040') < text.indexOf('result line'), 'the newest stays');
  });

  it('143. that is asked for tells apart nothing to do, no gain, a failure, a stop and a real change', async () => {
    const compact = async (...scripts: Script[]) => {
      rig.server.script(...scripts);
      session.compact();
      return await session.settled();
    };
    const noop = await compact();
    assert.equal(noop.error?.kind, 'not_compacted_noop');
    await turn('Sort the list', answer('word '.repeat(2_000)));
    await turn('Reverse it', answer('Reversed.'));
    const refused = await compact(answer('word '.repeat(4_000)));
    assert.equal(refused.error?.kind, 'not_compacted_refused');
    const failed = await compact({ status: 400, body: { error: { message: 'no' } } });
    assert.equal(failed.error?.kind, 'not_compacted_failed');
    assert.equal(failed.error.action, 'midcourse.compact');
    assert.equal(notices('compacted').length, 0);
    const done = await compact(answer('SUMMARY'));
    assert.equal(done.exitReason, 'answered');
    assert.match(JSON.stringify(notices('compacted')), /Compacted: 4 → \d messages, about [\d,]+ → [\d,]+ tokens/);
    await turn('More', answer('More.'));
    const next = rig.server.requests.length;
    rig.server.script({ steps: [{ text: 'SUMM' }, { pause: 'middle' }] });
    session.compact();
    await (await rig.server.request(next)).paused('middle');
    session.stop();
    const stopped = await session.settled();
    assert.equal(stopped.exitReason, 'interrupted_by_user');
    assert.equal(stopped.error, undefined);
    assert.equal(notices('compacted').length, 1);
  });

  it('is never made where the provider keeps the conversation itself', async () => {
    rig.model = { keepsHistory: true };
    await turn('zero', answer('a', FULL));
    await turn('one', answer('b', FULL));
    session.compact();
    const result = await session.settled();
    assert.equal(result.error?.kind, 'not_compacted_noop');
    assert.match(result.error.message, /keeps the conversation itself/);
    assert.equal(rig.server.requests.length, 2);
  });
});

function row(seq: number, role: TranscriptRow['role'], text: string): TranscriptRow {
  const kind = role === 'user' ? 'message' : 'text';
  return { id: `r${seq}`, seq, turnId: `t${seq}`, role, kind, parts: [{ type: 'text', text }], displayText: text };
}

function messagesOf(request: RecordedRequest | undefined): readonly unknown[] {
  return ((request?.body ?? {}) as { messages?: readonly unknown[] }).messages ?? [];
}
