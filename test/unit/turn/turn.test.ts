import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveSession } from '../../../src/agent/turn/index.ts';
import type { RecordedRequest } from '../../model-server/index.ts';
import { event, Rig, type WireName } from './rig.ts';

const call = (name: string, input: unknown, id?: string) => ({ call: { name, input, ...(id ? { id } : {}) } });

for (const wire of ['openai-chat', 'openai-responses', 'anthropic'] as const satisfies readonly WireName[]) {
  describe(`a turn on the ${wire} wire`, () => {
    let rig: Rig;
    let session: LiveSession;

    beforeEach(async () => {
      rig = await Rig.start(wire);
      session = rig.agent.create();
    });

    afterEach(async () => {
      const refused = rig.server.requests.filter((request) => request.invalid !== undefined);
      await rig.close();
      assert.deepEqual(
        refused.map((request) => request.invalid),
        [],
      );
    });

    it('answers a message and stores both rows', async () => {
      rig.server.script({ steps: [{ text: 'Hello' }, { text: ' there.' }] });
      const receipt = session.send('Hi');
      assert.equal(receipt.outcome, 'started');
      const result = await session.settled();
      assert.equal(result.exitReason, 'answered');
      assert.equal(result.finalText, 'Hello there.');
      const rows = await session.transcript();
      assert.deepEqual(
        rows.map((row) => [row.role, row.displayText]),
        [
          ['user', 'Hi'],
          ['assistant', 'Hello there.'],
        ],
      );
      assert.equal(session.title, 'Hi');
    });

    it('stores an answer once when it was to stop after that step', async () => {
      rig.server.script({ steps: [{ text: 'Hello' }, { pause: 'p' }, { text: ' there.' }] });
      const { turnId } = session.send('Hi');
      const request = await rig.server.nextRequest();
      await request.paused('p');
      session.stopAfterStep();
      request.release('p');
      const result = await session.settled(turnId);
      assert.deepEqual([result.exitReason, result.partial], ['interrupted_by_user', false]);
      assert.deepEqual(
        session.rows().map((row) => row.displayText),
        ['Hi', 'Hello there.'],
      );
    });

    it('stores the user row before the first request leaves', async () => {
      rig.server.script({ steps: [{ text: 'x' }], holdHead: true });
      session.send('Keep me');
      const request = await rig.server.nextRequest();
      assert.deepEqual(
        session.rows().map((row) => row.displayText),
        ['Keep me'],
      );
      request.release();
      await session.settled();
    });

    it('reads, asks, edits and runs, with one result for each call in call order', async () => {
      rig.write('a.txt', 'one\ntwo\n');
      rig.server.script(
        { steps: [call('read_file', { path: 'a.txt' }), call('list_files', {})] },
        { steps: [{ text: 'Editing.' }, call('patch', { path: 'a.txt', old_string: 'two', new_string: '2' })] },
        { steps: [call('terminal', { command: 'echo ran > b.txt && cat a.txt' })] },
        { steps: [{ text: 'Done.' }] },
      );
      session.send('Edit it');
      const first = await event(session, 'approval.opened');
      assert.equal(session.state, 'waiting');
      assert.equal(readFileSync(join(rig.folder, 'a.txt'), 'utf8'), 'one\ntwo\n');
      const approval = session.approvals()[0];
      assert.ok(approval?.diff);
      assert.ok(session.answer(approval.id, 'once'));
      const second = await event(session, 'approval.opened', (opened) => opened.id !== first.id);
      assert.ok(session.answer(second.id, 'once'));
      const result = await session.settled();
      assert.equal(result.exitReason, 'answered');
      assert.equal(readFileSync(join(rig.folder, 'a.txt'), 'utf8'), 'one\n2\n');
      assert.ok(existsSync(join(rig.folder, 'b.txt')));
      const tools = session.rows().filter((row) => row.role === 'tool');
      assert.deepEqual(
        tools.map((row) => row.status),
        ['success', 'success', 'success', 'success'],
      );
      assert.match(tools[3]?.displayText ?? '', /2/);
    });

    it('tells the model why a call was denied', async () => {
      rig.server.script({ steps: [call('terminal', { command: 'touch denied.txt' })] }, { steps: [{ text: 'Fine.' }] });
      session.send('Run it');
      const { id } = await event(session, 'approval.opened');
      session.answer(id, 'deny', 'use make instead');
      await session.settled();
      assert.ok(!existsSync(join(rig.folder, 'denied.txt')));
      assert.match(JSON.stringify(rig.server.requests[1]?.body), /use make instead/);
    });

    it('delivers a steer after the batch, as a user row of its own', async () => {
      rig.write('gate.txt', '');
      rig.server.script(
        { steps: [call('terminal', { command: 'until [ -f go ]; do sleep 0.02; done' })] },
        { steps: [{ text: 'Steered.' }] },
      );
      session.send('Wait');
      const { id } = await event(session, 'approval.opened');
      session.answer(id, 'once');
      await event(session, 'tool', (tool) => tool.state === 'running');
      const receipt = session.steer('Use tabs');
      assert.equal(receipt.outcome, 'steering');
      assert.equal(session.items()[0]?.waitsFor?.what, 'tool');
      rig.write('go', '');
      const result = await session.settled();
      assert.equal(result.exitReason, 'answered');
      const rows = session.rows();
      assert.deepEqual(
        rows.map((row) => row.kind),
        ['message', 'text', 'tool_result', 'steer', 'text'],
      );
      const messages = messagesOf(rig.server.requests[1]);
      assert.match(JSON.stringify(messages.at(-1)), /Use tabs/);
      assert.equal(roleOf(messages.at(-1)), 'user');
      const item = session.item(receipt.id);
      assert.ok(item?.state.is === 'delivered' && item.state.read && item.state.request === 2);
    });

    it('redirects in the middle of the text: the socket closes, the same turn goes on', async () => {
      rig.server.script(
        { steps: [{ text: 'I will use a loop' }, { pause: 'middle' }, { text: ' never seen' }] },
        { steps: [{ text: 'With reduce.' }] },
      );
      const { turnId } = session.send('Sum it');
      await event(session, 'delta');
      const receipt = session.redirect('Use reduce');
      assert.equal(receipt.outcome, 'redirecting');
      assert.equal(receipt.turnId, turnId);
      const closing = await (await rig.server.request(0)).closed;
      assert.equal(closing.by, 'client');
      const result = await session.settled();
      assert.equal(result.turnId, turnId);
      assert.equal(result.exitReason, 'answered');
      assert.equal(result.requests, 1);
      assert.equal(result.attempts, 2);
      const rows = session.rows();
      assert.deepEqual(
        rows.map((row) => [row.kind, row.displayText, row.interrupted]),
        [
          ['message', 'Sum it', undefined],
          ['text', 'I will use a loop', 'redirect'],
          ['redirect', 'Use reduce', undefined],
          ['text', 'With reduce.', undefined],
        ],
      );
    });

    it('gives a queue entry its own turn', async () => {
      rig.server.script({ steps: [{ text: 'One' }, { pause: 'p' }] }, { steps: [{ text: 'Two' }] });
      session.send('First');
      await event(session, 'delta');
      const queued = session.queue('Second');
      assert.deepEqual([queued.outcome, 'position' in queued ? queued.position : 0], ['queued', 1]);
      (await rig.server.request(0)).release('p');
      const second = await event(session, 'settled', (settled) => settled.result.finalText === 'Two');
      assert.equal(second.result.exitReason, 'answered');
      assert.deepEqual(
        session.rows().map((row) => row.displayText),
        ['First', 'One', 'Second', 'Two'],
      );
      assert.equal(new Set(session.rows().map((row) => row.turnId)).size, 2);
    });

    it('stops a command with its whole tree, keeps what is true and tells the model once', async () => {
      rig.server.script(
        {
          steps: [
            { text: 'Running.' },
            call('terminal', { command: 'sleep 987 & echo started; sleep 987' }),
            call('read_file', { path: 'x' }),
          ],
        },
        { steps: [{ text: 'Ok.' }] },
        { steps: [{ text: 'Ok again.' }] },
      );
      session.send('Run');
      session.queue('Later');
      const { id } = await event(session, 'approval.opened');
      session.answer(id, 'once');
      await event(session, 'tool', (tool) => tool.output?.includes('started') ?? false);
      const steer = session.steer('Unread');
      session.stop();
      assert.equal(session.state, 'stopping');
      const result = await session.settled();
      assert.deepEqual([result.exitReason, result.stoppedBy, result.phase], ['interrupted_by_user', 'user', 'tool']);
      assert.deepEqual(result.survivors, []);
      assert.deepEqual(
        session.rows().flatMap((row) => row.status ?? []),
        ['stopped', 'not_run'],
      );
      assert.equal(session.rows().at(-1)?.kind, 'closing');
      assert.deepEqual(
        session
          .items()
          .map((item) => [item.text, item.state.is])
          .sort(),
        [
          ['Later', 'held'],
          ['Unread', 'returned'],
        ],
      );
      assert.equal(session.item(steer.id)?.state.is, 'returned');
      session.send('Go on');
      await event(session, 'settled', (settled) => settled.result.finalText === 'Ok.');
      const second = JSON.stringify(messagesOf(rig.server.requests[1]).at(-1));
      assert.match(second, /stopped your previous turn while tools were running/);
      session.send('And now?');
      await event(session, 'settled', (settled) => settled.result.finalText === 'Ok again.');
      const third = messagesOf(rig.server.requests[2]);
      assert.doesNotMatch(JSON.stringify(third.at(-1)), /stopped your previous turn/);
      assert.match(JSON.stringify(third.at(-3)), /stopped your previous turn/);
    });

    it('moves a running command to the background on a redirect, and tells of its end once', async () => {
      rig.server.script(
        { steps: [call('terminal', { command: 'echo begun; until [ -f go ]; do sleep 0.02; done; echo over' })] },
        { steps: [{ text: 'Other way.' }] },
        { steps: [{ text: 'Noted.' }] },
      );
      session.send('Serve');
      const { id } = await event(session, 'approval.opened');
      session.answer(id, 'once');
      await event(session, 'tool', (tool) => tool.output?.includes('begun') ?? false);
      const receipt = session.redirect('Leave it running');
      assert.equal(receipt.outcome, 'steering');
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.deepEqual(
        session.rows().map((row) => [row.kind, row.status]),
        [
          ['message', undefined],
          ['text', undefined],
          ['tool_result', 'yielded'],
          ['steer', undefined],
          ['text', undefined],
        ],
      );
      const [running] = session.processes();
      assert.deepEqual([running?.state, running?.startedBy], ['running', 'yield']);
      rig.write('go', '');
      const { process } = await event(session, 'process', ({ process: one }) => one.state === 'exited');
      assert.match(process.tail, /begun\nover/);
      assert.equal(session.state, 'idle');
      assert.equal(rig.server.requests.length, 2);
      session.send('And?');
      await event(session, 'settled', (settled) => settled.result.finalText === 'Noted.');
      assert.match(JSON.stringify(messagesOf(rig.server.requests[2])), /ended with exit code 0/);
      assert.equal(session.rows().filter((row) => row.kind === 'notice').length, 1);
    });

    it('stops before the first byte and keeps the prompt', async () => {
      rig.server.script({ steps: [{ text: 'x' }], holdHead: true });
      session.send('Question');
      const request = await rig.server.nextRequest();
      session.stop();
      assert.equal(session.state, 'idle');
      assert.equal((await request.closed).by, 'client');
      const result = await session.settled();
      assert.deepEqual([result.exitReason, result.phase, result.partial], ['interrupted_by_user', 'model', false]);
      session.send('Again');
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.match(JSON.stringify(rig.server.requests[1]?.body), /Question/);
    });

    it('keeps the visible text of a stopped answer, and drops the call it was writing', async () => {
      rig.server.script({
        steps: [{ text: 'Half an ans' }, { pause: 'p' }, call('terminal', { command: 'touch never' })],
      });
      session.send('Talk');
      await event(session, 'delta');
      session.stop();
      const result = await session.settled();
      assert.equal(result.partial, true);
      const last = session.rows().at(-1);
      assert.deepEqual([last?.displayText, last?.interrupted], ['Half an ans', 'stop']);
      session.send('Go on');
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.match(JSON.stringify(rig.server.requests[1]?.body), /Half an ans/);
    });

    it('stops while an approval is open: withdrawn, never denied, and the next request is legal', async () => {
      rig.server.script({ steps: [call('terminal', { command: 'touch never' }), call('list_files', {})] });
      session.send('Run');
      await event(session, 'approval.opened');
      session.stop();
      const result = await session.settled();
      assert.equal(result.phase, 'approval');
      assert.deepEqual(
        session.rows().flatMap((row) => row.status ?? []),
        ['withdrawn', 'not_run'],
      );
      assert.deepEqual(session.approvals(), []);
      session.send('Next');
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.match(JSON.stringify(rig.server.requests[1]?.body), /did not deny it/);
    });

    it('stops a back-off at once', async () => {
      rig.server.script({ status: 429, headers: { 'retry-after': '60' }, body: { error: { message: 'slow down' } } });
      session.send('Hi');
      const { until, at } = await event(session, 'state', (state) => state.phase === 'backoff');
      assert.equal(Math.round(((until ?? 0) - at) / 1000), 60);
      session.stop();
      assert.equal((await session.settled()).phase, 'backoff');
      assert.equal(rig.server.requests.length, 1);
    });

    it('stops a turn in which nothing moves, warns before, and does not book it as the user', async () => {
      rig.settings = { ...rig.settings, livenessTimeout: 400 };
      rig.server.script({ steps: [{ text: 'x' }], holdHead: true });
      session.send('Hi');
      const result = await session.settled();
      assert.deepEqual([result.exitReason, result.stoppedBy], ['interrupted_by_system(liveness)', 'liveness']);
      const warning = session.events(0).findIndex((one) => one.type === 'notice' && one.kind === 'liveness');
      const end = session.events(0).findIndex((one) => one.type === 'turn.ended');
      assert.ok(warning !== -1 && warning < end);
    });

    it('asks again with the text that began the last turn', async () => {
      assert.equal(session.retry(), undefined);
      rig.server.script({ steps: [{ text: 'Half' }, { pause: 'p' }] }, { steps: [{ text: 'Whole' }] });
      session.send('Try this');
      await event(session, 'delta');
      session.steer('aside');
      session.stop();
      await session.settled();
      assert.equal(session.retry()?.outcome, 'started');
      assert.equal((await session.settled()).finalText, 'Whole');
      assert.deepEqual(
        session.rows().map((row) => row.displayText),
        ['Try this', 'Half', 'Try this', 'Whole'],
      );
    });

    it('stops an open question', async () => {
      rig.server.script({ steps: [call('ask_user', { question: 'Which?', choices: ['a', 'b'] })] });
      session.send('Ask me');
      await event(session, 'question.opened');
      session.stop();
      assert.equal((await session.settled()).phase, 'question');
      session.send('Next');
      assert.equal((await session.settled()).exitReason, 'answered');
    });

    it('answers a question with what was typed', async () => {
      rig.server.script({ steps: [call('ask_user', { question: 'Name?' })] }, { steps: [{ text: 'Thanks.' }] });
      session.send('Ask me');
      await event(session, 'question.opened');
      assert.equal(session.send('Ada').outcome, 'changed');
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.match(JSON.stringify(rig.server.requests[1]?.body), /Ada/);
    });

    it('never runs a call of a stream that was cut, says so and asks the same request again', async () => {
      rig.server.script(
        {
          steps: [
            { text: 'So: ' },
            { call: { name: 'terminal', arguments: '{"command":"touch nev' } },
            { pause: 'p' },
            { cut: true },
          ],
        },
        { steps: [{ text: 'Done.' }] },
      );
      session.send('Run');
      await event(session, 'state', ({ label }) => label?.startsWith('terminal ') === true);
      (await rig.server.request(0)).release('p');
      const result = await session.settled();
      assert.equal(result.finalText, 'Done.');
      assert.equal(result.requests, 1);
      assert.equal(result.attempts, 2);
      assert.ok(session.events(0).some((one) => one.type === 'notice' && one.kind === 'reconnecting'));
      assert.deepEqual(rig.server.requests[1]?.body, rig.server.requests[0]?.body);
      assert.deepEqual(
        session.rows().map((row) => row.displayText),
        ['Run', 'Done.'],
      );
    });

    it('finds the same transcript after a reload, and what waited is held', async () => {
      rig.server.script({ steps: [{ text: 'One' }] }, { steps: [{ text: 'Two' }, { pause: 'p' }] });
      session.send('First');
      await session.settled();
      session.send('Second');
      await event(session, 'delta', (delta) => delta.text === 'Two');
      session.queue('Third');
      const before = session.rows();
      session = rig.reopen(session.id);
      assert.deepEqual(session.rows().slice(0, before.length), before);
      assert.ok(session.contextTokens > 0);
      const last = session.rows().at(-1);
      assert.deepEqual([last?.displayText, last?.interrupted], ['Two', 'reload']);
      assert.deepEqual(
        session.items().map((item) => [item.text, item.state.is]),
        [['Third', 'held']],
      );
      assert.equal(session.state, 'idle');
      assert.equal((await session.settled()).exitReason, 'interrupted_by_reload');
      assert.equal(session.resumeQueue().outcome, 'started');
      assert.equal((await session.settled()).exitReason, 'answered');
    });

    it('gives no turn the id of an earlier one, also when that one stored no row', async () => {
      rig.hooks.set('pre_llm_call', () => ({ block: 'not today' }));
      const first = session.send('Blocked');
      await session.settled();
      assert.equal(session.item(first.id)?.state.is, 'returned');
      rig.hooks.clear();
      session = rig.reopen(session.id);
      const second = session.send('Allowed');
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.notEqual(second.turnId, first.turnId);
    });

    it('sends each request with the one before as its prefix, through steer, redirect and stop', async () => {
      rig.server.script(
        { steps: [call('list_files', {})] },
        { steps: [{ text: 'Text to cut' }, { pause: 'p' }] },
        { steps: [{ text: 'Answer.' }] },
        { steps: [{ text: 'Cut by stop' }, { pause: 'q' }] },
      );
      session.send('Go');
      await event(session, 'delta');
      session.redirect('Other way');
      await session.settled();
      session.send('More');
      await event(session, 'delta', (delta) => delta.text === 'Cut by stop');
      session.stop();
      await session.settled();
      session.send('Last');
      await session.settled();
      const sent = rig.server.requests.map((request) =>
        messagesOf(request).map((message) => JSON.stringify(withoutMarks(message))),
      );
      for (const [index, messages] of sent.entries()) {
        const earlier = sent[index - 1];
        if (earlier) assert.deepEqual(messages.slice(0, earlier.length), earlier);
      }
      assert.equal(sent.length, 5);
    });

    it('fires agent_loop_stopped once for a stopped turn and never for a finished one', async () => {
      rig.hooks.set('agent_loop_stopped', () => ({}));
      rig.hooks.set('on_session_end', () => ({}));
      rig.server.script({ steps: [{ text: 'Half' }, { pause: 'p' }] });
      session.send('One');
      await event(session, 'delta');
      session.stop({ reason: 'stop_button' });
      await session.settled();
      session.send('Two');
      await session.settled();
      session.stop();
      assert.deepEqual(
        rig.fired.map(({ event: name, payload }) => [name, payload.invalidation_reason ?? payload.interrupted]),
        [
          ['agent_loop_stopped', 'stop_button'],
          ['on_session_end', true],
          ['on_session_end', false],
        ],
      );
    });
  });
}

function messagesOf(request: RecordedRequest | undefined): readonly unknown[] {
  const { input, messages = input } = (request?.body ?? {}) as Partial<
    Record<'input' | 'messages', readonly unknown[]>
  >;
  assert.ok(messages);
  return messages;
}

function roleOf(message: unknown): unknown {
  return (message as { role?: unknown }).role;
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'cache_control')
      .map(([key, inner]) => [key, withoutMarks(inner)]),
  );
}
