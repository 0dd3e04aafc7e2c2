import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { allowAll, answersOnly, call, count, event, messagesOf, replay, sent, statuses, wires } from './replay.ts';

for (const wire of wires) {
  describe(`reports 10, stream, on the ${wire} wire`, () => {
    const at = replay(wire);

    it('B139: a write whose arguments were cut with the socket is not run, and the model is asked again', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({
        steps: [
          { text: 'Writing.' },
          { pause: 'p' },
          { call: { name: 'write_file', arguments: '{"path":"cut.txt","content":"ha' } },
          { cut: true },
        ],
      });
      session.send('Write');
      await event(session, 'delta');
      (await rig.server.request(0)).release('p');
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.equal(rig.server.requests.length, 2);
      assert.doesNotMatch(sent(rig, 1), /cut\.txt/);
      await answersOnly(rig, session, 'again');
      assert.ok(!existsSync(join(rig.folder, 'cut.txt')));
    });

    it('B140: arguments cut by the output limit are neither run nor sent back', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({
        steps: [
          { text: 'Writing.' },
          { call: { name: 'write_file', arguments: '{"path":"cut.txt","content":"ha' } },
          { finish: 'length' },
        ],
      });
      session.send('Write');
      await session.settled();
      await answersOnly(rig, session, 'again');
      assert.ok(!existsSync(join(rig.folder, 'cut.txt')));
      assert.doesNotMatch(sent(rig, 1), /cut\.txt/);
    });

    it('B140: closed arguments that are no JSON are an error result, and the history stays legal', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.server.script({ steps: [{ call: { name: 'write_file', arguments: '{"path":"bad.txt" "x"}' } }] });
      session.send('Write');
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.deepEqual(statuses(session), ['error']);
      await answersOnly(rig, session, 'again');
      assert.ok(!existsSync(join(rig.folder, 'bad.txt')));
    });

    it('B140: a 400 is not repeated', async () => {
      const { rig, session } = at();
      rig.server.script({
        status: 400,
        body: { type: 'error', error: { type: 'invalid_request_error', message: 'no' } },
      });
      session.send('Hi');
      assert.equal((await session.settled()).exitReason, 'model_error');
      assert.equal(rig.server.requests.length, 1);
    });

    it('B142: two parallel calls keep their own arguments; an unknown tool is an error result', async () => {
      const { rig, session } = at();
      rig.write('a.txt', 'AAA');
      rig.server.script({
        steps: [
          { call: { name: 'read_file', input: { path: 'a.txt' }, split: 3 } },
          { call: { name: 'read_filelist_files', input: { path: '.' }, split: 2 } },
        ],
      });
      session.send('Read');
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.deepEqual(statuses(session), ['success', 'error']);
      assert.match(sent(rig, 1), /AAA/);
    });

    it('B143: a command without output is told as such, and the turn goes on', async () => {
      const { rig, session } = at();
      allowAll(session);
      rig.registry.register({
        name: 'mute',
        description: 'Says nothing.',
        inputSchema: { type: 'object', properties: {} },
        readOnly: true,
        invoke: async () => '',
      });
      rig.server.script(
        { steps: [call('mute', {}), call('terminal', { command: 'true' })] },
        { steps: [{ text: 'On.' }] },
      );
      session.send('Run');
      assert.equal((await session.settled()).finalText, 'On.');
      assert.match(sent(rig, 1), /\(no output\)/);
    });

    it('B145: text that was cut is said once, and goes on', async () => {
      const { rig, session } = at();
      rig.server.script(
        { steps: [{ text: 'Part of an answer' }, { pause: 'p' }, { cut: true }] },
        { steps: [{ text: ' and the rest.' }] },
      );
      session.send('Tell');
      await event(session, 'delta');
      (await rig.server.request(0)).release('p');
      const result = await session.settled();
      assert.deepEqual([result.finalText, rig.server.requests.length], ['Part of an answer and the rest.', 2]);
      assert.equal(count(messagesOf(rig.server.requests[1]).join(), 'Part of an answer'), 1);
      assert.deepEqual(
        session.rows().flatMap((row) => row.displayText ?? []),
        ['Tell', 'Part of an answer', ' and the rest.'],
      );
    });

    it('B148: the stored answer is what was streamed', async () => {
      const { rig, session } = at();
      const pieces = Array.from({ length: 50 }, (_, index) => `${index} **ü** 🙂\n`);
      rig.server.script({ steps: pieces.map((text) => ({ text })) });
      session.send('Tell');
      await session.settled();
      assert.equal(session.rows().at(-1)?.displayText, pieces.join(''));
    });

    it('B149: a cut through an emoji never leaves half of it in a request', async () => {
      const { rig, session } = at();
      const emoji = '🙂'.repeat(30_000);
      for (const offset of [0, 1, 2, 3]) rig.write(`${offset}.txt`, `${'x'.repeat(offset)}${emoji}`);
      allowAll(session);
      rig.server.script({
        steps: [0, 1, 2, 3].flatMap((offset) => [
          call('read_file', { path: `${offset}.txt` }),
          call('terminal', { command: `cat ${offset}.txt` }),
        ]),
      });
      session.send('Read');
      await session.settled();
      const bytes = rig.server.requests[1]?.bytes.toString('utf8') ?? '';
      assert.match(bytes, /🙂/);
      assert.ok(!bytes.includes('\uFFFD'));
      assert.doesNotMatch(bytes, /(?<!\\)(\\\\)*\\ud[89a-f]/i);
    });
  });
}

