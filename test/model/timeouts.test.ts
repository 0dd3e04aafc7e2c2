/** How long a stream may stand still, and what comes of one that does (facts 8C). */

import assert from 'node:assert/strict';
import { type LimitsOf, streamLimits } from '../../src/agent/model/catalogue/stream-limits.ts';
import { createOpenAiChatWire } from '../../src/agent/model/index.ts';
import type { ModelPart } from '../../src/agent/model/types.ts';
import { ModelServer, type Script } from '../model-server/index.ts';
import { collect, ended, failed, requestOf, run, textOf, WIRES } from '../unit/model/wire-fixture.ts';
import { says, text } from './chat-fixture.ts';

const SECOND = 1000;
const limits = (of: Partial<LimitsOf>) =>
  streamLimits({ baseUrl: 'https://api.example.com/v1', model: 'some-model', tokens: 1_000, ...of });
const silence = (of: Partial<LimitsOf>) => limits(of).silenceMs / SECOND;

describe('how long a stream may be silent', () => {
  it('43. is 15 minutes for a server on this machine', () => {
    assert.equal(silence({ baseUrl: 'http://127.0.0.1:11434/v1' }), 900);
    assert.equal(silence({ baseUrl: 'http://localhost:1234/v1', tokens: 200_000 }), 900);
    assert.equal(silence({}), 180);
  });

  it('43. is at least ten minutes for a model that thinks, known by the start of its name', () => {
    for (const model of ['o3', 'openai/o3', 'o3-pro', 'o1-preview', 'deepseek-reasoner'])
      assert.equal(silence({ model }), 600);
    for (const model of ['foo3', 'o30', 'solo3', 'my-o3', 'gpt-4o']) assert.equal(silence({ model }), 180, model);
    assert.equal(silence({ model: 'o3-mini' }), 300);
    assert.equal(silence({ model: 'claude-opus-4-6' }), 240);
  });

  it('grows with the size of the request and with the effort', () => {
    assert.deepEqual(
      [50_000, 50_001, 100_001].map((tokens) => silence({ tokens })),
      [180, 240, 300],
    );
    assert.equal(silence({ effort: 'high' }), 300);
    assert.equal(silence({ effort: 'low' }), 180);
  });

  it('44. is short behind the first event of the Codex backend, and longer before it', () => {
    const codex = (tokens: number) =>
      limits({ baseUrl: 'https://chatgpt.com/backend-api/codex', model: 'gpt-5.6', tokens });
    assert.deepEqual(codex(1_000), { firstEventMs: 120 * SECOND, silenceMs: 12 * SECOND });
    assert.deepEqual(
      [10_001, 50_001, 100_001].map((tokens) => codex(tokens).silenceMs / SECOND),
      [60, 120, 180],
    );
  });

  it('is what the settings say, whatever the model is', () => {
    assert.deepEqual(limits({ model: 'o3', settings: { silenceMs: 5, firstEventMs: 7 } }), {
      firstEventMs: 7,
      silenceMs: 5,
    });
    assert.equal(limits({ baseUrl: 'http://localhost', settings: { localSilenceMs: 9, silenceMs: 5 } }).silenceMs, 9);
  });
});

