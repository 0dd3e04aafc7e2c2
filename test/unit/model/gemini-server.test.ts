import assert from 'node:assert/strict';
import { ApiError, type Content, type GenerateContentParameters, GoogleGenAI } from '@google/genai';
import { geminiContents } from '../../../src/agent/model/wires/gemini/contents.ts';
import { ModelServer, type Script, validateGemini } from '../../model-server/index.ts';
import { collect } from './wire-fixture.ts';

const hello: Content = { role: 'user', parts: [{ text: 'Hello there' }] };

describe('the Gemini API of the fake model server', function () {
  this.timeout(20_000);
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const client = () => new GoogleGenAI({ apiKey: 'k', vertexai: false, httpOptions: { baseUrl: server.origin } });
  const ask = (change: Partial<GenerateContentParameters> = {}) =>
    client().models.generateContentStream({ model: 'gemini-3-pro', contents: [hello], ...change });
  /** The chunks of an answer, as the official client gives them. */
  const answer = async (script: Script) => {
    server.script(script);
    return collect(await ask());
  };

  it('is what the official client understands, with thinking, text and calls', async () => {
    const chunks = await answer({
      steps: [
        { usage: { input: 60, cacheRead: 40, output: 7, reasoning: 3 } },
        { reasoning: 'Let me see.' },
        { text: 'I ' },
        { text: 'read.' },
        { call: { name: 'read_file', input: { path: 'a' } } },
        { call: { name: 'read_file', input: { path: 'b' } } },
      ],
    });
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    assert.equal(parts.find((part) => part.thought)?.text, 'Let me see.');
    assert.equal(parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join(''), 'I read.');
    assert.deepEqual(
      chunks.flatMap((chunk) => chunk.functionCalls ?? []).map(({ id, name, args }) => [id, name, args]),
      [
        ['fc_t0_0', 'read_file', { path: 'a' }],
        ['fc_t0_1', 'read_file', { path: 'b' }],
      ],
    );
    assert.deepEqual(
      parts.flatMap((part) => (part.functionCall ? [part.thoughtSignature] : [])),
      ['signed-t0', undefined],
    );
    const last = chunks.at(-1);
    assert.equal(last?.candidates?.[0]?.finishReason, 'STOP');
    assert.equal(last?.responseId, 't0');
    const { promptTokenCount, cachedContentTokenCount, candidatesTokenCount, thoughtsTokenCount } =
      last?.usageMetadata ?? {};
    assert.deepEqual(
      [promptTokenCount, cachedContentTokenCount, candidatesTokenCount, thoughtsTokenCount],
      [100, 40, 4, 3],
    );
  });

  it('repeats what the official client says when no script waits', async () => {
    const chunks = await collect(await ask());
    assert.equal(chunks.map(({ text }) => text ?? '').join(''), 'You said: Hello there');
  });

  it('refuses in a way that the official client reads', async () => {
    server.settings.models = ['gemini-2.5-pro'];
    const refusal = await ask().catch((error: unknown) => error);
    assert.ok(refusal instanceof ApiError);
    assert.equal(refusal.status, 404);
    assert.match(refusal.message, /gemini-3-pro.*does not exist/);
  });

  it('reports an error inside the stream so that the official client throws it', async () => {
    server.script({ steps: [{ text: 'half' }, { error: { type: 'overloaded_error', message: 'Overloaded' } }] });
    await assert.rejects(collect(await ask()), /503|UNAVAILABLE|Overloaded/);
  });

  it("takes the official client's own request, with tools and what it was answered", async () => {
    const call = { functionCall: { id: 'a', name: 'read_file', args: { path: 'a' } }, thoughtSignature: 'c2lnbg==' };
    const response = { functionResponse: { id: 'a', name: 'read_file', response: { output: 'x' } } };
    const contents = [hello, { role: 'model', parts: [call] }, { role: 'user', parts: [response] }];
    const functionDeclarations = [{ name: 'read_file', description: 'Reads.' }];
    await collect(
      await ask({
        contents,
        config: { systemInstruction: { parts: [{ text: 'Be brief.' }] }, tools: [{ functionDeclarations }] },
      }),
    );
    const { invalid } = await server.nextRequest();
    assert.equal(invalid, undefined);
  });
});

describe('the validator of the Gemini API', () => {
  const call = (id?: string) => ({
    functionCall: { ...(id && { id }), name: 'read_file', args: {} },
    thoughtSignature: 's',
  });
  const response = (id?: string, name = 'read_file') => ({
    functionResponse: { ...(id && { id }), name, response: { output: 'x' } },
  });
  const turn = (role: 'user' | 'model', ...parts: object[]) => ({ role, parts });
  const check = (version: number, ...contents: object[]) => validateGemini({ contents }, version);
  const user = turn('user', { text: 'Go' });

  it('accepts calls with their responses, by id in version 3 and by place before', () => {
    assert.equal(
      check(3, user, turn('model', call('a'), call('b')), turn('user', response('a'), response('b'))),
      undefined,
    );
    assert.equal(check(2, user, turn('model', call()), turn('user', response())), undefined);
  });

  it('accepts what the wire makes of a conversation', () => {
    const contents = geminiContents([{ role: 'user', text: 'Go' }], { signer: undefined, callIds: true });
    assert.equal(check(3, ...contents), undefined);
  });

  const refused: [string, RegExp, number, object[]][] = [
    ['two turns of one role', /alternate/, 3, [user, user]],
    ['a history that ends with the model', /end with a user/, 3, [user, turn('model', { text: 'x' })]],
    ['a turn without parts', /must not be empty/, 3, [turn('user')]],
    [
      'a missing response',
      /number of function response parts/,
      2,
      [user, turn('model', call(), call()), turn('user', response())],
    ],
    [
      'a response to another function',
      /number of function response/,
      2,
      [user, turn('model', call()), turn('user', response('', 'todo'))],
    ],
    ['a response without a call', /without a function call turn/, 2, [turn('user', response())]],
    [
      'words beside responses',
      /beside function responses/,
      2,
      [user, turn('model', call()), turn('user', response(), { text: 'x' })],
    ],
    ['an id before version 3', /Unknown name "id"/, 2, [user, turn('model', call('a')), turn('user', response('a'))]],
    [
      'a call of version 3 without a signature',
      /missing a thought_signature/,
      3,
      [user, turn('model', { functionCall: { id: 'a', name: 'read_file' } }), turn('user', response('a'))],
    ],
    [
      'an image of a kind it does not know',
      /mimeType/,
      3,
      [turn('user', { inlineData: { mimeType: 'image/gif', data: 'AA' } })],
    ],
  ];
  for (const [what, why, version, contents] of refused) {
    it(`refuses ${what}`, () => assert.match(check(version, ...contents) ?? 'accepted', why));
  }

  it('refuses a schema with a keyword that it does not know', () => {
    const parameters = { type: 'OBJECT', properties: { a: { type: 'STRING', format: 'x', const: 1 } } };
    const tools = [{ functionDeclarations: [{ name: 'tool', parameters }] }];
    assert.match(validateGemini({ contents: [user], tools }, 3) ?? 'accepted', /const/);
  });

  it('refuses a level and a budget of thinking together', () => {
    const generationConfig = { thinkingConfig: { thinkingLevel: 'LOW', thinkingBudget: 1 } };
    assert.match(validateGemini({ contents: [user], generationConfig }, 3) ?? 'accepted', /only one/);
  });
});
