import assert from 'node:assert/strict';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import { allowAll, answersOnly, call, event, replay } from '../reports/replay.ts';

const never = () => new Promise<never>(() => {});

describe('hooks: a turn that is stopped', () => {
  const at = replay('openai-chat');
  const told = () => at().rig.fired.filter((one) => one.event === 'agent_loop_stopped');

  /** A turn whose model has said something and goes on. */
  async function atWork(session: LiveSession, text = 'Go'): Promise<void> {
    at().rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    const since = session.seq;
    session.send(text);
    await event(session, 'delta', () => true, since);
  }

  it('48. a stop of a running turn is told exactly once, after the turn has ended', async () => {
    const { rig, session } = at();
    const seen: string[] = [];
    rig.hooks.set('agent_loop_stopped', () => {
      seen.push(session.state);
      return {};
    });
    await atWork(session);
    session.stop({ reason: 'stop_command' });
    await session.settled();
    assert.deepEqual(seen, ['idle']);
    const { reason, invalidation_reason, phase, had_partial_text, session_key, platform } = told()[0]?.payload ?? {};
    assert.deepEqual(
      [reason, invalidation_reason, phase, had_partial_text, session_key, platform],
      ['user_stop', 'stop_command', 'model', true, session.id, 'vscode'],
    );
  });

  it('49. a turn that has stored nothing yet is not told', async () => {
    const { rig, session } = at();
    rig.hooks.set('agent_loop_stopped', () => ({}));
    rig.hooks.set('pre_llm_call', never);
    session.send('Go');
    session.stop();
    await session.settled();
    assert.deepEqual(told(), []);
  });

  it('50. a stop of an idle session is not told', async () => {
    const { rig, session } = at();
    rig.hooks.set('agent_loop_stopped', () => ({}));
    assert.equal(session.stop().outcome, 'nothing_running');
    await answersOnly(rig, session, 'next');
    assert.deepEqual(told(), []);
  });

  it('51. a hook that throws changes nothing: the stop succeeds and the next message works', async () => {
    const { rig, session } = at();
    rig.hooks.set('agent_loop_stopped', () => {
      throw new Error('broken');
    });
    await atWork(session);
    session.stop();
    assert.equal((await session.settled()).exitReason, 'interrupted_by_user');
    assert.match(rig.hooks.problems.join(), /broken/);
    await answersOnly(rig, session, 'next');
  });

  it('52. a hook that looks at two values is given these two', async () => {
    const { rig, session } = at();
    const seen: unknown[] = [];
    rig.hooks.set('agent_loop_stopped', ({ reason, platform }) => {
      seen.push(reason, platform);
      return {};
    });
    await atWork(session);
    session.stop();
    await session.settled();
    assert.deepEqual(seen, ['user_stop', 'vscode']);
  });

  it('53. a stop through the API is told with its surface and the scope of its own session', async () => {
    const { rig, session } = at();
    const other = rig.agent.create();
    rig.hooks.set('agent_loop_stopped', () => ({}));
    await atWork(session);
    await atWork(other);
    other.stop();
    await other.settled();
    const { session_id, session_key, platform, invalidation_reason } = told()[0]?.payload ?? {};
    assert.deepEqual([session_id, session_key, platform, invalidation_reason], [other.id, other.id, 'vscode', 'api']);
    session.stop();
    await session.settled();
    assert.equal(told().length, 2);
  });

  it('F1. a stop runs the hook of interrupts and no Stop hook', async () => {
    const { rig, session } = at();
    const ran: string[] = [];
    for (const name of ['agent_loop_stopped', 'pre_verify', 'post_llm_call'] as const) {
      const run = async () => {
        ran.push(name);
        return { answer: {} };
      };
      rig.hooks.register({ event: name, run });
    }
    await atWork(session);
    session.stop();
    await session.settled();
    assert.deepEqual(ran, ['agent_loop_stopped']);
  });

  it('F2. the user interrupts in any phase and the hook names it', async () => {
    const { rig, session } = at();
    rig.hooks.set('agent_loop_stopped', () => ({}));
    await atWork(session);
    session.stop();
    await session.settled();

    rig.server.script({ steps: [call('terminal', { command: 'sleep 60' })] });
    let since = session.seq;
    session.send('approval');
    await event(session, 'approval.opened', () => true, since);
    session.stop();
    await session.settled();

    rig.hooks.set('pre_tool_call', never);
    rig.server.script({ steps: [call('list_files', {})] });
    since = session.seq;
    session.send('hook');
    await event(session, 'state', ({ phase }) => phase === 'hook', since);
    session.stop();
    await session.settled();
    rig.hooks.delete('pre_tool_call');

    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: 'sleep 60' })] });
    since = session.seq;
    session.send('tool');
    await event(session, 'tool', ({ state }) => state === 'running', since);
    session.stop();
    await session.settled();

    assert.deepEqual(
      told().map(({ payload }) => payload.phase),
      ['model', 'approval', 'hook', 'tool'],
    );
  });

  it('F3. every turn that was told to begin is told to end, also when its window closes', async () => {
    const { rig, session } = at();
    for (const name of ['agent_loop_stopped', 'on_session_end', 'on_session_finalize'] as const) {
      rig.hooks.set(name, () => ({}));
    }
    rig.hooks.set('pre_llm_call', () => ({}));
    await answersOnly(rig, session, 'finishes');
    await atWork(session, 'is stopped');
    session.stop();
    await session.settled();
    await atWork(session, 'is cut');
    await rig.agent.close();
    assert.deepEqual(
      rig.fired.map(
        (one) => one.payload.invalidation_reason ?? one.payload.completed ?? one.payload.reason ?? one.event,
      ),
      ['pre_llm_call', true, 'pre_llm_call', 'api', false, 'pre_llm_call', 'window_closed', 'window_closed'],
    );
  });

  it('F31. a hook is told of the session and the folder that the stop was in', async () => {
    const { rig, session } = at();
    const other = rig.agent.create();
    rig.hooks.set('agent_loop_stopped', () => ({}));
    for (const one of [session, other]) await atWork(one);
    for (const one of [other, session]) {
      one.stop();
      await one.settled();
    }
    assert.deepEqual(
      told().map(({ payload }) => [payload.session_id, payload.cwd]),
      [other, session].map(({ id }) => [id, rig.folder]),
    );
  });

  it('a hook that hangs keeps neither the session nor what the user sends next', async () => {
    const { rig, session } = at();
    rig.hooks.set('agent_loop_stopped', never);
    await atWork(session);
    session.stop();
    assert.equal(session.state, 'idle');
    assert.equal(session.send('next').outcome, 'started');
    await event(session, 'turn.ended', ({ result }) => result.finalText.includes('next'));
  });

  for (const name of ['pre_llm_call', 'pre_tool_call', 'pre_approval_request', 'on_session_end'] as const) {
    it(`a hook of ${name} may use the session that it is told of: each verb has its receipt`, async () => {
      const { rig, session } = at();
      const outcomes: string[] = [];
      rig.hooks.set(name, () => {
        rig.hooks.delete(name);
        session.stop();
        const receipts = [session.send('first'), session.stop(), session.send('second')];
        outcomes.push(...receipts.map(({ outcome }) => outcome));
        return {};
      });
      const tool = name === 'pre_approval_request' ? call('terminal', { command: 'ls' }) : call('list_files', {});
      rig.server.script({ steps: [tool] });
      session.send('Go');
      await event(session, 'turn.ended', ({ result }) => result.finalText.includes('second'));
      assert.deepEqual(outcomes, ['started', 'stopping', 'started']);
    });
  }

  it('stop and send is told as a message of the user', async () => {
    const { rig, session } = at();
    rig.hooks.set('agent_loop_stopped', () => ({}));
    await atWork(session);
    session.stopAndSend('other');
    await event(session, 'turn.ended', ({ result }) => result.completed);
    const { reason, invalidation_reason } = told()[0]?.payload ?? {};
    assert.deepEqual([reason, invalidation_reason], ['user_message', 'stop_and_send']);
  });
});
