import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  allowAll,
  answersOnly,
  assertTrue,
  call,
  count,
  event,
  idle,
  messagesOf,
  replay,
  sent,
  statuses,
  UNTIL_GO,
  wires,
} from './replay.ts';

for (const wire of wires) {
  describe(`reports 4, steer and redirect, on the ${wire} wire`, () => {
    const at = replay(wire);

    it('B058, B065: a steer in a long answer says that it waits for the model; Redirect now cuts the answer', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ text: 'On and on' }, { pause: 'p' }] });
      const { turnId } = session.send('Go');
      await event(session, 'delta');
      const steer = session.steer('Stop counting');
      assert.equal(session.item(steer.id)?.waitsFor?.what, 'model');
      assert.equal(session.redirectNow(steer.id).outcome, 'redirecting');
      const result = await session.settled();
      assert.equal(result.turnId, turnId);
      assert.match(messagesOf(rig.server.requests[1]).at(-1) ?? '', /Stop counting/);
      assertTrue(session, rig, [steer.id]);
    });

    it('B065, B068: a steer in a final answer leads the next turn, ahead of the queue, with no idle state between', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ text: 'Final' }, { pause: 'p' }] });
      session.send('Go');
      await event(session, 'delta');
      session.queue('Q1', { id: 'q' });
      session.steer('S1', { id: 's' });
      const since = session.seq;
      (await rig.server.request(0)).release('p');
      await event(session, 'settled', () => session.item('q')?.state.is === 'delivered' && session.state === 'idle');
      const last = (index: number) => messagesOf(rig.server.requests[index]).at(-1) ?? '';
      assert.match(last(1), /S1/);
      assert.match(last(2), /Q1/);
      const states = session.events(since).flatMap((seen) => (seen.type === 'state' ? [seen.state] : []));
      assert.deepEqual(
        states.slice(0, -1).filter((state) => state === 'idle'),
        [],
      );
    });

    it('B059: five texts in five moments are each delivered once', async () => {
      const { rig, session } = at();
      const ids = ['t1', 't2', 't3', 't4', 't5'];
      let allowed = false;
      rig.server.script(
        { steps: [{ text: 'First.' }, { pause: 'p' }, call('list_files', {})] },
        { steps: [call('terminal', { command: UNTIL_GO })] },
        { steps: [call('terminal', { command: 'echo closed by three' })] },
        { steps: [call('terminal', { command: 'echo closed by four' })] },
        { steps: [{ text: 'Last.' }, { pause: 'q' }] },
      );
      session.onDidEmit((seen) => {
        if (seen.type !== 'approval.opened') return;
        if (allowed) session.steer('four', { id: 't4' });
        else session.answer(seen.id, 'once');
        allowed = true;
      });
      session.onDidEmit((seen) => {
        if (seen.type === 'row' && seen.row.kind === 'tool_result' && seen.row.request === 2)
          session.steer('three', { id: 't3' });
      });
      session.send('Go');
      await event(session, 'delta');
      session.steer('one', { id: 't1' });
      (await rig.server.request(0)).release('p');
      await event(session, 'tool', (tool) => tool.name === 'terminal' && tool.state === 'running');
      session.steer('two', { id: 't2' });
      rig.write('go', '');
      await event(session, 'delta', (delta) => delta.text === 'Last.');
      session.steer('five', { id: 't5' });
      (await rig.server.request(4)).release('q');
      await idle(session);
      assertTrue(session, rig, ids);
      assert.deepEqual(
        ids.map((id) => session.item(id)?.state.is),
        ids.map(() => 'delivered'),
      );
    });

    it('B062: a steer closes an open approval at once; the call was not run because of it', async () => {
      const { rig, session } = at();
      rig.server.script({
        steps: [call('terminal', { command: 'touch yarn' }), call('terminal', { command: 'touch two' })],
      });
      session.send('Install');
      await event(session, 'approval.opened');
      session.steer('use npm instead');
      assert.deepEqual(session.approvals(), []);
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.deepEqual(statuses(session), ['withdrawn', 'not_run']);
      assert.match(sent(rig, 1), /instead of answering the request for approval the user sent new guidance/);
      assert.match(messagesOf(rig.server.requests[1]).at(-1) ?? '', /use npm instead/);
      assert.ok(!existsSync(join(rig.folder, 'yarn')));
    });

    it('B062: a steer that waits already closes a card before anybody is asked', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ text: 'So' }, { pause: 'p' }, call('terminal', { command: 'touch yarn' })] });
      session.send('Install');
      await event(session, 'delta');
      session.steer('use npm instead');
      (await rig.server.request(0)).release('p');
      await session.settled();
      assert.deepEqual(statuses(session), ['withdrawn']);
      assert.ok(!session.events(0).some((seen) => seen.type === 'approval.opened'));
      assert.match(messagesOf(rig.server.requests[1]).at(-1) ?? '', /use npm instead/);
    });

    it('B064, B071, B073: a steer in the first tool is in the second request, in the same turn, and the plan goes on', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script(
        { steps: [call('terminal', { command: UNTIL_GO })] },
        { steps: [call('list_files', {})] },
        { steps: [call('list_files', {})] },
        { steps: [{ text: 'All four.' }] },
      );
      const { turnId } = session.send('Four steps');
      await event(session, 'tool', (tool) => tool.state === 'running');
      session.steer('also log it', { id: 's' });
      rig.write('go', '');
      const result = await session.settled();
      assert.deepEqual([result.turnId, result.finalText, result.requests], [turnId, 'All four.', 4]);
      assert.match(messagesOf(rig.server.requests[1]).at(-1) ?? '', /also log it/);
      const row = session.rows().find((one) => one.itemIds?.includes('s'));
      assert.deepEqual([row?.kind, row?.turnId, row?.role], ['steer', turnId, 'user']);
    });

    it('B067: a steer in the gap between the batch and the next request is in that request, and in the transcript after a reload', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [call('list_files', {})] });
      session.onDidEmit((seen) => {
        if (seen.type === 'request.started' && seen.request === 2) session.steer('too late for two', { id: 'late' });
        if (seen.type === 'row' && seen.row.kind === 'tool_result') session.steer('in the gap', { id: 'gap' });
      });
      session.send('Go');
      await idle(session);
      await event(session, 'settled', () => session.state === 'idle');
      const again = rig.reopen(session.id);
      assertTrue(again, rig, ['gap', 'late']);
      assert.deepEqual(
        ['gap', 'late'].map((id) => again.item(id)?.state.is),
        ['delivered', 'delivered'],
      );
    });

    it('B076: a steer, then a stop while the command ends: it goes back to the user and is sent nowhere', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({ steps: [call('terminal', { command: 'echo ready; sleep 60' })] });
      session.send('Go');
      await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
      session.steer('UNREAD', { id: 's' });
      session.stop();
      await session.settled();
      assert.equal(session.item('s')?.state.is, 'returned');
      assert.ok(!(await answersOnly(rig, session, 'next')).bytes.includes('UNREAD'));
    });

    it('B077: a redirect into a running command is answered by a request of its own', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script(
        { steps: [call('terminal', { command: 'echo ready; sleep 60' })] },
        { steps: [{ text: 'Instead.' }] },
      );
      session.send('Go');
      await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
      session.redirect('do this instead');
      assert.equal((await session.settled()).finalText, 'Instead.');
      assert.match(messagesOf(rig.server.requests[1]).at(-1) ?? '', /do this instead/);
      assert.deepEqual(statuses(session), ['yielded']);
    });

    it('B079: a retried steer with the same id is accepted and read once', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({ steps: [call('terminal', { command: UNTIL_GO })] });
      session.send('Go');
      await event(session, 'tool', (tool) => tool.state === 'running');
      const first = session.steer('ONCE', { id: 'same' });
      assert.deepEqual(session.steer('ONCE', { id: 'same' }), first);
      rig.write('go', '');
      await session.settled();
      assert.deepEqual(session.steer('ONCE', { id: 'same' }).outcome, first.outcome);
      assert.equal(session.state, 'idle');
      assert.equal(count(sent(rig, 1), 'ONCE'), 1);
    });

    it('B082: two steers of the same text are both read', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({ steps: [call('terminal', { command: UNTIL_GO })] });
      session.send('Go');
      await event(session, 'tool', (tool) => tool.state === 'running');
      session.steer('ok', { id: 'a' });
      session.steer('ok', { id: 'b' });
      rig.write('go', '');
      await session.settled();
      assert.deepEqual(session.items(), []);
      assertTrue(session, rig, ['a', 'b']);
      assert.match(messagesOf(rig.server.requests[1]).at(-1) ?? '', /ok\\n\\nok/);
    });

    it('B083: a queue entry does not turn later steers into queue entries', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({ steps: [call('terminal', { command: UNTIL_GO })] }, { steps: [{ text: 'Mid.' }] });
      session.send('Go');
      await event(session, 'tool', (tool) => tool.state === 'running');
      session.queue('Q1', { id: 'q' });
      assert.equal(session.steer('S1').outcome, 'steering');
      assert.equal(session.steer('S2').outcome, 'steering');
      rig.write('go', '');
      await event(session, 'settled', () => session.item('q')?.state.is === 'delivered' && session.state === 'idle');
      assert.match(messagesOf(rig.server.requests[1]).at(-1) ?? '', /S1\\n\\nS2/);
      assert.ok(!sent(rig, 1).includes('Q1'));
      assert.match(messagesOf(rig.server.requests[2]).at(-1) ?? '', /Q1/);
    });
  });
}

describe('reports 4, steer in a new session', () => {
  const at = replay('openai-chat');

  it('B061: a steer before the first byte of a new session stays with it', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'Hi' }], holdHead: true });
    session.send('First');
    session.steer('Also this', { id: 's' });
    (await rig.server.request(0)).release();
    await idle(session);
    assert.equal(session.item('s')?.state.is, 'delivered');
    assert.match(messagesOf(rig.server.requests.at(-1)).at(-1) ?? '', /Also this/);
  });
});
