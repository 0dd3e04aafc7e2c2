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
  sent,
  statuses,
  UNTIL_GO,
} from './replay.ts';

describe('cases of the reference system', () => {
  const at = replay('openai-chat');

  it('control 11, 107, 117: a stop in one session touches no other', async () => {
    const { rig, session } = at();
    const other = rig.agent.create();
    rig.server.script(
      { steps: [{ text: 'A' }, { pause: 'a' }] },
      { steps: [{ text: 'B' }, { pause: 'b' }, { text: 'C' }] },
    );
    session.send('one');
    await event(session, 'delta');
    other.send('two');
    await event(other, 'delta');
    session.stop();
    (await rig.server.request(1)).release('b');
    assert.equal((await other.settled()).finalText, 'BC');
  });

  it('control 24: nothing was streamed: no row stands for the answer', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'x' }], holdHead: true });
    session.send('one');
    await rig.server.request(0);
    session.stop();
    await session.settled();
    assert.deepEqual(
      session.rows().map((row) => row.role),
      ['user'],
    );
  });

  it('control 36: a blank text is refused, and nothing changes', () => {
    const { session } = at();
    for (const verb of ['send', 'steer', 'redirect', 'queue', 'stopAndSend'] as const) {
      const receipt = session[verb](' \n');
      assert.deepEqual([receipt.outcome, 'reason' in receipt && receipt.reason], ['refused', 'empty']);
    }
    assert.equal(session.state, 'idle');
  });

  it('control 39: two hundred steers are all read, in order, in one row', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: UNTIL_GO })] });
    session.send('Go');
    await event(session, 'tool', (tool) => tool.state === 'running');
    const texts = Array.from({ length: 200 }, (_, index) => `steer ${index}.`);
    for (const text of texts) session.steer(text);
    rig.write('go', '');
    await session.settled();
    assert.ok(sent(rig, 1).includes(texts.join('\\n\\n')));
    assert.equal(session.rows().filter((row) => row.kind === 'steer').length, 1);
  });

  it('control 67: thinking of a cut answer is in no later request', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ reasoning: 'SECRET THOUGHT' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    session.redirect('Other');
    await session.settled();
    assert.ok(!sent(rig, 1).includes('SECRET'));
  });

  it('control 59, 74: a steer and two redirects in one answer are all in the repeated request, in order', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    session.steer('FIRST');
    session.redirect('SECOND');
    session.redirect('THIRD');
    await idle(session);
    assert.match(messagesOf(rig.server.requests.at(-1)).join(), /FIRST.*SECOND.*THIRD/);
    assert.deepEqual(session.items(), []);
  });

  it('control 61: a redirect and a stop at once: the stop wins and the text is returned', async () => {
    const { rig, session } = at();
    rig.hooks.set('pre_llm_call', ({ user_message: text }) => (text === 'other' ? new Promise(() => {}) : {}));
    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    session.redirect('other', { id: 'r' });
    session.stop();
    assert.equal((await session.settled()).exitReason, 'interrupted_by_user');
    assert.equal(session.item('r')?.state.is, 'returned');
  });

  it('control 72: the fourth redirect of one request ends the turn, and the texts lead the next one', async () => {
    const { rig, session } = at();
    for (let n = 0; n < 4; n++) rig.server.script({ steps: [{ text: `cut ${n}` }, { pause: 'p' }] });
    const { turnId } = session.send('Go');
    for (let n = 0; n < 4; n++) {
      await event(session, 'delta', (delta) => delta.text === `cut ${n}`);
      session.redirect(`redirect ${n}`, { id: `r${n}` });
    }
    const result = await session.settled(turnId);
    assert.deepEqual([result.exitReason, result.completed, result.interrupted], ['redirect_limit', false, false]);
    await idle(session);
    assert.match(messagesOf(rig.server.requests[4]).at(-1) ?? '', /redirect 3/);
    assertTrue(session, rig, ['r0', 'r1', 'r2', 'r3']);
  });

  it('control 73: a redirect is not charged to the step budget', async () => {
    const { rig, session } = at();
    rig.settings = { ...rig.settings, stepBudget: 2 };
    rig.agent.settingsChanged();
    rig.server.script(
      { steps: [{ text: 'x' }, { pause: 'p' }] },
      { steps: [call('list_files', {})] },
      { steps: [{ text: 'Done' }] },
    );
    session.send('Go');
    await event(session, 'delta');
    session.redirect('other');
    assert.equal((await session.settled()).finalText, 'Done');
  });

  it('control 71: a redirect in a back-off asks again at once', async () => {
    const { rig, session } = at();
    rig.server.script({ status: 500, body: { error: { message: 'down' } } }, { steps: [{ text: 'Up.' }] });
    session.send('Go');
    await event(session, 'state', (state) => state.phase === 'backoff');
    assert.equal(session.redirect('other').outcome, 'redirecting');
    assert.equal((await session.settled()).finalText, 'Up.');
    assert.match(messagesOf(rig.server.requests[1]).at(-1) ?? '', /other/);
  });

  it('control 81: a yield that nobody took does not move the next command', async () => {
    const { rig, session } = at();
    allowAll(session);
    let finish: (text: string) => void = () => {};
    rig.registry.register({
      name: 'slow_read',
      description: 'Cannot yield.',
      inputSchema: { type: 'object', properties: {} },
      readOnly: true,
      invoke: () => new Promise((resolve) => (finish = resolve)),
    });
    rig.server.script({ steps: [call('slow_read', {})] }, { steps: [call('terminal', { command: 'echo ran' })] });
    session.send('Go');
    await event(session, 'tool', (tool) => tool.state === 'running');
    session.redirect('other');
    finish('read');
    await session.settled();
    assert.deepEqual(statuses(session), ['success', 'success']);
    assert.deepEqual(session.processes(), []);
  });

  it('control 102: two queued texts are two turns', async () => {
    const { rig, session } = at();
    session.send('zero');
    session.queue('one');
    session.queue('two', { id: 'q' });
    await event(session, 'settled', () => session.item('q')?.state.is === 'delivered' && session.state === 'idle');
    assert.equal(rig.server.requests.length, 3);
  });

  it('control 13: two hung tools see one stop, and the turn ends within its bound', async () => {
    const { rig, session } = at();
    rig.registry.register({
      name: 'hung',
      description: 'Hears no signal.',
      inputSchema: { type: 'object', properties: {} },
      readOnly: true,
      invoke: () => new Promise(() => {}),
    });
    rig.server.script({ steps: [call('hung', {}), call('hung', {})] });
    session.send('Go');
    await event(session, 'tool', (tool) => tool.state === 'running');
    session.stop();
    await session.settled();
    assert.deepEqual(statuses(session), ['abandoned', 'abandoned']);
  });

  it('control 26: a stop behind a whole answer adds no row', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [call('list_files', {})] }, { steps: [{ text: 'Done.' }] });
    session.send('Go');
    await session.settled();
    const rows = session.rows();
    session.stop();
    assert.deepEqual(session.rows(), rows);
  });

  it('control 27, 28: a stop in a back-off behind tools closes the history; it is interrupted, neither completed nor failed', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [call('list_files', {})] }, { status: 503, body: { error: { message: 'down' } } });
    session.send('Go');
    await event(session, 'state', (state) => state.phase === 'backoff');
    session.stop();
    const result = await session.settled();
    assert.deepEqual(
      [result.interrupted, result.completed, result.failed, result.phase],
      [true, false, false, 'backoff'],
    );
    assert.equal(session.rows().at(-1)?.kind, 'closing');
    await answersOnly(rig, session, 'next');
  });

  it('control 31: a stop by a system producer carries its name everywhere', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    session.stop({ by: 'budget', reason: 'budget' });
    const result = await session.settled();
    assert.deepEqual([result.exitReason, result.stoppedBy], ['interrupted_by_system(budget)', 'budget']);
    assert.match((await answersOnly(rig, session, 'next')).bytes.toString(), /The system \(budget\) stopped/);
  });

  it('control 32, 109, 112: a stopped turn fires no post_llm_call, an idle or never started one no agent_loop_stopped', async () => {
    const { rig, session } = at();
    for (const name of ['agent_loop_stopped', 'post_llm_call'] as const) rig.hooks.set(name, () => ({}));
    session.stop();
    rig.hooks.set('pre_llm_call', () => new Promise(() => {}));
    session.send('never really running');
    session.stop();
    await session.settled();
    rig.hooks.delete('pre_llm_call');
    assert.deepEqual(
      rig.fired.filter((one) => one.event !== 'pre_llm_call'),
      [],
    );
    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    session.stop();
    await session.settled();
    assert.deepEqual(
      rig.fired.filter((one) => one.event !== 'pre_llm_call').map((one) => one.event),
      ['agent_loop_stopped'],
    );
  });

  it('control 48: the next prompt is never merged into the steer before it', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [call('list_files', {})] }, { status: 401, body: { error: { message: 'no key' } } });
    session.onDidEmit((seen) => {
      if (seen.type === 'request.started' && seen.request === 1) session.steer('STEER', { id: 's' });
    });
    session.send('Go');
    await session.settled();
    await answersOnly(rig, session, 'PROMPT');
    assert.ok(!messagesOf(rig.server.requests[2]).some((one) => one.includes('STEER') && one.includes('PROMPT')));
  });

  it('control 62: a redirect behind the end of the answer leads the next turn', async () => {
    const { rig, session } = at();
    session.onDidEmit((seen) => {
      if (seen.type === 'request.ended' && seen.request === 1 && session.item('r') === undefined) {
        session.redirect('other', { id: 'r' });
      }
    });
    session.send('Go');
    await event(session, 'settled', () => session.item('r')?.state.is === 'delivered' && session.state === 'idle');
    assert.equal(rig.server.requests.length, 2);
    assertTrue(session, rig, ['r']);
  });

  it('control 82: with nothing running there is nothing to move to the background', () => {
    const { session } = at();
    assert.equal(session.moveToBackground('none'), false);
    assert.equal(session.stopCommand('none'), false);
  });

  it('control 83: a command that was moved outlives its time limit', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: `echo ready; ${UNTIL_GO}; echo over`, timeout: 1 })] });
    session.send('Go');
    const { callId } = await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
    assert.ok(session.moveToBackground(callId));
    await session.settled();
    rig.server.script({ steps: [call('terminal', { command: 'sleep 1.2; touch go' })] });
    session.send('Longer than its limit');
    const { process } = await event(session, 'process', (seen) => seen.process.state !== 'running');
    assert.deepEqual([process.state, process.exitCode], ['exited', 0]);
    assert.match(process.tail, /over/);
    await idle(session);
  });

  it('control 54: what would be too much is refused, and nothing changed', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    const receipt = session.queue('x'.repeat(4 * 1024 * 1024 + 1));
    assert.deepEqual([receipt.outcome, 'reason' in receipt && receipt.reason], ['refused', 'full']);
    assert.deepEqual(session.items(), []);
  });

  it('control 96, 103: a stop holds the whole queue, not only its head; none of it runs', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    for (const text of ['A', 'B', 'C']) session.queue(text);
    session.stop();
    await session.settled();
    assert.deepEqual(
      session.items().map((item) => [item.text, item.state.is]),
      [
        ['A', 'held'],
        ['B', 'held'],
        ['C', 'held'],
      ],
    );
    assert.equal(rig.server.requests.length, 1);
  });

  it('control 96: with queue.onStop "return" the queue goes back to the user instead', async () => {
    const { rig, session } = at();
    rig.settings = { ...rig.settings, queueOnStop: 'return' };
    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    session.queue('A');
    session.stop();
    await session.settled();
    assert.deepEqual(
      session.items().map((item) => item.state.is),
      ['returned'],
    );
  });

  it('control 138: a text answer is on disk before anything of the end of the turn', async () => {
    const { rig, session } = at();
    rig.hooks.set('post_llm_call', () => new Promise(() => {}));
    session.send('Go');
    await event(session, 'turn.ended');
    assert.equal(rig.reopen(session.id).rows().at(-1)?.displayText, 'You said: Go');
  });
});
