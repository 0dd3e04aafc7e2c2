/** The Gemini and Bedrock wires (facts 1.5 and 1.6). */

import assert from 'node:assert/strict';
import { createBedrockWire, createGeminiWire } from '../../src/agent/model/index.ts';
import type { ModelMessage, ModelRequest, ModelWire } from '../../src/agent/model/types.ts';
import { ModelServer, type RecordedRequest } from '../model-server/index.ts';
import { ended, failed, requestOf, run, textOf } from '../unit/model/wire-fixture.ts';

const SENTINEL = 'skip_thought_signature_validator';

interface Part {
  readonly text?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string };
  readonly functionResponse?: { readonly id?: string; readonly name: string };
  readonly thoughtSignature?: string;
}

function partsOf(request: RecordedRequest): readonly Part[] {
  const { contents } = request.body as { readonly contents: readonly { readonly parts: readonly Part[] }[] };
  return contents.flatMap(({ parts }) => parts);
}

const asked: readonly ModelMessage[] = [
  { role: 'user', text: 'What is the weather?' },
  { role: 'assistant', text: '', calls: [{ callId: 'call_1', name: 'read_file', input: { path: 'weather.txt' } }] },
  { role: 'tool', callId: 'call_1', name: 'read_file', text: 'Sunny', isError: false },
];

const withModel = (model: string, messages: readonly ModelMessage[] = asked): ModelRequest => ({
  ...requestOf(messages),
  model,
});

