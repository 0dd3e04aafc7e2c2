import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  allowAll,
  answersOnly,
  assertTrue,
  call,
  event,
  idle,
  replay,
  sent,
  statuses,
  UNTIL_GO,
  wires,
} from './replay.ts';

for (const wire of wires) {
  describe(`reports 1, stop, on the ${wire} wire`, function () {
    this.timeout(20_000);
    const at = replay(wire);

    it('B001: a stop while the server keeps its head closes the socket, and the session works at once', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ text: 'late' }], holdHead: true });
      session.send('Hello');
      const request = await rig.server.request(0);
      session.stop();
      assert.equal(session.state, 'idle');
      assert.equal((await request.closed).by, 'client');
      const other = rig.agent.create();
      await answersOnly(rig, other, 'New task');
      await answersOnly(rig, session, 'Again');
      assert.ok(!JSON.stringify(session.rows()).includes('late'));
    });

    it('B002: a stop in the tick of the send asks and runs nothing, and keeps the prompt', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [call('write_file', { path: 'never.txt', content: '' })] });
      session.send('Half a prom');
      session.stop();
      assert.equal(session.state, 'idle');
      assert.equal((await session.settled()).exitReason, 'interrupted_by_user');
      assert.ok((await answersOnly(rig, session, 'next')).bytes.includes('Half a prom'));
      assert.ok(!existsSync(join(rig.folder, 'never.txt')));
    });

    it('B004: a stop after this step waits for the answer, and a stop pressed behind it ends at once', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ reasoning: 'Long thoughts' }, { pause: 'p' }, { text: 'never' }] });
      session.send('Think');
      await event(session, 'delta');
      assert.equal(session.stopAfterStep().outcome, 'stopping');
      assert.equal(session.state, 'running');
      session.stop();
      assert.equal(session.state, 'idle');
      assert.equal((await (await rig.server.request(0)).closed).by, 'client');
      assert.equal((await session.settled()).exitReason, 'interrupted_by_user');
    });

    it('B004: a stop after this step ends behind the running tools, before the next request', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({ steps: [call('terminal', { command: UNTIL_GO })] });
      session.send('Run');
      await event(session, 'tool', (tool) => tool.state === 'running');
      session.stopAfterStep();
      rig.write('go', '');
      assert.equal((await session.settled()).exitReason, 'interrupted_by_user');
      assert.deepEqual(statuses(session), ['success']);
      assert.equal(rig.server.requests.length, 1);
    });

    it('B007: a call that arrives after the stop never runs', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({ steps: [{ text: 'So' }, { pause: 'p' }, call('terminal', { command: 'touch late.txt' })] });
      session.send('Go');
      await event(session, 'delta');
      session.stop();
      (await rig.server.request(0)).release('p');
      await session.settled();
      await answersOnly(rig, session, 'next');
      assert.ok(!existsSync(join(rig.folder, 'late.txt')));
      assert.ok(!sent(rig, 1).includes('late.txt'));
    });

    it('B013: one stop cancels all of a parallel batch; what had not started is told as not run', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.registry.register({
        name: 'slow_read',
        description: 'Reads until it is stopped.',
        inputSchema: { type: 'object', properties: {} },
        readOnly: true,
        invoke: (_input, signal) =>
          new Promise((resolve) => signal.addEventListener('abort', () => resolve('so far'), { once: true })),
      });
      rig.server.script({
        steps: [call('slow_read', {}), call('slow_read', {}), call('terminal', { command: 'touch a.txt' })],
      });
      session.send('All');
      await event(session, 'tool', (tool) => tool.state === 'running');
      session.stop();
      await session.settled();
      assert.deepEqual(statuses(session), ['stopped', 'stopped', 'not_run']);
      assert.ok(!existsSync(join(rig.folder, 'a.txt')));
      await answersOnly(rig, session, 'next');
    });

    it('B014, B070: a tool that is deaf to the stop is abandoned; its late result is dropped, the next message runs', async () => {
      const { rig, session } = at();
      let answer: (text: string) => void = () => assert.fail('the tool was not called');
      rig.registry.register({
        name: 'deaf',
        description: 'Hears no signal.',
        inputSchema: { type: 'object', properties: {} },
        readOnly: true,
        invoke: () => new Promise((resolve) => (answer = resolve)),
      });
      rig.server.script({ steps: [call('deaf', {})] });
      session.send('Go');
      await event(session, 'tool', (tool) => tool.state === 'running');
      session.stop();
      assert.equal(session.state, 'stopping');
      await idle(session);
      assert.deepEqual(statuses(session), ['abandoned']);
      const before = session.rows();
      answer('TOO LATE');
      await answersOnly(rig, session, 'next');
      assert.deepEqual(session.rows().slice(0, before.length), before);
      assert.ok(!JSON.stringify(session.rows()).includes('TOO LATE'));
    });

    it('B070: a second stop of a hung turn stops only that turn, and the next message makes one request', async () => {
      const { rig, session } = at();
      rig.registry.register({
        name: 'deaf',
        description: 'Hears no signal.',
        inputSchema: { type: 'object', properties: {} },
        readOnly: true,
        invoke: () => new Promise(() => {}),
      });
      rig.server.script({ steps: [call('deaf', {})] });
      const first = session.send('Go');
      await event(session, 'tool', (tool) => tool.state === 'running');
      session.stop();
      session.stop();
      await session.settled(first.turnId);
      await answersOnly(rig, session, 'next');
    });

    it('B017: the silence of a stopped request says nothing of the next one', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ text: 'x' }], holdHead: true });
      session.send('Slow');
      await rig.server.request(0);
      session.stop();
      const since = session.seq;
      rig.server.script({ steps: [{ text: 'At once.' }] });
      session.send('continue');
      assert.equal((await session.settled()).finalText, 'At once.');
      assert.deepEqual(
        session.events(since).filter((seen) => seen.type === 'notice'),
        [],
      );
    });

    it('B019: a stop behind the last event is harmless: no row, no hook, and the next message works', async () => {
      const { rig, session } = at();
      rig.hooks.set('agent_loop_stopped', () => ({}));
      session.send('Hi');
      await session.settled();
      const rows = session.rows();
      assert.equal(session.stop().outcome, 'nothing_running');
      assert.equal(session.stop().outcome, 'nothing_running');
      assert.deepEqual(session.rows(), rows);
      assert.deepEqual(rig.fired, []);
      assert.ok(!(await answersOnly(rig, session, 'next')).bytes.includes('stopped your previous turn'));
    });

    it('B010: a stop between queued turns holds the rest, which can be edited and resumed', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ text: 'One' }] }, { steps: [{ text: 'Two' }, { pause: 'p' }] });
      session.send('1');
      const items = ['2', '3', '4'].map((text) => session.queue(text).id);
      await event(session, 'delta', (delta) => delta.text === 'Two');
      session.stop();
      assert.deepEqual(
        session.items().map((item) => [item.text, item.state.is]),
        [
          ['3', 'held'],
          ['4', 'held'],
        ],
      );
      assert.equal(session.edit(items[1] ?? '', 'three', 1).outcome, 'changed');
      session.resumeQueue();
      await event(session, 'settled', (settled) => settled.result.finalText.includes('4'));
      assert.ok(sent(rig, 2).includes('three'));
      assertTrue(session, rig, items);
    });

    it('B056: the text that was shown before a stop is in the next request, and the same as on screen', async () => {
      const { rig, session } = at();
      rig.server.script({
        steps: [{ text: 'PLAN: step1 step2 ' }, { text: 'step3' }, { pause: 'p' }, { text: 'step4' }],
      });
      session.send('Plan');
      await event(session, 'delta', (delta) => delta.text === 'step3');
      session.stop();
      const shown = session
        .events(0)
        .flatMap((seen) => (seen.type === 'delta' ? [seen.text] : []))
        .join('');
      assert.equal(session.rows().at(-1)?.displayText, shown);
      assert.equal(session.rows().at(-1)?.interrupted, 'stop');
      assert.ok((await answersOnly(rig, session, 'why step 3?')).bytes.includes(shown));
    });
  });
}

