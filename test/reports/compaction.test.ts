import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import type { Answer } from '../model-server/index.ts';
import type { Race } from './races.ts';
import {
  allowAll,
  answersOnly,
  assertAccepted,
  assertTrueRows,
  call,
  event,
  idle,
  type Rig,
  replay,
  sent,
  wires,
} from './replay.ts';
import { atEveryEvent } from './sweep.ts';

/** The rig's model reads 100,000 tokens. */
const FULL = { usage: { input: 90_000, output: 10 } };
const ROOMY = { usage: { input: 9_000, output: 10 } };
const TOO_LONG = { status: 400, body: { error: { message: 'prompt is too long: 210000 tokens > 100000 maximum' } } };

const OLD = 'Sorted with a loop.';
const SUMMARY = 'THE SUMMARY';
const summary: Answer = { steps: [ROOMY, { text: 'THE ' }, { text: 'SUMMARY' }] };

/** A first turn that fills the window; a second one that waits for a summary, calls a tool and answers. */
function work(rig: Rig, session: LiveSession): void {
  rig.server.script(
    { steps: [FULL, { text: OLD }] },
    summary,
    { steps: [ROOMY, call('list_files', {})] },
    { steps: [ROOMY, { text: 'Reversed.' }] },
  );
  session.send('Sort the list', { id: 'first' });
  session.queue('Now reverse it', { id: 'second' });
}

/** The model reads of the time before all of it, or the newest summary and what that keeps: never both, never neither. */
async function readsOnePast(rig: Rig, session: LiveSession): Promise<void> {
  rig.server.forgetScripts();
  rig.server.fallback = { steps: [ROOMY, { text: 'ok' }] };
  const receipt = session.send('next');
  assert.equal(receipt.outcome, 'started');
  assert.equal((await session.settled(receipt.turnId)).exitReason, 'answered');
  const rows = session.rows();
  const newest = rows.findLast((row) => row.kind === 'summary');
  const old = rows.find((row) => row.displayText === OLD);
  const request = sent(rig, rig.server.requests.length - 1);
  assert.equal(request.includes('<summary>'), newest !== undefined);
  assert.equal(request.includes(OLD), old !== undefined && old.seq >= (newest?.keepsFrom ?? 0));
}

const stopped: Race = {
  start: work,
  act: (session) => session.stop(),
  async judge(rig, session) {
    await idle(session);
    assertTrueRows(session, ['first', 'second']);
    const [first, second] = ['first', 'second'].map((id) => session.item(id)?.state.is);
    assert.ok(first === 'delivered' || first === 'returned');
    assert.ok(second === 'delivered' || second === 'held' || (second === 'returned' && first === 'delivered'), second);
    await readsOnePast(rig, session);
    assertTrueRows(session, ['first', 'second']);
    assertAccepted(rig);
  },
};

const said = (verb: 'send' | 'steer' | 'redirect'): Race => ({
  start: work,
  act: (session) => assert.notEqual(session[verb]('BY THE WAY', { id: 'x' }).outcome, 'refused'),
  async judge(rig, session) {
    await idle(session);
    assert.equal(session.item('x')?.state.is, 'delivered');
    assert.deepEqual(session.items(), []);
    assertTrueRows(session, ['first', 'second', 'x']);
    await readsOnePast(rig, session);
    assertAccepted(rig);
  },
});

function reloaded(): Race {
  let again: LiveSession | undefined;
  let before: readonly unknown[] = [];
  return {
    start: work,
    act: (session, rig) => {
      before = session.rows();
      again = rig.reopen(session.id);
    },
    async judge(rig) {
      assert.ok(again);
      assert.equal(again.state, 'idle');
      assert.deepEqual(again.rows().slice(0, before.length), before);
      await readsOnePast(rig, again);
      assertTrueRows(again, ['first', 'second']);
      assertAccepted(rig);
    },
  };
}