describe('a stream that falls silent', () => {
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const SHORT = { localSilenceMs: 80, firstEventMs: 30_000 };
  const wire = (more = {}) => createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, limits: { ...SHORT, ...more } });
  /** Of a model that begins and says nothing. */
  const silent: Script = { steps: [{ raw: 'data: {"choices":[]}\n\n' }, { pause: true }] };
  const errorOf = (parts: readonly ModelPart[]) => failed(parts);

  for (const tested of WIRES.filter(({ name }) => name !== 'bedrock')) {
    it(`40. ends as a timeout on the ${tested.name} wire, and its socket is closed`, async () => {
      server.script({ steps: [{ text: 'x' }, { pause: true }] });
      const error = errorOf(await run(tested.create(server, { limits: SHORT })));
      assert.deepEqual([error.kind, error.retryable], ['timeout', true]);
      assert.equal((await (await server.nextRequest()).closed).by, 'client');
      assert.equal(server.requests.length, 1);
    });
  }

  it('40. is no stream of a model because something keeps the connection open', async () => {
    const ping = { raw: ': keep-alive\n\n' };
    const anthropic = WIRES.find(({ name }) => name === 'anthropic');
    const pings = Array.from({ length: 30 }, () => [
      ping,
      { raw: 'event: ping\ndata: {"type":"ping"}\n\n' },
      { delay: 20 },
    ]).flat();
    server.script({ steps: [{ text: 'x' }, ...pings, { pause: true }] });
    const parts = anthropic && (await run(anthropic.create(server, { limits: SHORT })));
    assert.equal(errorOf(parts ?? []).kind, 'timeout');
  });

  it('40. keeps what it had shown, and names what it was writing', async () => {
    server.script({ steps: [text('Half'), { call: { name: 'read_file', arguments: '{"pa' } }, { pause: true }] });
    const parts = await run(wire());
    assert.equal(textOf(parts), 'Half');
    assert.deepEqual(errorOf(parts).droppedCalls, ['read_file']);
  });

  it('41. is not opened a sixth time when it was silent five times in a row', async () => {
    const tested = wire();
    server.script(silent, silent, silent, silent, silent);
    for (let time = 0; time < 5; time++) assert.equal(errorOf(await run(tested)).retryable, true);
    const parts = await run(tested);
    const error = errorOf(parts);
    assert.deepEqual([error.kind, error.retryable, parts.length], ['timeout', false, 1]);
    assert.equal(server.requests.length, 5);
    assert.equal(textOf(await run(tested)) !== '', true, 'who asks again after that gets one more try');
  });

  it('41. is opened for ever when the settings say so', async () => {
    const tested = wire({ giveUpAfter: 0 });
    server.script(...Array.from({ length: 7 }, () => silent));
    for (let time = 0; time < 7; time++) assert.equal(errorOf(await run(tested)).retryable, true);
    assert.equal(server.requests.length, 7);
  });

  it('42. counts from the start again behind an answer that came through', async () => {
    const tested = wire();
    server.script(silent, silent, silent, silent, says('Hello.'), silent, silent, silent, silent, silent);
    for (let time = 0; time < 4; time++) errorOf(await run(tested));
    ended(await run(tested));
    for (let time = 0; time < 5; time++) assert.equal(errorOf(await run(tested)).retryable, true);
    assert.equal(errorOf(await run(tested)).retryable, false);
  });

  it('42. counts neither a stop nor a stream that had shown something, and starts anew with another model', async () => {
    const tested = wire({ giveUpAfter: 2 });
    const stop = new AbortController();
    server.script(silent);
    const stopped = collect(tested.stream(requestOf(), stop.signal));
    await (await server.nextRequest()).paused();
    stop.abort();
    assert.equal((await stopped).at(-1)?.type, 'aborted');
    server.script(silent, { steps: [text('Half'), { pause: true }] }, silent);
    for (let time = 0; time < 3; time++) assert.equal(errorOf(await run(tested)).retryable, true);
    server.script(silent);
    assert.equal(errorOf(await run(tested, { ...requestOf(), model: 'other' })).retryable, true);
    server.script(silent);
    assert.equal(errorOf(await run(tested, { ...requestOf(), model: 'other' })).retryable, true);
    assert.equal(errorOf(await run(tested, { ...requestOf(), model: 'other' })).retryable, false);
  });

  it('44. falls silent behind its first event by another limit than before it', async () => {
    const patient = wire({ localSilenceMs: 1, firstEventMs: 60_000 });
    server.script({ steps: [{ raw: 'data: {"choices":[]}\n\n' }, { pause: true }] });
    assert.match(errorOf(await run(patient)).detail, /Nothing came/);
  });

  it('says of each attempt how it went', async () => {
    const headers = { 'x-request-id': 'r-1', 'cf-ray': 'c'.repeat(300), 'set-cookie': 'secret=1' };
    server.script({ steps: [text('x'), { text: 'y' }], headers });
    const { facts } = ended(await run(wire()));
    assert.deepEqual([facts?.status, facts?.headers['x-request-id']], [200, 'r-1']);
    assert.equal(facts?.headers['cf-ray']?.length, 120);
    assert.equal(Object.keys(facts?.headers ?? {}).includes('set-cookie'), false);
    assert.ok((facts?.events ?? 0) >= 4);
    assert.ok((facts?.firstEventMs ?? Number.NaN) <= (facts?.elapsedMs ?? 0));
  });
});