describe('reports 1, stop of a long answer', function () {
  this.timeout(60_000);
  const at = replay('openai-chat');

  it('B005: in a session of 200 messages no delta follows a stop, and none is saved', async () => {
    const { rig, session } = at();
    let last = '';
    rig.server.fallback = { steps: [{ text: 'ok' }] };
    for (let n = 0; n < 100; n++) {
      last = session.queue(`message ${n}`).id;
    }
    await event(session, 'settled', () => session.item(last)?.state.is === 'delivered' && session.state === 'idle');
    rig.server.script({ steps: [{ burst: { text: 'a hundred letters '.repeat(6), times: 2000 } }, { pause: 'p' }] });
    session.send('Long');
    const first = await event(session, 'delta', (delta) => delta.text.startsWith('a hundred'));
    const receipt = session.stop();
    assert.equal(session.state, 'idle');
    assert.equal((await (await rig.server.request(100)).closed).by, 'client');
    const after = session.events(receipt.seq).filter((seen) => seen.type === 'delta');
    assert.deepEqual(after, []);
    const shown = session
      .events(first.seq - 1)
      .flatMap((seen) => (seen.type === 'delta' ? [seen.text] : []))
      .join('');
    assert.equal(session.rows().at(-1)?.displayText, shown);
  });
});