describe('Gemini', () => {
  let server: ModelServer;
  let wire: ModelWire;
  before(async () => {
    server = await ModelServer.start();
  });
  beforeEach(() => {
    wire = createGeminiWire({ baseUrl: server.origin, apiKey: 'k' });
  });
  afterEach(() => server.reset());
  after(() => server.close());

  it('156. sends the mark for no signature with a stored call that has none', async () => {
    ended(await run(wire, withModel('gemini-3-pro')));
    const [call] = partsOf(await server.nextRequest()).filter((part) => part.functionCall);
    assert.equal(call?.thoughtSignature, SENTINEL);
  });

  it('156. sends back the signature of each call that has one, and of the others the mark', async () => {
    server.script({ steps: [{ call: { name: 'read_file' } }, { call: { name: 'read_file' } }] });
    const { calls, thinking } = ended(await run(wire, withModel('gemini-3-pro', asked.slice(0, 1))));
    const results = calls.map(({ callId, name }) => ({
      role: 'tool' as const,
      callId,
      name,
      text: 'x',
      isError: false,
    }));
    const answer = { role: 'assistant' as const, text: '', thinking, calls };
    ended(await run(wire, withModel('gemini-3-pro', [...asked.slice(0, 1), answer, ...results])));
    const sent = partsOf(await server.request(1)).filter((part) => part.functionCall);
    assert.deepEqual(
      sent.map((part) => part.thoughtSignature),
      ['signed-t0', SENTINEL],
    );
  });

  it('156. names calls and results by id from version 3 on, and not before', async () => {
    for (const [model, id] of [
      ['gemini-3-pro', 'call_1'],
      ['gemini-3.8-flash', 'call_1'],
      ['gemini-2.5-pro', undefined],
    ] as const) {
      ended(await run(wire, withModel(model)));
      const parts = partsOf(await server.nextRequest());
      assert.deepEqual(
        parts.flatMap((part) => [part.functionCall, part.functionResponse]).flatMap((each) => (each ? [each.id] : [])),
        [id, id],
        model,
      );
    }
  });

  it('157. reads the last line also when nothing ends it', async () => {
    const last = {
      candidates: [{ content: { parts: [{ text: 'lo' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 },
    };
    server.script({ steps: [{ text: 'Hel' }, { raw: `data: ${JSON.stringify(last)}` }, { eof: true }] });
    const parts = await run(wire);
    assert.equal(textOf(parts), 'Hello');
    assert.equal(ended(parts).usage?.output, 2);
  });

  it('158. takes two calls without ids in two events as two calls, however much alike', async () => {
    const call = (path: string) => ({ call: { id: '', name: 'read_file', input: { path } } });
    server.script({ steps: [call('a'), call('b'), call('b')] });
    const { calls } = ended(await run(wire));
    assert.deepEqual(
      calls.map(({ input }) => input),
      [{ path: 'a' }, { path: 'b' }, { path: 'b' }],
    );
    assert.equal(new Set(calls.map(({ callId }) => callId)).size, 3);
  });

  it('159. counts thoughts as part of the output', async () => {
    server.script({ steps: [{ usage: { input: 50, cacheRead: 20, output: 40, reasoning: 30 } }, { text: 'ok' }] });
    const usage = { input: 50, output: 40, cacheRead: 20, cacheWrite: 0, reasoning: 30 };
    assert.deepEqual(ended(await run(wire)).usage, usage);
    const sent = {
      promptTokenCount: 70,
      cachedContentTokenCount: 20,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 30,
    };
    const whole = { candidates: [{ content: { parts: [{ text: 'ok' }] }, finishReason: 'STOP' }], usageMetadata: sent };
    server.script({ steps: [{ raw: `data: ${JSON.stringify(whole)}\n\n` }, { eof: true }] });
    assert.deepEqual(ended(await run(wire)).usage, usage);
  });

  it('161. opens the stream again when its connection breaks before anything was shown', async () => {
    server.script({ steps: [{ raw: ': alive\n\n' }, { cut: true }] }, { steps: [{ text: 'Hello' }] });
    const parts = await run(wire);
    assert.equal(textOf(parts), 'Hello');
    ended(parts);
    assert.equal(server.requests.length, 2);
  });

  it('161. reports a read that timed out in the middle as a timeout that may be tried again', async () => {
    const timeout = Object.assign(new Error('Body Timeout Error'), { code: 'UND_ERR_BODY_TIMEOUT' });
    const chunk = 'data: {"candidates":[{"content":{"parts":[{"text":"half"}]}}]}\n\n';
    const late = createGeminiWire({
      fetch: async () => {
        const pieces = [new TextEncoder().encode(chunk)];
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            const next = pieces.shift();
            if (next === undefined) controller.error(new TypeError('terminated', { cause: timeout }));
            else controller.enqueue(next);
          },
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      },
    });
    const error = failed(await run(late));
    assert.equal(error.kind, 'timeout');
    assert.equal(error.retryable, true);
  });
});

describe('Bedrock', () => {
  let server: ModelServer;
  let wire: ModelWire;
  before(async () => {
    server = await ModelServer.start();
  });
  beforeEach(() => {
    wire = createBedrockWire({ baseUrl: server.origin, region: 'us-east-1', apiKey: 'k' });
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
  const refused = (status: number, name: string, message: string) => ({
    status,
    headers: { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/` },
    body: { message },
  });
  const noStreams = refused(
    403,
    'AccessDeniedException',
    'User: arn:aws:sts::1:assumed-role/dev is not authorized to perform: bedrock:InvokeModelWithResponseStream on resource: arn:aws:bedrock:us-east-1::foundation-model/x because no identity-based policy allows it',
  );
  const operations = () => server.requests.map(({ path }) => path.split('/').at(-1));
  const points = () => server.requests.map(({ bytes }) => bytes.toString().split('"cachePoint"').length - 1);

  it('162. asks without streaming for the rest of a session whose role may not stream', async () => {
    server.script(noStreams, {
      steps: [{ text: 'Whole.' }, { call: { id: 'a', name: 'read_file', input: { path: 'x' } } }],
    });
    const parts = await run(wire, withModel(CLAUDE));
    assert.equal(textOf(parts), 'Whole.');
    assert.deepEqual(ended(parts).calls, [{ callId: 'a', name: 'read_file', input: { path: 'x' } }]);
    ended(await run(wire, withModel(CLAUDE)));
    ended(await run(wire, { ...withModel(CLAUDE), cacheKey: 'session-2' }));
    assert.deepEqual(operations(), ['converse-stream', 'converse', 'converse', 'converse-stream']);
  });

  it('162. sends a request once more without cache points when they are refused, and none to that model again', async () => {
    server.script(
      refused(400, 'ValidationException', 'Malformed input request: extraneous key [cachePoint] is not permitted'),
    );
    ended(await run(wire, withModel(CLAUDE)));
    ended(await run(wire, withModel(CLAUDE)));
    ended(await run(wire, withModel('amazon.nova-pro-v1:0')));
    const [first = 0, ...later] = points();
    assert.ok(first > 0);
    assert.deepEqual(later.slice(0, 2), [0, 0]);
    assert.ok((later[2] ?? 0) > 0);
  });

  it('162. mends both, one after the other, and nothing twice', async () => {
    const noCache = refused(
      403,
      'AccessDeniedException',
      'You invoked an unsupported model or your request did not allow prompt caching.',
    );
    server.script(noStreams, noCache, { steps: [{ text: 'ok' }] }, noCache, noStreams);
    assert.equal(textOf(await run(wire, withModel(CLAUDE))), 'ok');
    assert.equal(failed(await run(wire, withModel(CLAUDE))).kind, 'auth');
    assert.equal(failed(await run(wire, withModel(CLAUDE))).kind, 'auth');
    assert.equal(server.requests.length, 5);
  });
});
