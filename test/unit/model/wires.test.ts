import assert from 'node:assert/strict';
import type { ModelPart } from '../../../src/agent/model/types.ts';
import { ModelServer, type Script } from '../../model-server/index.ts';
import { collect, ended, ending, failed, requestOf, run, textOf, WIRES, withoutFacts } from './wire-fixture.ts';

for (const tested of WIRES) {
  describe(`the ${tested.name} wire`, function () {
    this.timeout(20_000);
    let server: ModelServer;
    before(async () => {
      server = await ModelServer.start();
    });
    afterEach(() => server.reset());
    after(() => server.close());
    const wire = () => tested.create(server, { apiKey: 'the-secret-key' });

    it('streams text between a head and one end', async () => {
      server.script({ steps: [{ text: 'Hel' }, { text: 'lo' }, { usage: { input: 7, output: 2 } }] });
      const parts = await run(wire());
      assert.equal(parts[0]?.type, 'head');
      assert.equal(textOf(parts), 'Hello');
      const end = ended(parts);
      assert.equal(end.finish, 'stop');
      assert.deepEqual(end.calls, []);
      assert.equal(end.usage?.output, 2);
    });

    it('gives thinking as reasoning, never as text', async () => {
      server.script({ steps: [{ reasoning: 'Let me see.' }, { text: 'Done.' }] });
      const parts = await run(wire());
      assert.equal(textOf(parts, 'reasoning'), 'Let me see.');
      assert.equal(textOf(parts), 'Done.');
    });

    it('gives parallel calls whole, in order, in the end only', async () => {
      server.script({
        steps: [
          { text: 'Reading.' },
          { call: { id: 'a', name: 'read_file', input: { path: 'src/ä.ts' }, split: 3 } },
          { call: { id: 'b', name: 'read_file', input: { path: 'b' } } },
        ],
      });
      const parts = await run(wire());
      const end = ended(parts);
      assert.equal(end.finish, 'tool_calls');
      assert.deepEqual(end.calls, [
        { callId: 'a', name: 'read_file', input: { path: 'src/ä.ts' } },
        { callId: 'b', name: 'read_file', input: { path: 'b' } },
      ]);
      const progress = parts.filter((part) => part.type === 'call_progress');
      assert.equal(progress.findLast((part) => part.index === 0)?.characters, '{"path":"src/ä.ts"}'.length);
      assert.equal(progress.at(-1)?.index, 1);
    });

    it('takes a call without arguments as a call without arguments', async () => {
      server.script({ steps: [{ call: { name: 'todo', arguments: '' } }] });
      assert.deepEqual(ended(await run(wire())).calls[0]?.input, {});
    });

    it('gives a call an id when the server gives none', async () => {
      server.script({ steps: [{ call: { id: '', name: 'read_file' } }] });
      assert.match(ended(await run(wire())).calls[0]?.callId ?? '', /^call_\w{12,32}$/);
    });

    it('carries closed arguments that are no JSON object as invalid input', async () => {
      server.script({ steps: [{ call: { name: 'read_file', arguments: '{"path": nope}' } }] });
      assert.equal(ended(await run(wire())).calls[0]?.invalidInput, '{"path": nope}');
    });

    it('never gives a call whose arguments are unfinished, though the answer closes properly', async () => {
      server.script({
        steps: [{ call: { name: 'todo' } }, { call: { name: 'write_file', arguments: '{"path":"x","content":"ab' } }],
      });
      const last = ending(await run(wire()));
      if (last.type === 'end') {
        assert.deepEqual([last.finish, last.calls], ['length', []]);
        assert.ok(last.droppedCalls?.includes('write_file'));
      } else if (last.type === 'error') {
        assert.equal(last.error.kind, 'stream_cut');
        assert.match(last.error.detail, /write_file/);
      } else assert.fail('aborted');
    });

    it('ends without calls when the output limit cut them', async () => {
      server.script({ steps: [{ call: { name: 'write_file', arguments: '{"path":"x' } }, { finish: 'length' }] });
      const end = ended(await run(wire()));
      assert.equal(end.finish, tested.cutFinish ?? 'length');
      assert.deepEqual(end.calls, []);
    });

    it('runs nothing from an answer that the provider filtered', async () => {
      server.script({ steps: [{ call: { name: 'todo' } }, { finish: 'content_filter' }] });
      const end = ended(await run(wire()));
      assert.equal(end.finish, 'content_filter');
      assert.deepEqual(end.calls, []);
    });

    const cuts: [string, Script][] = [
      ['a socket that breaks inside text', { steps: [{ text: 'half' }, { cut: true }] }],
      ['a socket that breaks behind whole arguments', { steps: [{ call: { name: 'todo' } }, { cut: true }] }],
      ['a body that ends inside text', { steps: [{ text: 'half' }, { eof: true }] }],
      ['a body that ends behind whole arguments', { steps: [{ call: { name: 'todo' } }, { eof: true }] }],
      ['a body without any frame', { steps: [{ eof: true }] }],
    ];
    for (const [what, script] of cuts) {
      it(`reports ${what} as a cut stream that may be tried again`, async () => {
        server.script(script);
        const parts = await run(wire());
        const error = failed(parts);
        assert.equal(parts[0]?.type, 'head');
        assert.equal(error.kind, 'stream_cut');
        assert.equal(error.retryable, true);
      });
    }

    it('closes the socket when it is aborted inside the answer, and drops what comes later', async () => {
      server.script({ steps: [{ text: 'one' }, { pause: true }, { text: 'two' }] });
      const stop = new AbortController();
      const parts: ModelPart[] = [];
      for await (const part of wire().stream(requestOf(), stop.signal)) {
        parts.push(part);
        if (part.type === 'text') stop.abort();
      }
      assert.equal(ending(parts).type, 'aborted');
      assert.equal(textOf(parts), 'one');
      const request = await server.nextRequest();
      assert.equal((await request.closed).by, 'client');
    });

    it('gives nothing of the frames that had arrived when it was aborted', async () => {
      server.script({ steps: [{ burst: { times: 500, text: 'x', perWrite: 500 } }] });
      const stop = new AbortController();
      const parts: ModelPart[] = [];
      for await (const part of wire().stream(requestOf(), stop.signal)) {
        parts.push(part);
        if (part.type === 'text') stop.abort();
      }
      assert.equal(ending(parts).type, 'aborted');
      assert.equal(textOf(parts), 'x');
    });

    it('closes the socket when it is aborted before the head', async () => {
      server.script({ steps: [{ text: 'never' }], holdHead: true });
      const stop = new AbortController();
      const parts = collect(wire().stream(requestOf(), stop.signal));
      const request = await server.nextRequest();
      stop.abort();
      assert.deepEqual(withoutFacts(await parts), [{ type: 'aborted' }]);
      assert.equal((await request.closed).by, 'client');
    });

    it('sends nothing when it was aborted before it began', async () => {
      assert.deepEqual(await collect(wire().stream(requestOf(), AbortSignal.abort())), [{ type: 'aborted' }]);
      assert.equal(server.requests.length, 0);
    });

    it('closes the socket when its consumer leaves', async () => {
      server.script({ steps: [{ text: 'one' }, { pause: true }] });
      for await (const part of wire().stream(requestOf(), new AbortController().signal)) {
        if (part.type === 'text') break;
      }
      assert.equal((await (await server.nextRequest()).closed).by, 'client');
    });

    it('uses its connections again after whole answers', async () => {
      const ports: unknown[] = [];
      for (let turn = 0; turn < 6; turn++) {
        await run(wire());
        const request = await server.nextRequest();
        assert.equal((await request.closed).by, 'finished');
        ports.push(request.port);
      }
      // The platform needs a moment to see that a connection is free, so two of them take turns.
      assert.ok(new Set(ports.slice(-4)).size <= 2, `ports ${ports.join(', ')}`);
    });

    it('reports a key that is refused, without the key', async () => {
      server.settings.apiKey = 'another-key';
      const error = failed(await run(wire()));
      assert.equal(error.kind, 'auth');
      assert.equal(error.status, 401);
      assert.equal(error.action, 'midcourse.setApiKey');
      assert.equal(error.retryable, false);
      assert.doesNotMatch(JSON.stringify(error), /the-secret-key/);
    });

    it('sends a long conversation whole and with its length', async () => {
      const text = 'ä line of many\n'.repeat(200_000);
      server.script({ steps: [{ text: 'Read.' }] });
      ended(await run(wire(), requestOf([{ role: 'user', text }])));
      const [request] = server.requests;
      assert.equal(request?.headers['content-length'], String(request?.bytes.length));
      assert.ok(JSON.stringify(request?.body).includes(JSON.stringify(text)));
    });

    it('sends its key', async () => {
      server.settings.apiKey = 'the-secret-key';
      ended(await run(wire()));
    });

    it('reports a model that does not exist', async () => {
      server.settings.models = ['other-model'];
      const error = failed(await run(wire()));
      assert.equal(error.kind, 'model_not_found');
      assert.match(error.message, /test-model/);
      assert.equal(error.action, 'midcourse.selectModel');
    });

    it('reports a web page as no model answer', async () => {
      const headers = { 'content-type': 'text/html' };
      server.script({ status: 200, headers, body: '<html><body>Log in</body></html>' });
      const parts = await run(wire());
      assert.equal(failed(parts).kind, 'not_json');
      assert.equal(parts.length, 1);
    });

    it('reports JSON that holds no answer as no model answer, and does not ask again', async () => {
      for (const body of [{}, { message: 'Forbidden by the gateway' }, { detail: 'Not authenticated' }]) {
        server.script({ status: 200, body });
        const error = failed(await run(tested.create(server, { reopens: 2 })));
        assert.equal(error.kind, 'not_json');
        assert.match(error.detail, new RegExp(Object.values(body)[0] ?? '{}'));
      }
      assert.equal(server.requests.length, 3);
    });

    it('reports a redirect instead of following it with the key', async () => {
      server.script({ status: 302, headers: { location: 'http://elsewhere.invalid/' }, body: '' });
      const error = failed(await run(wire()));
      assert.equal(error.kind, 'not_json');
      assert.match(error.detail, /elsewhere\.invalid/);
      assert.equal(server.requests.length, 1);
    });

    it('honours the wait that a rate limit asks for', async () => {
      server.script({ status: 429, headers: { 'retry-after': '7' }, body: { error: { message: 'Slow down' } } });
      const error = failed(await run(wire()));
      assert.equal(error.kind, 'rate_limit');
      assert.equal(error.retryAfterMs, 7000);
    });

    it('reports an error frame inside the stream by what it says', async () => {
      server.script({ steps: [{ text: 'half' }, { error: { type: 'overloaded_error', message: 'Overloaded' } }] });
      const error = failed(await run(wire()));
      assert.equal(error.kind, 'overloaded');
      assert.equal(error.retryable, true);
    });

    it('reports an endpoint that nobody serves', async () => {
      const gone = await ModelServer.start();
      const origin = gone.origin;
      await gone.close();
      const error = failed(await run(tested.create({ origin })));
      assert.equal(error.kind, 'network');
      assert.match(error.message, /127\.0\.0\.1:\d+: nothing answers/);
      assert.equal(error.action, 'midcourse.testConnection');
    });

    it('reports a key that HTTP cannot carry as a wrong key', async () => {
      assert.equal(failed(await run(tested.create(server, { apiKey: 'sk-ключ' }))).kind, 'auth');
    });
  });
}
