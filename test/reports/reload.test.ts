import assert from 'node:assert/strict';
import {
  allowAll,
  answersOnly,
  assertTrue,
  call,
  event,
  messagesOf,
  replay,
  statuses,
  UNTIL_GO,
  wires,
} from './replay.ts';

for (const wire of wires) {
  describe(`reports 11, reload, on the ${wire} wire`, () => {
    const at = replay(wire);

    it('B152: a reload in an answer keeps its text, marked as interrupted; the composer is live', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ text: 'Half an answer' }, { pause: 'p' }] });
      session.send('Go');
      await event(session, 'delta');
      const again = rig.reopen(session.id);
      assert.equal(again.state, 'idle');
      assert.deepEqual(
        [again.rows().at(-1)?.displayText, again.rows().at(-1)?.interrupted],
        ['Half an answer', 'reload'],
      );
      assert.equal((await again.settled()).exitReason, 'interrupted_by_reload');
      assert.ok((await answersOnly(rig, again, 'go on')).bytes.includes('Half an answer'));
    });

    it('B154: a message is on disk before its request is there, and is not asked again by the reload', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ text: 'x' }], holdHead: true });
      session.send('Keep me');
      const again = rig.reopen(session.id);
      assert.equal(again.rows()[0]?.displayText, 'Keep me');
      assert.equal(again.state, 'idle');
    });

    it('B155: a reload right behind the end of a turn finds an idle session', async () => {
      const { rig, session } = at();
      session.send('Go');
      await event(session, 'turn.ended');
      const again = rig.reopen(session.id);
      assert.equal(again.state, 'idle');
      assert.equal((await again.settled()).exitReason, 'answered');
    });

    it('B046: a reload while an approval is open closes it as not run, and the next request is legal', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [call('write_file', { path: 'w.txt', content: 'w' }), call('list_files', {})] });
      session.send('Write');
      const { id } = await event(session, 'approval.opened');
      const again = rig.reopen(session.id);
      assert.deepEqual(again.approvals(), []);
      assert.equal(again.answer(id, 'once'), false);
      assert.deepEqual(statuses(again), ['not_run', 'not_run']);
      const messages = messagesOf(await answersOnly(rig, again, 'go on'));
      assert.match(messages.at(-2) ?? '', /"assistant"/, 'the results are closed before the new text');
    });

    it('B086: steers and queue entries survive a reload as held, once each, and run when resumed', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({ steps: [call('terminal', { command: `echo ready; ${UNTIL_GO}` })] });
      session.send('Go');
      await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
      const first = session.steer('STEER', { id: 's' });
      session.queue('QUEUE', { id: 'q' });
      const again = rig.reopen(session.id);
      assert.deepEqual(
        again.items().map((item) => [item.id, item.state.is]),
        [
          ['s', 'held'],
          ['q', 'held'],
        ],
      );
      assert.deepEqual(
        again.steer('STEER', { id: 's' }),
        first,
        'a repeat gets the first receipt, also after a reload',
      );
      again.resumeQueue();
      await event(again, 'settled', () => again.item('q')?.state.is === 'delivered' && again.state === 'idle');
      assertTrue(again, rig, ['s', 'q']);
    });

    it('B160: a stop and the same text again only add rows, and old rows keep their place', async () => {
      const { rig, session } = at();
      for (let n = 0; n < 10; n++) await answersOnly(rig, session, `message ${n}`);
      rig.server.script({ steps: [{ text: 'x' }], holdHead: true });
      const before = session.rows();
      session.send('again');
      await rig.server.request(10);
      session.stop();
      await session.settled();
      await answersOnly(rig, session, 'again');
      assert.deepEqual(session.rows().slice(0, before.length), before);
      assert.equal(session.rows().length, before.length + 3);
      assertTrue(session, rig, []);
    });

    it('control 113: a stop that was acknowledged is not revived when the process dies right behind it', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({
        steps: [call('terminal', { command: "trap '' INT; echo ready; sleep 60 & wait; sleep 60" })],
      });
      session.send('Go');
      await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
      session.stop();
      assert.equal(session.state, 'stopping');
      const again = rig.reopen(session.id);
      assert.equal((await again.settled()).exitReason, 'interrupted_by_user');
      assert.match((await answersOnly(rig, again, 'next')).bytes.toString(), /stopped your previous turn/);
    });
  });
}

describe('reports 11, order', () => {
  const at = replay('openai-chat');

  it('B164: order is by the session’s numbers: a clock that goes back changes nothing', async () => {
    const { rig, session } = at();
    await answersOnly(rig, session, 'one');
    const { now } = Date;
    Date.now = () => now() - 600_000;
    try {
      await answersOnly(rig, session, 'two');
    } finally {
      Date.now = now;
    }
    assert.deepEqual(
      rig
        .reopen(session.id)
        .rows()
        .map((row) => row.displayText),
      ['one', 'You said: one', 'two', 'You said: two'],
    );
  });
});
