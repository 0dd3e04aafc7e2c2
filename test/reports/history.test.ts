import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  allowAll,
  answersOnly,
  assertTrue,
  call,
  event,
  messagesOf,
  replay,
  sent,
  statuses,
  UNTIL_GO,
  wires,
} from './replay.ts';

for (const wire of wires) {
  describe(`reports 3, history after a stop, on the ${wire} wire`, () => {
    const at = replay(wire);

    it('B043: a tool whose abort throws has a stopped result, and no stack trace', async () => {
      const { rig, session } = at();
      rig.registry.register({
        name: 'fetch_page',
        description: 'Never answers.',
        inputSchema: { type: 'object', properties: {} },
        readOnly: true,
        invoke: (_input, signal) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
          ),
      });
      rig.server.script({ steps: [call('fetch_page', {})] });
      session.send('Fetch');
      await event(session, 'tool', (tool) => tool.state === 'running');
      session.stop();
      await session.settled();
      assert.deepEqual(statuses(session), ['stopped']);
      await answersOnly(rig, session, 'hi');
      assert.doesNotMatch(sent(rig, 1), /at .*\.ts:\d/);
    });

    it('B044: of three calls one was real, two were not run: three results in call order', async () => {
      const { rig, session } = at();
      rig.write('a.txt', 'REAL');
      rig.server.script({
        steps: [
          call('read_file', { path: 'a.txt' }, 'one'),
          call('terminal', { command: 'touch two' }, 'two'),
          call('terminal', { command: 'touch three' }, 'three'),
        ],
      });
      session.send('All');
      await event(session, 'approval.opened');
      session.stop();
      await session.settled();
      assert.deepEqual(
        session.rows().flatMap((row) => (row.role === 'tool' ? [[row.callId, row.status]] : [])),
        [
          ['one', 'success'],
          ['two', 'withdrawn'],
          ['three', 'not_run'],
        ],
      );
      await answersOnly(rig, session, 'hi');
    });

    it('B046, B049: while an approval waits another session works; a text instead of the answer closes the card', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [call('write_file', { path: 'w.txt', content: 'w' })] });
      session.send('Write');
      const { id } = await event(session, 'approval.opened');
      await answersOnly(rig, rig.agent.create(), 'Elsewhere');
      assert.equal(rig.agent.open(session.id).approvals()[0]?.id, id);
      session.send('skip it');
      await session.settled();
      assert.equal(session.answer(id, 'once'), false);
      assert.deepEqual(statuses(session), ['withdrawn']);
      assert.match(messagesOf(rig.server.requests.at(-1)).at(-1) ?? '', /skip it/);
      assert.ok(!existsSync(join(rig.folder, 'w.txt')));
    });

    it('B049: a stop after this step at an open approval, then go on: nothing but calls and results is in the history', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [call('write_file', { path: 'w.txt', content: 'w' })] });
      session.send('Write');
      await event(session, 'approval.opened');
      session.stopAfterStep();
      await session.settled();
      await answersOnly(rig, session, 'do it after all');
      assertTrue(session, rig, []);
    });

    it('B047: a stop right behind a stored result closes the history and tells of itself before the new text', async () => {
      const { rig, session } = at();
      rig.write('a.txt', 'content');
      rig.server.script({ steps: [call('read_file', { path: 'a.txt' })] });
      session.onDidEmit((seen) => {
        if (seen.type === 'row' && seen.row.role === 'tool') session.stop();
      });
      session.send('Do the old task');
      await session.settled();
      const messages = messagesOf(await answersOnly(rig, session, 'what is 2+2?'));
      assert.match(messages.at(-2) ?? '', /"assistant"/);
      assert.match(messages.at(-1) ?? '', /stopped your previous turn.*Do not resume.*what is 2\+2\?/);
      const later = messagesOf(await answersOnly(rig, session, 'and 3+3?'));
      assert.doesNotMatch(later.at(-1) ?? '', /stopped your previous turn/);
    });

    it('B050: a stop before the first word leaves no two messages of one side that the API would refuse', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ pause: 'p' }, { text: 'late' }] });
      session.send('first');
      await (await rig.server.request(0)).paused('p');
      session.stop();
      await session.settled();
      assert.match((await answersOnly(rig, session, 'do x')).bytes.toString(), /first[\s\S]*do x/);
    });

    it('B052: signed thinking comes back from disk byte for byte', async () => {
      const { rig, session } = at();
      rig.write('a.txt', 'a');
      rig.server.script(
        { steps: [{ reasoning: 'Hm… 🤔 "two" files' }, call('read_file', { path: 'a.txt' }), call('list_files', {})] },
        { steps: [{ text: 'Done.' }] },
      );
      session.send('Look');
      await session.settled();
      const live = messagesOf(rig.server.requests[1]);
      const again = rig.reopen(session.id);
      const stored = messagesOf(await answersOnly(rig, again, 'go on'));
      assert.deepEqual(stored.slice(0, live.length), live);
      if (wire === 'anthropic') assert.match(live.join(), /"signature"/);
    });

    it('B055: after a rejected edit the model is told that it was not made, and the file agrees', async () => {
      const { rig, session } = at();
      const path = rig.write('a.txt', 'old\n');
      rig.server.script(
        { steps: [call('read_file', { path: 'a.txt' })] },
        { steps: [call('write_file', { path: 'a.txt', content: 'new\n' })] },
      );
      session.send('Edit');
      const { id } = await event(session, 'approval.opened');
      session.answer(id, 'deny');
      await session.settled();
      assert.match(sent(rig, 2), /denied this call/);
      assert.equal(readFileSync(path, 'utf8'), 'old\n');
    });

    it('B055: after a stop at an edit the model is told the same', async () => {
      const { rig, session } = at();
      const path = rig.write('a.txt', 'old\n');
      rig.server.script(
        { steps: [call('read_file', { path: 'a.txt' })] },
        { steps: [call('write_file', { path: 'a.txt', content: 'new\n' })] },
      );
      session.send('Edit');
      await event(session, 'approval.opened');
      session.stop();
      await session.settled();
      assert.match((await answersOnly(rig, session, 'continue')).bytes.toString(), /Not run: the turn was stopped/);
      assert.equal(readFileSync(path, 'utf8'), 'old\n');
    });

    it('B068: a steer at the output limit goes in behind the cut answer; the prompt is not sent anew', async () => {
      const { rig, session } = at();
      rig.server.script({ steps: [{ text: 'Very long' }, { pause: 'p' }, { finish: 'length' }] });
      session.send('Write it all');
      await event(session, 'delta');
      session.steer('split it');
      (await rig.server.request(0)).release('p');
      await event(session, 'settled', (settled) => settled.result.finalText.includes('split it'));
      const messages = messagesOf(rig.server.requests[1]);
      assert.deepEqual(messages.filter((message) => message.includes('Write it all')).length, 1);
      assert.match(messages.at(-3) ?? '', /Very long/);
      assert.match(messages.at(-2) ?? '', /Go on exactly where it broke off/);
      assert.match(messages.at(-1) ?? '', /split it/);
    });
  });
}

