import assert from 'node:assert/strict';
import { allowAll, answersOnly, call, event, replay, sent, statuses } from './replay.ts';

describe('reports 9, hooks', () => {
  const at = replay('openai-chat');
  const fired = (name: string) => at().rig.fired.filter((one) => one.event === name);

  it('B127: a stop in a hook before a tool leaves each call with one result and one end', async () => {
    const { rig, session } = at();
    let asked: () => void = () => {};
    const reached = new Promise<void>((resolve) => (asked = resolve));
    rig.hooks.set('pre_tool_call', () => {
      asked();
      return new Promise(() => {});
    });
    rig.hooks.set('post_tool_call', () => ({}));
    rig.server.script({ steps: [call('list_files', {}), call('list_files', {})] });
    session.send('Go');
    await reached;
    session.stop();
    await session.settled();
    assert.deepEqual(statuses(session), ['not_run', 'not_run']);
    assert.deepEqual(
      fired('post_tool_call').map(({ payload }) => payload.status),
      ['cancelled', 'cancelled'],
    );
  });

  it('B128: one stop, or two at once, fire agent_loop_stopped once', async () => {
    const { rig, session } = at();
    rig.hooks.set('agent_loop_stopped', () => ({}));
    for (const presses of [1, 2]) {
      rig.server.script({ steps: [{ text: `x${presses}` }, { pause: 'p' }] });
      session.send('Go');
      await event(session, 'delta', (delta) => delta.text === `x${presses}`);
      for (let press = 0; press < presses; press++) session.stop();
      await session.settled();
      assert.equal(fired('agent_loop_stopped').length, presses);
    }
  });

  it('B128: a stop that waits for a tool, pressed twice, fires it once, after the turn has ended', async () => {
    const { rig, session } = at();
    allowAll(session);
    let state = '';
    rig.hooks.set('agent_loop_stopped', () => {
      state = session.state;
      return {};
    });
    rig.server.script({ steps: [call('terminal', { command: 'echo ready; sleep 60' })] });
    session.send('Go');
    await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
    session.stop();
    session.stop();
    await session.settled();
    assert.deepEqual([fired('agent_loop_stopped').length, state], [1, 'idle']);
    const payload = fired('agent_loop_stopped')[0]?.payload;
    assert.deepEqual([payload?.phase, payload?.reason], ['tool', 'user_stop']);
  });

  it('B130: a veto before a tool is a result with its reason; the model goes on and input works', async () => {
    const { rig, session } = at();
    rig.hooks.set('pre_tool_call', () => ({ block: 'not on Fridays' }));
    rig.server.script({ steps: [call('list_files', {})] }, { steps: [{ text: 'Then not.' }] });
    session.send('Go');
    assert.equal((await session.settled()).finalText, 'Then not.');
    assert.match(sent(rig, 1), /not on Fridays/);
    await answersOnly(rig, session, 'next');
  });

  it('B131: a stop while a prompt hook runs makes no request, also when the hook answers later', async () => {
    const { rig, session } = at();
    let answer: (value: object) => void = () => {};
    rig.hooks.set('pre_llm_call', () => new Promise((resolve) => (answer = resolve)));
    session.send('Go', { id: 'first' });
    session.stop();
    assert.equal(session.state, 'idle');
    await session.settled();
    answer({});
    rig.hooks.clear();
    await answersOnly(rig, session, 'next');
    assert.equal(rig.server.requests.length, 1);
    assert.equal(session.item('first')?.state.is, 'returned');
  });

  it('B134: a slow hook at the end of a turn keeps nobody waiting', async () => {
    const { rig, session } = at();
    rig.hooks.set('on_session_end', () => new Promise(() => {}));
    session.send('One');
    await event(session, 'turn.ended');
    assert.equal(session.state, 'idle');
    assert.equal(session.send('Two').outcome, 'started');
    await event(session, 'turn.ended', (ended) => ended.result.finalText.includes('Two'));
  });

  it('B136: an API client gets the end of a turn that it aborted in a tool', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: 'sleep 60' })] });
    session.send('Go');
    await event(session, 'tool', (tool) => tool.state === 'running');
    session.stop();
    const { result } = await event(session, 'turn.ended');
    assert.deepEqual([result.interrupted, result.completed, result.failed], [true, false, false]);
    assert.equal((await session.settled()).exitReason, 'interrupted_by_user');
  });
});
