import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ModelServer, ModelServerClient } from '../../model-server/index.ts';

const question = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello there' }] };

describe('the fake model server', function () {
  this.timeout(20_000);
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const ask = (signal?: AbortSignal, body: object = question) =>
    fetch(`${server.openAiBaseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });

  it('repeats what the user said when no script waits', async () => {
    const text = await (await ask()).text();
    const words = [...text.matchAll(/"content":"([^"]*)"/g)].map((match) => match[1]).join('');
    assert.equal(words, 'You said: Hello there');
    assert.match(text, /"finish_reason":"stop"[\s\S]*data: \[DONE\]\n\n$/);
  });

  it('speaks the Messages API', async () => {
    server.script({
      steps: [{ reasoning: 'hm' }, { text: 'Hi' }, { call: { name: 'read_file', input: { path: 'a' } } }],
    });
    const body = JSON.stringify({ ...question, max_tokens: 5 });
    const text = await (await fetch(`${server.origin}/v1/messages`, { method: 'POST', body })).text();
    const events = [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1]);
    assert.deepEqual(events.slice(0, 3), ['message_start', 'ping', 'content_block_start']);
    assert.equal(events.filter((event) => event === 'content_block_start').length, 3);
    assert.equal(events.filter((event) => event === 'content_block_stop').length, 3);
    assert.match(text, /signature_delta[\s\S]*"stop_reason":"tool_use"/);
  });

  it('stands at a pause until it is released', async () => {
    server.script({ steps: [{ text: 'before' }, { pause: 'middle' }, { text: 'after' }] });
    const answer = ask().then((response) => response.text());
    const request = await server.nextRequest();
    await request.paused('middle');
    assert.equal(request.closing, undefined);
    assert.equal(request.release(), true);
    assert.match(await answer, /before[\s\S]*after/);
    assert.equal((await request.closed).by, 'finished');
  });

  it('holds the head back', async () => {
    server.script({ steps: [{ text: 'x' }], holdHead: true });
    const answer = ask();
    const request = await server.nextRequest();
    await request.paused('head');
    request.release('head');
    assert.equal((await answer).status, 200);
  });

  it('sees that the client closed the socket', async () => {
    server.script({ steps: [{ text: 'x' }, { pause: true }] });
    const stop = new AbortController();
    const response = await ask(stop.signal);
    const request = await server.nextRequest();
    await request.paused();
    stop.abort();
    assert.equal((await request.closed).by, 'client');
    await assert.rejects(response.text());
  });

  it('cuts the socket where the script says so', async () => {
    server.script({ steps: [{ text: 'x' }, { cut: true }] });
    const response = await ask();
    await assert.rejects(response.text());
    assert.equal((await (await server.nextRequest()).closed).by, 'server');
  });

  it('answers whole', async () => {
    server.script({ status: 429, headers: { 'retry-after': '7' }, body: { error: { message: 'slow down' } } });
    const response = await ask();
    assert.equal(response.status, 429);
    assert.equal(response.headers.get('retry-after'), '7');
    assert.deepEqual(await response.json(), { error: { message: 'slow down' } });
  });

  it('refuses an illegal history with 400 and says so on the request', async () => {
    const response = await ask(undefined, {
      ...question,
      messages: [{ role: 'tool', tool_call_id: 'a', content: 'x' }],
    });
    assert.equal(response.status, 400);
    assert.match((await server.nextRequest()).invalid ?? '', /must answer a tool call/);
  });

  it('keeps the bytes of a request', async () => {
    await (await ask()).text();
    assert.equal((await server.nextRequest()).bytes.toString(), JSON.stringify(question));
  });

  it('is driven from another process over its control endpoint', async () => {
    const client = new ModelServerClient(server.origin);
    await client.script({ steps: [{ text: 'one' }, { pause: 'gate' }, { text: 'two' }] });
    const answer = ask().then((response) => response.text());
    assert.equal((await client.wait(0, 'paused', 'gate')).pausedAt, 'gate');
    assert.equal(await client.release(), true);
    assert.match(await answer, /one[\s\S]*two/);
    assert.equal((await client.wait(0, 'closed')).closing?.by, 'finished');
    assert.equal((await client.requests())[0]?.raw, JSON.stringify(question));
    await client.configure({ apiKey: 'right' });
    assert.equal((await ask()).status, 401);
    await client.reset();
    assert.deepEqual(await client.requests(), []);
  });
});

describe('the fake model server as a process', function () {
  this.timeout(20_000);

  it('says where it listens, is driven by its client and ends on SIGTERM', async () => {
    const main = fileURLToPath(new URL('../../model-server/main.ts', import.meta.url));
    const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit');
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const origin = /^model server (http:\S+)\n$/.exec(line.toString())?.[1];
    assert.ok(origin);
    const client = new ModelServerClient(origin);
    await client.script({ status: 418, body: 'tea' });
    const response = await fetch(`${client.openAiBaseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(question),
    });
    assert.equal(response.status, 418);
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });
});
