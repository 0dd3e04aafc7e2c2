import assert from 'node:assert/strict';
import {
  allowAll,
  answersOnly,
  assertTrue,
  call,
  event,
  idle,
  messagesOf,
  replay,
  statuses,
  UNTIL_GO,
} from './replay.ts';

describe('reports 5, queue', () => {
  const at = replay('openai-chat');
  const last = (index: number) => messagesOf(at().rig.server.requests[index]).at(-1) ?? '';

  it('B085: what is sent when the turn ends goes behind what was queued before', async () => {
    const { session } = at();
    session.onDidEmit((seen) => {
      if (seen.type === 'turn.ended' && session.item('3') === undefined) session.queue('three', { id: '3' });
    });
    session.send('zero');
    session.queue('one', { id: '1' });
    session.queue('two', { id: '2' });
    await event(session, 'settled', () => session.item('3')?.state.is === 'delivered' && session.state === 'idle');
    for (const [index, text] of ['zero', 'one', 'two', 'three'].entries()) assert.ok(last(index).includes(text));
  });

  it('B086, B094: an entry queued in a tool is on the list until it is in the transcript, and then runs by itself', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: UNTIL_GO })] });
    session.send('Go');
    await event(session, 'tool', (tool) => tool.state === 'running');
    session.queue('why so long', { id: 'q' });
    session.onDidEmit(() => {
      const listed = session.items().some(({ id }) => id === 'q');
      const stored = session.rows().some((row) => row.itemIds?.includes('q'));
      assert.equal(listed, !stored);
    });
    rig.write('go', '');
    await event(session, 'settled', () => session.item('q')?.state.is === 'delivered' && session.state === 'idle');
    assert.match(last(2), /why so long/);
  });

  it('B088: a first message while the model is still looked up is asked, or fails aloud and is kept', async () => {
    const { rig, session } = at();
    session.send('First with much to do');
    await session.settled();
    assert.match(last(0), /First with much to do/);
    assert.equal(rig.server.requests.length, 1);
  });

  it('B089: after each way in which a turn ends, the next message starts a turn at once', async () => {
    const { rig, session } = at();
    rig.settings = { ...rig.settings, maxAttempts: 1, stepBudget: 2 };
    rig.agent.settingsChanged();
    await answersOnly(rig, session, 'answered');

    rig.server.script({ status: 401, body: { error: { message: 'no' } } });
    session.send('error');
    assert.equal((await session.settled()).exitReason, 'model_error');
    await answersOnly(rig, session, 'after an error');

    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    session.send('stop');
    await event(session, 'delta', (delta) => delta.text === 'x');
    session.stop();
    await session.settled();
    await answersOnly(rig, session, 'after a stop');

    rig.hooks.set('pre_llm_call', () => ({ block: 'no' }));
    session.send('blocked');
    await session.settled();
    rig.hooks.clear();
    await answersOnly(rig, session, 'after a hook');

    rig.server.script({ steps: [call('list_files', {})] }, { steps: [call('list_files', {})] });
    session.send('budget');
    assert.equal((await session.settled()).exitReason, 'step_budget');
    await answersOnly(rig, session, 'after the budget');

    rig.server.script({ steps: [{ text: ' ' }] }, { steps: [{ text: ' ' }] });
    session.send('nothing');
    assert.equal((await session.settled()).exitReason, 'no_answer');
    await answersOnly(rig, session, 'after no answer');

    const again = rig.reopen(session.id);
    await answersOnly(rig, again, 'after a reload');
  });

  it('B092: a queue belongs to one session', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'Busy' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    session.queue('MINE', { id: 'q' });
    const other = rig.agent.create();
    assert.ok(!(await answersOnly(rig, other, 'New task')).bytes.includes('MINE'));
    assert.deepEqual(other.items(), []);
    (await rig.server.request(0)).release('p');
    await event(session, 'settled', () => session.item('q')?.state.is === 'delivered' && session.state === 'idle');
  });

  it('B095: an entry queued before a stop is held, also after a reload; a bare stop starts nothing', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    session.queue('q', { id: 'q' });
    session.stop();
    await session.settled();
    const again = rig.reopen(session.id);
    assert.deepEqual(
      again.items().map((item) => [item.text, item.state.is]),
      [['q', 'held']],
    );
    assert.equal(again.resumeQueue().outcome, 'started');
    await idle(again);
    assert.equal(rig.server.requests.length, 2);
    assert.equal(again.item('q')?.state.is, 'delivered');
  });

  it('B097: between a turn and the queued one behind it the session is never idle', async () => {
    const { session } = at();
    session.send('one');
    session.queue('two', { id: 'q' });
    await event(session, 'settled', () => session.item('q')?.state.is === 'delivered' && session.state === 'idle');
    const states = session.events(0).flatMap((seen) => (seen.type === 'state' ? [seen.state] : []));
    assert.equal(states.indexOf('idle'), states.length - 1);
  });

  it('B098: what is sent while the stop still settles runs after it', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: "trap '' INT; echo ready; sleep 60 & wait; sleep 60" })] });
    session.send('Go');
    await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
    session.queue('older', { id: 'old' });
    session.stop();
    assert.equal(session.state, 'stopping');
    const receipt = session.send('new plan', { id: 'new' });
    assert.equal(receipt.outcome, 'queued');
    await event(session, 'settled', () => session.item('new')?.state.is === 'delivered' && session.state === 'idle');
    assert.equal(session.item('old')?.state.is, 'held');
    assert.match(last(1), /new plan/);
    assert.deepEqual(statuses(session), ['stopped']);
    assertTrue(session, rig, ['old', 'new']);
  });
});