for (const wire of wires) {
  describe(`reports 8, compaction, on the ${wire} wire`, function () {
    this.timeout(60_000);
    const at = replay(wire);

    it('B115: a stop at any event around a compaction leaves the whole past or its summary', async () => {
      for (const when of ['inside', 'behind'] as const) await atEveryEvent(wire, stopped, when);
    });

    it('B115: a text at any event around a compaction is read once, after it', async () => {
      for (const verb of ['send', 'steer', 'redirect'] as const) await atEveryEvent(wire, said(verb), 'behind');
    });

    it('B115: a window that dies at any event around a compaction leaves the whole past or its summary', async () => {
      await atEveryEvent(wire, reloaded(), 'behind');
    });

    async function fill() {
      const { rig, session } = at();
      rig.server.script({ steps: [FULL, { text: OLD }] });
      session.send('Sort the list');
      await session.settled();
      return { rig, session };
    }

    it('B116: a compaction that was cancelled restores nothing: a hand edit stays', async () => {
      const { rig, session } = await fill();
      const path = rig.write('list.txt', 'before\n');
      rig.server.script({ steps: [{ text: 'THE' }, { pause: 'p' }] });
      session.send('Now reverse it');
      await event(session, 'state', (seen) => seen.phase === 'compaction');
      await (await rig.server.request(1)).paused('p');
      session.stop();
      await session.settled();
      rig.write('list.txt', 'by hand\n');
      await answersOnly(rig, rig.agent.create(), 'Another session');
      rig.reopen(session.id);
      assert.equal(readFileSync(path, 'utf8'), 'by hand\n');
    });

    it('B118: after a summary that was cut the message is answered, on the whole past', async () => {
      const { rig, session } = await fill();
      rig.server.script({ steps: [{ text: 'THE' }, { eof: true }] }, { steps: [ROOMY, { text: 'Here.' }] });
      session.send('x');
      assert.equal((await session.settled()).finalText, 'Here.');
      assert.ok(sent(rig, 2).includes(OLD));
      assert.ok(session.rows().every((row) => row.kind !== 'summary'));
    });

    it('B119: a window that stays full is compacted once in a turn, whatever the tools bring', async () => {
      const { rig, session } = await fill();
      allowAll(session);
      const round = (n: number) => ({ steps: [FULL, call('terminal', { command: `echo ${n} >> rounds` })] });
      rig.server.script(summary, round(1), round(2), round(3), { steps: [FULL, { text: 'Done.' }] });
      session.send('Go on');
      assert.equal((await session.settled()).finalText, 'Done.');
      assert.equal(session.rows().filter((row) => row.kind === 'summary').length, 1);
      assert.equal(rig.server.requests.length, 6);
    });

    it('B119: a conversation that is refused as too long after its compaction ends the turn, and no tool runs', async () => {
      const { rig, session } = await fill();
      rig.server.script(summary, TOO_LONG, { steps: [call('terminal', { command: 'touch never' })] });
      session.send('Go on');
      const result = await session.settled();
      assert.equal(result.exitReason, 'context_exhausted');
      assert.match(result.error?.message ?? '', /larger window/);
      assert.equal(rig.server.requests.length, 3);
      assert.ok(!existsSync(join(rig.folder, 'never')));
    });

    it('B121: a huge read is capped; where that and the summary are refused, the goal is still there', async () => {
      const { rig, session } = at();
      rig.write('huge.txt', 'all the same line\n'.repeat(300_000));
      rig.server.script({ steps: [call('read_file', { path: 'huge.txt' })] }, TOO_LONG, TOO_LONG);
      session.send('THE GOAL: count the lines');
      assert.equal((await session.settled()).exitReason, 'context_exhausted');
      const result = session.rows().find((row) => row.role === 'tool');
      assert.ok((result?.displayText ?? '').length < 120_000);
      assert.ok((await answersOnly(rig, session, 'x')).bytes.includes('THE GOAL'));
    });

    it('B092: a text that is queued while a compaction runs is a turn of its own, in its own session', async () => {
      const { rig, session } = await fill();
      rig.server.script(
        { steps: [ROOMY, { text: SUMMARY }, { pause: 'p' }] },
        { steps: [ROOMY, { text: 'Reversed.' }] },
      );
      session.send('Now reverse it');
      const asked = await rig.server.request(1);
      await asked.paused('p');
      session.queue('x', { id: 'x' });
      const other = rig.agent.create();
      assert.deepEqual(other.items(), []);
      asked.release('p');
      await idle(session);
      assert.ok(sent(rig, 3).includes('x'));
      assert.deepEqual(other.rows(), []);
      assertTrueRows(session, ['x']);
    });
  });
}
