import assert from 'node:assert/strict';
import type { HookEvent, HookPayload } from '../../src/api.ts';
import { allowAll, answersOnly, call, event, messagesOf, replay } from '../reports/replay.ts';
import { Rig } from '../unit/turn/rig.ts';

/** Every event that a turn can fire, told by hooks that say nothing. */
const ALL: readonly HookEvent[] = [
  'on_session_start',
  'pre_llm_call',
  'pre_api_request',
  'on_stream_start',
  'on_stream_end',
  'post_api_request',
  'on_interim_message',
  'pre_tool_call',
  'pre_approval_request',
  'notification',
  'post_approval_response',
  'transform_terminal_output',
  'post_tool_call',
  'transform_tool_result',
  'post_tool_batch',
  'transform_llm_output',
  'pre_verify',
  'post_llm_call',
  'on_session_end',
  'agent_loop_stopped',
  'api_request_error',
];

describe('hooks: the order of events', () => {
  const at = replay('openai-chat');
  const names = () => at().rig.fired.map((one) => one.event);
  const listen = (...events: readonly HookEvent[]) => {
    for (const name of events) at().rig.hooks.set(name, () => undefined);
  };

  it('F30. each event of a turn is fired at one place, once, in its order', async () => {
    const { rig, session } = at();
    allowAll(session);
    listen(...ALL.filter((name) => !name.startsWith('on_stream') && name !== 'on_interim_message'));
    rig.server.script(
      { steps: [{ text: 'I will.' }, call('write_file', { path: 'a', content: 'x' })] },
      { steps: [call('terminal', { command: 'echo hello' })] },
      { steps: [{ text: 'Done.' }] },
    );
    session.send('Go');
    await session.settled();
    const request = ['pre_api_request', 'post_api_request'];
    const card = ['pre_tool_call', 'pre_approval_request', 'notification', 'post_approval_response'];
    assert.deepEqual(names(), [
      'on_session_start',
      'pre_llm_call',
      ...request,
      ...card,
      'post_tool_call',
      'transform_tool_result',
      'post_tool_batch',
      ...request,
      ...card,
      'transform_terminal_output',
      'post_tool_call',
      'transform_tool_result',
      'post_tool_batch',
      ...request,
      'transform_llm_output',
      'pre_verify',
      'notification',
      'post_llm_call',
      'on_session_end',
    ]);
    const [first] = rig.fired.filter((one) => one.event === 'pre_llm_call');
    const { schema, session_id, session_key, turn_id, platform, cwd } = first?.payload ?? {};
    assert.deepEqual(
      [schema, session_id, session_key, typeof turn_id, platform, cwd],
      ['midcourse.hooks.v1', session.id, session.id, 'string', 'vscode', rig.folder],
    );
  });

  it('each attempt of a request is told, and of an error whether it is tried again', async () => {
    const { rig, session } = at();
    listen('pre_api_request', 'post_api_request', 'api_request_error');
    rig.settings = { ...rig.settings, maxAttempts: 1 };
    rig.server.script({ status: 400, body: { error: { message: 'bad' } } });
    session.send('Go');
    const result = await session.settled();
    assert.equal(result.failed, true);
    assert.deepEqual(names(), ['pre_api_request', 'post_api_request', 'api_request_error']);
    const [, post, error] = rig.fired.map(({ payload }) => payload);
    assert.deepEqual([post?.status, error?.will_retry, post?.attempt], ['failed', false, 1]);
  });

  it('a stream is told from its start to its end, with the last words of the turn', async () => {
    const { rig, session } = at();
    listen('on_stream_start', 'on_stream_delta', 'on_stream_end', 'on_interim_message');
    rig.server.script({ steps: [{ text: 'I will.' }, call('list_files', {})] }, { steps: [{ text: 'Done.' }] });
    session.send('Go');
    await session.settled();
    const of = (name: HookEvent) => rig.fired.filter((one) => one.event === name).map(({ payload }) => payload);
    while (of('on_interim_message').length < 2 || of('on_stream_end').length < 2) await new Promise(setImmediate);
    assert.deepEqual(
      of('on_stream_end').map(({ final_text, finished, iteration, surface }) => [
        final_text,
        finished,
        iteration,
        surface,
      ]),
      [
        ['I will.', true, 1, 'chat'],
        ['Done.', true, 2, 'chat'],
      ],
    );
    assert.deepEqual(
      of('on_interim_message').map(({ text, final }) => [text, final]),
      [
        ['I will.', false],
        ['Done.', true],
      ],
    );
    assert.equal(of('on_stream_start').length, 2);
  });

  it('a new session in the place of another: the end of the old one, the reset, then its start with its first turn', async () => {
    const { rig, session } = at();
    await answersOnly(rig, session, 'old');
    listen('on_session_start', 'on_session_finalize', 'on_session_reset', 'pre_llm_call');
    const next = rig.agent.create();
    await session.finalize('new_session', next.id);
    next.replace(session.id);
    await answersOnly(rig, next, 'new');
    assert.deepEqual(
      rig.fired.map(({ event: name, payload }) => [
        name,
        payload.session_id === next.id,
        payload.source ?? payload.reason,
      ]),
      [
        ['on_session_finalize', false, 'new_session'],
        ['on_session_reset', true, 'new_session'],
        ['on_session_start', true, 'clear'],
        ['pre_llm_call', true, undefined],
      ],
    );
    assert.deepEqual(
      rig.fired.map(({ payload }) => payload.new_session_id ?? payload.old_session_id),
      [next.id, session.id, undefined, undefined],
    );
  });

  it('a session that is opened again starts for hooks of other systems, and their context goes with its first message', async () => {
    const { rig, session } = at();
    const sources: unknown[] = [];
    const run = async (payload: HookPayload) => {
      sources.push('source' in payload ? payload.source : undefined);
      return { answer: { context: 'It is Monday.' } };
    };
    rig.hooks.register({ event: 'on_session_start', name: 'day', run });
    listen('on_session_start');
    await answersOnly(rig, session, 'first');
    const again = rig.reopen(session.id);
    const request = await answersOnly(rig, again, 'second');
    assert.deepEqual(sources, ['startup', 'resume']);
    const last = messagesOf(request).at(-1) ?? '';
    assert.match(last, /second.*\[Context added by the hook day\]/);
    assert.deepEqual(names(), ['on_session_start', 'on_session_start', 'on_session_start']);
  });

  it('a message that a hook refuses goes back with the hook and its reason', async () => {
    const { rig, session } = at();
    rig.hooks.set('pre_llm_call', ({ user_message }) =>
      user_message === 'secret' ? { block: 'no secrets' } : undefined,
    );
    session.send('secret', { id: 'refused' });
    await session.settled();
    const item = session.item('refused');
    assert.equal(item?.state.is === 'returned' && item.state.why, 'rig: no secrets');
    assert.equal(rig.server.requests.length, 0);
  });

  it('a compaction that the user asked for can be refused by a hook, and says so', async () => {
    const { rig, session } = at();
    rig.hooks.set('pre_compact', ({ trigger }) => ({ block: `not ${trigger}` }));
    await answersOnly(rig, session, 'one');
    session.compact();
    const result = await session.settled();
    assert.match(result.error?.message ?? '', /the hook rig refused it: not manual/);
  });

  it('the model that will answer is named from the first event on, also where the session has not chosen one', async () => {
    const { rig, session } = at();
    listen('on_session_start', 'pre_llm_call', 'pre_api_request');
    rig.server.script({ steps: [{ text: 'Done.' }] });
    session.send('Go');
    await session.settled();
    assert.deepEqual(
      rig.fired.map(({ payload }) => payload.model),
      ['fake/model', 'fake/model', 'fake/model'],
    );
  });

  it('a choice of another model is told before and after it', async () => {
    const { rig, session } = at();
    listen('pre_model_switch', 'post_model_switch', 'pre_command');
    session.setModel('fake/other');
    session.tellCommand('compact', 'now');
    await Promise.resolve();
    assert.deepEqual(
      rig.fired.map(({ event: name, payload }) => [name, payload.to_model ?? payload.command]),
      [
        ['pre_model_switch', 'fake/other'],
        ['post_model_switch', 'fake/other'],
        ['pre_command', 'compact'],
      ],
    );
  });

  for (const name of ['pre_llm_call', 'pre_tool_call', 'post_tool_call', 'pre_verify'] as const) {
    it(`F29. a turn that waits for a hook of ${name} says for which`, async () => {
      const { rig, session } = at();
      const answer = Promise.withResolvers<object>();
      const run = async () => ({ answer: await answer.promise });
      rig.hooks.register({ event: name, name: './slow.sh', run });
      rig.server.script({ steps: [call('list_files', {})] });
      session.send('Go');
      const waits = await event(session, 'state', ({ label }) => label === './slow.sh');
      assert.equal(waits.phase, { pre_llm_call: 'starting', pre_verify: 'finalizing' }[name as string] ?? 'hook');
      answer.resolve({});
      await session.settled();
      assert.equal(session.lastState?.state, 'idle');
    });
  }

  it('a turn that waits for a hook is not taken for one that stands still', async () => {
    const rig = await Rig.start('openai-chat', { livenessTimeout: 80 });
    const session = rig.agent.create();
    const stopped: unknown[] = [];
    rig.hooks.register({
      event: 'pre_tool_call',
      run: async () => {
        // Longer than a turn may stand still.
        const looks = Promise.withResolvers<void>();
        setTimeout(looks.resolve, 250);
        await looks.promise;
        return { answer: {} };
      },
    });
    rig.hooks.set('agent_loop_stopped', ({ reason }) => void stopped.push(reason));
    rig.server.script({ steps: [call('list_files', {})] });
    session.send('Go');
    assert.deepEqual([(await session.settled()).exitReason, stopped], ['answered', []]);
    await rig.close();
  });
});
