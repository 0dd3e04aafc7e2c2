import assert from 'node:assert/strict';
import { createGeminiWire, type WireOptions } from '../../../src/agent/model/index.ts';
import type { Effort, ModelMessage, ModelRequest, SignedThinking } from '../../../src/agent/model/types.ts';
import { type Answer, ModelServer } from '../../model-server/index.ts';
import { ended, failed, requestOf, run, textOf } from './wire-fixture.ts';

interface Part {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType: string };
  readonly functionCall?: { readonly name: string; readonly args: object };
  readonly functionResponse?: { readonly name: string; readonly response: object };
  readonly thoughtSignature?: string;
}

interface Body {
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly contents: readonly { readonly role: string; readonly parts: readonly Part[] }[];
  readonly tools?: readonly { readonly functionDeclarations: readonly { readonly name: string }[] }[];
  readonly toolConfig?: object;
  readonly generationConfig: { readonly maxOutputTokens: number; readonly thinkingConfig?: object };
}

const user = (text: string): ModelMessage => ({ role: 'user', text });
const result = (text: string, isError = false): ModelMessage => ({
  role: 'tool',
  callId: 'c1',
  name: 'read_file',
  text,
  isError,
});
const asks = (thinking: readonly SignedThinking[] = []): ModelMessage => ({
  role: 'assistant',
  text: '',
  thinking,
  calls: [{ callId: 'c1', name: 'read_file', input: { path: 'a' } }],
});