describe('reports 6, approvals', () => {
  const at = replay('openai-chat');

  it('B101: an approval beside a running read can be answered at once, and both finish', async () => {
    const { rig, session } = at();
    let finish: (text: string) => void = () => {};
    rig.registry.register({
      name: 'slow_read',
      description: 'Reads slowly.',
      inputSchema: { type: 'object', properties: {} },
      readOnly: true,
      invoke: () => new Promise((resolve) => (finish = resolve)),
    });
    rig.write('.env', 'KEY=1\n');
    rig.server.script({ steps: [call('slow_read', {}), call('read_file', { path: '.env' })] });
    session.send('Read');
    const { id } = await event(session, 'approval.opened');
    assert.ok(session.answer(id, 'once'));
    await event(session, 'tool', (tool) => tool.name === 'read_file' && tool.state === 'success');
    finish('slow');
    assert.equal((await session.settled()).exitReason, 'answered');
    assert.deepEqual(statuses(session), ['success', 'success']);
  });

  it('B100, B104: a stop is there while an approval is open; a late Allow is refused and runs nothing', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [call('terminal', { command: 'touch late' })] });
    session.send('Run');
    const { id } = await event(session, 'approval.opened');
    session.stop();
    assert.deepEqual(session.approvals(), []);
    assert.equal(session.answer(id, 'once'), false);
    await session.settled();
    await answersOnly(rig, session, 'next');
    assert.ok(!existsSync(join(rig.folder, 'late')));
    assert.equal(session.events(0).filter((seen) => seen.type === 'approval.closed').length, 1);
  });

  it('B103: pressing Allow twice runs once', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [call('terminal', { command: 'echo x >> times' })] });
    session.send('Run');
    const { id } = await event(session, 'approval.opened');
    assert.equal(session.answer(id, 'once'), true);
    assert.equal(session.answer(id, 'once'), false);
    await session.settled();
    assert.equal(readFileSync(join(rig.folder, 'times'), 'utf8'), 'x\n');
  });

  it('B080: an approval that another view answered blocks no steer', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [call('terminal', { command: UNTIL_GO })] });
    session.send('Run');
    const { id } = await event(session, 'approval.opened');
    rig.agent.open(session.id).answer(id, 'once');
    const receipt = session.steer('use npm');
    assert.deepEqual([receipt.outcome, 'downgradedFrom' in receipt], ['steering', false]);
    rig.write('go', '');
    await session.settled();
    assert.equal(statuses(session)[0], 'success');
    assert.match(messagesOf(rig.server.requests[1]).at(-1) ?? '', /use npm/);
  });

  it('B112: after the answer to a question the next request is made and its text is shown', async () => {
    const { rig, session } = at();
    rig.server.script(
      { steps: [call('ask_user', { question: 'Which?', choices: ['a', 'b'] })] },
      { steps: [{ text: 'So a.' }] },
    );
    session.send('Ask');
    await event(session, 'question.opened');
    const [question] = session.questions();
    assert.ok(question);
    assert.ok(session.answerQuestion(question.id, question.choices[0]?.id ?? ''));
    assert.equal(session.answerQuestion(question.id, 'again'), false);
    assert.equal((await session.settled()).finalText, 'So a.');
  });

  it('B106: two edits are saved, the third is rejected: the file is the second', async () => {
    const { rig, session } = at();
    const path = rig.write('a.txt', '0\n');
    const write = (content: string) => ({ steps: [call('write_file', { path: 'a.txt', content })] });
    rig.server.script({ steps: [call('read_file', { path: 'a.txt' })] }, write('1\n'), write('2\n'), write('3\n'));
    session.send('Edit');
    let asked = 0;
    session.onDidEmit((seen) => {
      if (seen.type !== 'approval.opened') return;
      asked += 1;
      session.answer(seen.id, asked < 3 ? 'once' : 'deny');
    });
    await session.settled();
    assert.equal(readFileSync(path, 'utf8'), '2\n');
  });

  it('B110: a new session and the end of an old one change no file', async () => {
    const { rig, session } = at();
    allowAll(session);
    const path = rig.write('a.txt', '');
    rig.server.script({ steps: [call('write_file', { path: 'a.txt', content: '1\n2\n' })] });
    session.send('Edit');
    await session.settled();
    rig.write('a.txt', '1\n2\nmine\n');
    session.dispose();
    await answersOnly(rig, rig.agent.create(), 'New chat');
    assert.equal(readFileSync(path, 'utf8'), '1\n2\nmine\n');
  });

  it('B113: a patch that does not fit changes nothing', async () => {
    const { rig, session } = at();
    allowAll(session);
    const path = rig.write('a.txt', 'one\ntwo\n');
    rig.server.script({ steps: [call('patch', { path: 'a.txt', old_string: 'one\nTHREE', new_string: '1\n3' })] });
    session.send('Edit');
    await session.settled();
    assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\n');
    assert.deepEqual(statuses(session), ['error']);
  });
});