describe('reports 10, retries', () => {
  const at = replay('openai-chat');

  it('B146: an endless 503 is tried a bounded number of times, with a stop in between, and not again after a reload', async () => {
    const { rig, session } = at();
    rig.server.fallback = { status: 503, body: { error: { message: 'down' } } };
    session.send('Hi');
    await event(session, 'state', (state) => state.phase === 'backoff');
    session.stop();
    assert.equal((await session.settled()).phase, 'backoff');
    const again = rig.reopen(session.id);
    assert.equal(again.state, 'idle');
    assert.equal(rig.server.requests.length, 1);
    rig.settings = { ...rig.settings, maxAttempts: 2 };
    again.send('Once more');
    assert.equal((await again.settled()).exitReason, 'model_error');
    assert.equal(rig.server.requests.length, 3);
  });

  it('B166: a wait that a server asks for is an instant, whatever the zone', async () => {
    const { rig, session } = at();
    rig.server.script({ status: 429, headers: { 'retry-after': '3600' }, body: { error: { message: 'limit' } } });
    session.send('Hi');
    const found = await Promise.race([
      event(session, 'state', (state) => state.phase === 'backoff').then(({ until, at: now }) => (until ?? 0) - now),
      session.settled().then(() => undefined),
    ]);
    assert.ok(found === undefined || found <= 3_600_000);
    session.stop();
  });

  it('B208: tokens that were read from the cache without a price have no cost, never a false one', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'x' }, { usage: { input: 1000, cacheRead: 564_382, output: 3 } }] });
    session.send('Hi');
    const { usage } = await session.settled();
    assert.deepEqual([usage.input, usage.cacheRead, usage.costUsd], [1000, 564_382, undefined]);
  });
});

describe('reports 13 to 15, files and output', function () {
  this.timeout(20_000);
  const at = replay('openai-chat');

  it('B175, B176: a byte-order mark stays one, and CRLF stays CRLF', async () => {
    const { rig, session } = at();
    allowAll(session);
    const path = rig.write('a.txt', '\uFEFFone\r\ntwo\r\n');
    const patch = (old_string: string, new_string: string) => ({
      steps: [call('patch', { path: 'a.txt', old_string, new_string })],
    });
    rig.server.script(patch('two', 'two\nthree'), patch('three', 'three\nfour'), patch('one', '1'));
    session.send('Edit');
    await session.settled();
    assert.equal(readFileSync(path, 'utf8'), '\uFEFF1\r\ntwo\r\nthree\r\nfour\r\n');
  });

  it('B178: text with mixed line ends can be edited, and the others stay', async () => {
    const { rig, session } = at();
    allowAll(session);
    const path = rig.write('a.txt', 'alpha\nbeta\r\ngamma\n');
    const patch = (old_string: string, new_string: string) => ({
      steps: [call('patch', { path: 'a.txt', old_string, new_string })],
    });
    rig.server.script(patch('alpha', 'ALPHA'), patch('beta\ngamma', 'beta\nGAMMA'));
    session.send('Edit');
    await session.settled();
    assert.deepEqual(statuses(session), ['success', 'success']);
    assert.match(readFileSync(path, 'utf8'), /^ALPHA\nbeta\r?\nGAMMA\n$/);
  });

  it('B182, B184: a flood of output can be stopped, and reaches the model bounded', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script({ steps: [call('terminal', { command: 'yes "$(printf %01000d 7)"' })] });
    session.send('Flood');
    await event(session, 'tool', (tool) => tool.output !== undefined);
    session.stop();
    await session.settled();
    assert.deepEqual(statuses(session), ['stopped']);
    assert.ok((await answersOnly(rig, session, 'next')).bytes.length < 200_000);
  });

  it('B190: nothing is written through a link out of the workspace', async () => {
    const { rig, session } = at();
    allowAll(session);
    rig.server.script(
      {
        steps: [call('terminal', { command: `ln -s ${rig.dataFolder} outbox; ln -s ${rig.dataFolder}/dangling last` })],
      },
      {
        steps: [
          call('write_file', { path: 'outbox/x', content: 'x' }),
          call('write_file', { path: 'last', content: 'x' }),
        ],
      },
    );
    session.send('Write');
    await session.settled();
    assert.deepEqual(statuses(session).slice(1), ['error', 'error']);
    assert.ok(!existsSync(join(rig.dataFolder, 'x')) && !existsSync(join(rig.dataFolder, 'dangling')));
  });

  it('B190: nor when the folder becomes such a link after the user allowed the write', async () => {
    const { rig, session } = at();
    mkdirSync(join(rig.folder, 'box'));
    rig.server.script({ steps: [call('write_file', { path: 'box/x', content: 'x' })] });
    session.onDidEmit((seen) => {
      if (seen.type !== 'approval.opened') return;
      rmdirSync(join(rig.folder, 'box'));
      symlinkSync(rig.dataFolder, join(rig.folder, 'box'));
      session.answer(seen.id, 'once');
    });
    session.send('Write');
    await session.settled();
    assert.deepEqual(statuses(session), ['error']);
    assert.ok(!existsSync(join(rig.dataFolder, 'x')));
  });

  it('B181: a file with secrets is neither read nor edited without a question that names it', async () => {
    const { rig, session } = at();
    const path = rig.write('.env', 'KEY=1');
    rig.server.script({
      steps: [call('read_file', { path: '.env' }), call('write_file', { path: '.env', content: 'KEY=2' })],
    });
    session.onDidEmit((seen) => {
      if (seen.type !== 'approval.opened') return;
      assert.match(JSON.stringify(session.approvals()[0]), /\.env/);
      session.answer(seen.id, 'deny');
    });
    session.send('Read');
    await session.settled();
    assert.deepEqual(statuses(session), ['denied', 'denied']);
    assert.equal(readFileSync(path, 'utf8'), 'KEY=1');
  });
});