describe('the Gemini wire', function () {
  this.timeout(20_000);
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const wire = (options: WireOptions = {}) => createGeminiWire({ baseUrl: server.origin, apiKey: 'k', ...options });
  const sent = async (change: Partial<ModelRequest> = {}, options: WireOptions = {}): Promise<Body> => {
    ended(await run(wire(options), { ...requestOf(), model: 'gemini-2.5-flash', ...change }));
    return (await server.nextRequest()).body as Body;
  };
  const contents = async (...messages: readonly ModelMessage[]) => (await sent({ messages })).contents;
  const answer = (steps: Extract<Answer, { steps: unknown }>['steps']) => {
    server.script({ steps });
    return run(wire());
  };

  describe('asks', () => {
    const addresses: readonly (readonly [base: string, path: string])[] = [
      ['', '/v1beta/models/gemini-2.5-flash:streamGenerateContent'],
      ['/v1beta/', '/v1beta/models/gemini-2.5-flash:streamGenerateContent'],
      ['/v1', '/v1/models/gemini-2.5-flash:streamGenerateContent'],
      ['/v1beta/openai/', '/v1beta/models/gemini-2.5-flash:streamGenerateContent'],
      ['/gateway/google', '/gateway/google/v1beta/models/gemini-2.5-flash:streamGenerateContent'],
    ];
    for (const [base, path] of addresses) {
      it(`at ${path} for the address ${base || 'without a path'}`, async () => {
        await run(wire({ baseUrl: `${server.origin}${base}` }), { ...requestOf(), model: 'models/gemini-2.5-flash' });
        assert.equal((await server.nextRequest()).path, path);
      });
    }

    it('with its key in the header of Google, and says who it is', async () => {
      await sent();
      const { headers } = await server.request(0);
      assert.equal(headers['x-goog-api-key'], 'k');
      assert.equal(headers.authorization, undefined);
      assert.match(`${headers['user-agent']} ${headers['x-goog-api-client']}`, /midcourse \S*midcourse/);
    });

    it('with the system prompt and the tools in their own fields', async () => {
      const body = await sent();
      assert.deepEqual(body.systemInstruction, { parts: [{ text: 'You are a test.' }] });
      assert.deepEqual(
        body.tools?.[0]?.functionDeclarations.map(({ name }) => name),
        ['read_file'],
      );
      assert.deepEqual(body.toolConfig, { functionCallingConfig: { mode: 'AUTO' } });
      const bare = await sent({ system: ' ', tools: [] });
      assert.deepEqual(Object.keys(bare), ['generationConfig', 'contents']);
    });

    it('for all output of a model that thinks, and for what was wished of one that does not', async () => {
      const limits = async (model: string, maxOutput?: number) =>
        (await sent({ model, ...(maxOutput !== undefined && { maxOutput }) })).generationConfig.maxOutputTokens;
      assert.equal(await limits('gemini-2.5-flash', 4096), 65_535);
      assert.equal(await limits('gemini-2.0-flash', 4096), 4096);
      assert.equal(await limits('gemini-2.0-flash'), 65_535);
    });

    const efforts: readonly (readonly [model: string, effort: Effort | undefined, config: object | undefined])[] = [
      ['gemini-3-pro', undefined, { includeThoughts: true }],
      ['gemini-3-pro', 'low', { includeThoughts: true, thinkingLevel: 'LOW' }],
      ['gemini-3-flash', 'none', { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
      ['gemini-2.5-flash', 'medium', { includeThoughts: true, thinkingBudget: 8192 }],
      ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
      ['gemini-2.0-flash', 'high', undefined],
    ];
    for (const [model, effort, config] of efforts) {
      it(`${model} for ${effort ?? 'its own'} effort`, async () => {
        const body = await sent({ model, ...(effort !== undefined && { effort }) });
        assert.deepEqual(body.generationConfig.thinkingConfig, config);
      });
    }
  });

  describe('writes', () => {
    it('a result that is an object as one, and every other as output or error', async () => {
      const responses = async (text: string, isError = false) => {
        const [, , turn] = await contents(user('Go'), asks(), result(text, isError));
        return turn?.parts[0]?.functionResponse?.response;
      };
      assert.deepEqual(await responses(' {"lines": 3}'), { lines: 3 });
      assert.deepEqual(await responses('[1]'), { output: '[1]' });
      assert.deepEqual(await responses('{"broken'), { output: '{"broken' });
      assert.deepEqual(await responses(''), { output: '(no output)' });
      assert.deepEqual(await responses('No such file', true), { error: 'No such file' });
    });

    it('a result with a reference of a schema in it as text', async () => {
      const text = '{"schema":{"$ref":"#/definitions/x"}}';
      const [, , turn] = await contents(user('Go'), asks(), result(text));
      assert.deepEqual(turn?.parts[0]?.functionResponse?.response, { output: text });
    });

    it('the name of a call and of its result the same way', async () => {
      const odd: ModelMessage = { role: 'assistant', text: '', calls: [{ callId: 'c1', name: '2 fast!', input: {} }] };
      const [, call, response] = await contents(user('Go'), odd, { ...result('x'), name: '2 fast!' } as ModelMessage);
      assert.equal(call?.parts[0]?.functionCall?.name, '_2_fast_');
      assert.equal(response?.parts[0]?.functionResponse?.name, '_2_fast_');
    });

    it('the results of one batch as one turn', async () => {
      const call = { callId: 'c1', name: 'read_file', input: {} };
      const both: ModelMessage = { role: 'assistant', text: '', calls: [call, { ...call, callId: 'c2' }] };
      const turns = await contents(user('Go'), both, result('a'), { ...result('b'), callId: 'c2' } as ModelMessage);
      assert.deepEqual(
        turns.map(({ role, parts }) => [role, parts.length]),
        [
          ['user', 1],
          ['model', 2],
          ['user', 2],
        ],
      );
    });

    it("a turn of the model's between results and a person's words, and between two texts of a person", async () => {
      const turns = await contents(user('Go'), asks(), result('x'), user('use reduce'), user('and be quick'));
      assert.deepEqual(
        turns.map(({ role, parts }) => [role, parts[0]?.text]),
        [
          ['user', 'Go'],
          ['model', undefined],
          ['user', undefined],
          ['model', 'Go on.'],
          ['user', 'use reduce'],
          ['model', 'Go on.'],
          ['user', 'and be quick'],
        ],
      );
    });

    it('answers that follow one another as one turn', async () => {
      const said = (text: string): ModelMessage => ({ role: 'assistant', text, calls: [] });
      const turns = await contents(user('Go'), said('One.'), said('Two.'), user('More'));
      assert.deepEqual(
        turns[1]?.parts.map(({ text }) => text),
        ['One.', 'Two.'],
      );
    });

    it('images of the kinds that it takes', async () => {
      const images = ['image/png', 'image/gif'].map((mime) => ({ mime, base64: 'AAAA' }));
      const [turn] = await contents({ role: 'user', text: 'Look', images });
      assert.deepEqual(
        turn?.parts.map((part) => part.inlineData?.mimeType),
        [undefined, 'image/png'],
      );
    });
  });

  describe('keeps a signature', () => {
    const signatures = (turns: Body['contents']) => turns.flatMap(({ parts }) => parts.map((p) => p.thoughtSignature));
    const SENTINEL = 'skip_thought_signature_validator';
    const signed = async (model = 'gemini-3-pro') => {
      server.script({ steps: [{ text: 'I look.' }, { call: { id: 'c1', name: 'read_file' } }] });
      const { thinking } = ended(await run(wire(), { ...requestOf(), model }));
      await server.nextRequest();
      return asks(thinking);
    };

    it('for the model that made it, and sends the mark for none to any other', async () => {
      const messages = [user('Go'), await signed(), result('x')];
      const own = await sent({ model: 'gemini-3-pro', messages });
      assert.deepEqual(signatures(own.contents), [undefined, 'signed-t0', undefined]);
      const other = await sent({ model: 'gemini-3-flash', messages });
      assert.deepEqual(signatures(other.contents), [undefined, SENTINEL, undefined]);
    });

    it('of a text on that text', async () => {
      const part = { text: '', thoughtSignature: 'c2lnbg==' };
      const last = { candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }] };
      server.script({ steps: [{ text: 'Done.' }, { raw: `data: ${JSON.stringify(last)}\n\n` }, { eof: true }] });
      const { thinking } = ended(await run(wire(), { ...requestOf(), model: 'gemini-3-pro' }));
      await server.nextRequest();
      const said: ModelMessage = { role: 'assistant', text: 'Done.', thinking, calls: [] };
      const body = await sent({ model: 'gemini-3-pro', messages: [user('Go'), said, user('Thanks')] });
      assert.deepEqual(body.contents[1]?.parts, [{ text: 'Done.', thoughtSignature: 'c2lnbg==' }]);
    });

    it('no longer when it was refused, and asks once more without', async () => {
      const messages = [user('Go'), await signed(), result('x')];
      const refusal = { error: { code: 400, message: 'Corrupted thought signature.', status: 'INVALID_ARGUMENT' } };
      server.script({ status: 400, body: refusal });
      const model = 'gemini-3-pro';
      const own = wire();
      ended(await run(own, { ...requestOf(messages), model }));
      const bodies = [await server.nextRequest(), await server.nextRequest()].map(({ body }) => body as Body);
      assert.deepEqual(
        bodies.map((body) => signatures(body.contents)[1]),
        ['signed-t0', SENTINEL],
      );
      server.script({ status: 400, body: refusal });
      assert.equal(failed(await run(own, { ...requestOf(messages), model })).kind, 'bad_request');
    });
  });

  describe('reads', () => {
    const chunk = (candidate: object, more: object = {}) => ({
      raw: `data: ${JSON.stringify({ candidates: [candidate], ...more })}\n\n`,
    });
    const parts = (...some: readonly object[]) => chunk({ content: { parts: some } });
    const call = (functionCall: object, more: object = {}) => parts({ functionCall, ...more });
    const stop = chunk({ finishReason: 'STOP' });
    const eof = { eof: true } as const;

    it('a call that comes again under its id as the same one, with its newest arguments', async () => {
      const grown = [{ path: 'a' }, { path: 'a', limit: 3 }];
      const all = await answer([...grown.map((args) => call({ id: 'x', name: 'read_file', args })), stop, eof]);
      assert.deepEqual(ended(all).calls, [{ callId: 'x', name: 'read_file', input: { path: 'a', limit: 3 } }]);
    });

    it('a call without id that comes again under its signature as the same one', async () => {
      const again = call({ name: 'read_file', args: { path: 'a' } }, { thoughtSignature: 's' });
      assert.equal(ended(await answer([again, again, stop, eof])).calls.length, 1);
    });

    it('a call whose arguments were announced in pieces as unfinished', async () => {
      const begun = call({ name: 'write_file', willContinue: true });
      const piece = call({ partialArgs: [{ jsonPath: '$.path', stringValue: 'a' }], willContinue: true });
      const error = failed(await answer([begun, piece, stop, eof]));
      assert.equal(error.kind, 'stream_cut');
      assert.deepEqual(error.droppedCalls, ['write_file']);
    });

    it('a call once it is whole, though it was announced in pieces', async () => {
      const begun = call({ id: 'x', name: 'write_file', willContinue: true });
      const whole = call({ id: 'x', name: 'write_file', args: { path: 'a' } });
      assert.deepEqual(ended(await answer([begun, whole, stop, eof])).calls[0]?.input, { path: 'a' });
    });

    const reasons: readonly (readonly [reason: string, finish: string])[] = [
      ['STOP', 'stop'],
      ['MAX_TOKENS', 'length'],
      ['SAFETY', 'content_filter'],
      ['RECITATION', 'content_filter'],
      ['PROHIBITED_CONTENT', 'content_filter'],
      ['LANGUAGE', 'stop'],
      ['A_NEW_REASON', 'stop'],
    ];
    for (const [finishReason, finish] of reasons) {
      it(`the finish reason ${finishReason} as ${finish}`, async () => {
        assert.equal(ended(await answer([{ text: 'x' }, chunk({ finishReason }), eof])).finish, finish);
      });
    }

    it('calls as the finish whatever the reason says', async () => {
      const all = await answer([call({ name: 'todo', args: {} }), chunk({ finishReason: 'OTHER' }), eof]);
      assert.equal(ended(all).finish, 'tool_calls');
    });

    it('a prompt that was blocked as filtered', async () => {
      const raw = 'data: {"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}\n\n';
      const end = ended(await answer([{ raw }, eof]));
      assert.deepEqual([end.finish, end.usage?.input], ['content_filter', 4]);
    });

    it('an answer that came whole, as JSON', async () => {
      const body = {
        candidates: [{ content: { parts: [{ text: 'Whole.' }] }, finishReason: 'STOP' }],
        responseId: 'r1',
      };
      server.script({ status: 200, body });
      const all = await run(wire());
      assert.equal(textOf(all), 'Whole.');
      assert.equal(ended(all).facts?.responseId, 'r1');
    });
  });

  describe('says of a refusal', () => {
    const refusal = async (status: number, message: string, apiKey = 'AQ.key') => {
      server.script({ status, body: { error: { code: status, message, status: 'X' } } });
      return failed(await run(wire({ apiKey })));
    };

    it('that the free tier has low limits', async () => {
      const metric = 'generativelanguage.googleapis.com/generate_content_free_tier_requests';
      const error = await refusal(429, `Quota exceeded for metric: ${metric}, limit: 20`);
      assert.equal(error.kind, 'rate_limit');
      assert.match(error.message, /free tier.*billing/);
      assert.doesNotMatch((await refusal(429, 'Slow down')).message, /free tier/);
    });

    it('that a key is of a kind that is taken no longer', async () => {
      const oauth =
        'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other';
      assert.match((await refusal(401, oauth)).message, /this kind of key no longer/);
      const invalid = 'API key not valid. Please pass a valid API key.';
      assert.match((await refusal(400, invalid, 'AIzaOldKey')).message, /begin with AIza/);
      const plain = await refusal(400, invalid);
      assert.equal(plain.kind, 'auth');
      assert.doesNotMatch(plain.message, /AIza/);
    });

    it("that a key may be of Google's other service", async () => {
      const blocked = 'Requests to this API aiplatform.googleapis.com method StreamGenerateContent are blocked.';
      assert.match((await refusal(403, blocked)).message, /AI Studio.*Vertex AI/);
    });
  });
});
