import assert from 'node:assert/strict';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamCommandInput,
  type ConverseStreamOutput,
  ThrottlingException,
  ValidationException,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { isSigned, ModelServer, validateBedrock } from '../../model-server/index.ts';
import { collect } from './wire-fixture.ts';

const input: ConverseStreamCommandInput = {
  modelId: 'anthropic.claude-test',
  system: [{ text: 'Be brief.' }],
  messages: [{ role: 'user', content: [{ text: 'Hello there' }] }],
};

describe('the Converse API of the fake model server', function () {
  this.timeout(20_000);
  let server: ModelServer;
  let client: BedrockRuntimeClient;
  before(async () => {
    server = await ModelServer.start();
    client = new BedrockRuntimeClient({
      endpoint: server.origin,
      region: 'us-east-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'the-secret-of-the-test' },
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler(),
    });
  });
  afterEach(() => server.reset());
  after(async () => {
    client.destroy();
    await server.close();
  });

  /** The events of an answer, as the official client decodes them. */
  const ask = async (change: Partial<ConverseStreamCommandInput> = {}): Promise<ConverseStreamOutput[]> => {
    const { stream } = await client.send(new ConverseStreamCommand({ ...input, ...change }));
    assert.ok(stream);
    return collect(stream);
  };

  it('is what the official client decodes, with thinking, text and calls', async () => {
    server.script({
      steps: [
        { reasoning: 'Let me see.' },
        { text: 'Grüße' },
        { call: { id: 'a', name: 'read_file', input: { path: 'ä' }, split: 3 } },
        { usage: { input: 60, cacheRead: 40, output: 7 } },
      ],
    });
    const events = await ask();
    const kinds = events.map((event) => Object.keys(event)[0]);
    assert.deepEqual([kinds[0], ...kinds.slice(-2)], ['messageStart', 'messageStop', 'metadata']);
    const deltas = events.flatMap(({ contentBlockDelta }) => contentBlockDelta?.delta ?? []);
    assert.equal(deltas[0]?.reasoningContent?.text, 'Let me see.');
    assert.equal(deltas[1]?.reasoningContent?.signature, 'signed-t0-0');
    assert.equal(deltas[2]?.text, 'Grüße');
    assert.equal(deltas.map((delta) => delta.toolUse?.input ?? '').join(''), '{"path":"ä"}');
    const start = events.find(({ contentBlockStart }) => contentBlockStart)?.contentBlockStart;
    assert.deepEqual(start, { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'a', name: 'read_file' } } });
    assert.equal(events.at(-2)?.messageStop?.stopReason, 'tool_use');
    const { inputTokens, outputTokens, cacheReadInputTokens } = events.at(-1)?.metadata?.usage ?? {};
    assert.deepEqual([inputTokens, outputTokens, cacheReadInputTokens], [60, 7, 40]);
  });

  it('answers whole where the official client asks for that', async () => {
    server.script({ steps: [{ text: 'Whole.' }, { call: { id: 'a', name: 'read_file', input: { path: 'x' } } }] });
    const { output, stopReason, usage } = await client.send(new ConverseCommand(input));
    const [text, call] = output?.message?.content ?? [];
    assert.equal(text?.text, 'Whole.');
    assert.deepEqual(call?.toolUse, { toolUseId: 'a', name: 'read_file', input: { path: 'x' } });
    assert.deepEqual([stopReason, usage?.inputTokens !== undefined], ['tool_use', true]);
  });

  it("takes the official client's own request, signature and all", async () => {
    const tools = [
      { toolSpec: { name: 'read_file', description: 'Reads.', inputSchema: { json: { type: 'object' } } } },
    ];
    const messages: ConverseStreamCommandInput['messages'] = [
      { role: 'user', content: [{ text: 'Look' }, { image: { format: 'png', source: { bytes: Buffer.from('x') } } }] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
          { toolUse: { toolUseId: 'a', name: 'read_file', input: { path: 'x' } } },
        ],
      },
      {
        role: 'user',
        content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'x' }] } }, { cachePoint: { type: 'default' } }],
      },
    ];
    await ask({ messages, toolConfig: { tools }, inferenceConfig: { maxTokens: 100 } });
    const { invalid, headers } = await server.nextRequest();
    assert.equal(invalid, undefined);
    assert.match(headers.authorization ?? '', /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/);
  });

  it('refuses by the names that the official client knows', async () => {
    const twice = [...(input.messages ?? []), ...(input.messages ?? [])];
    await assert.rejects(ask({ messages: twice }), (error) => error instanceof ValidationException);
    server.script({ steps: [{ text: 'half' }, { error: { type: 'rate_limit_error', message: 'Too many requests' } }] });
    await assert.rejects(ask(), (error) => error instanceof ThrottlingException && /Too many/.test(error.message));
  });
});

describe('the validator of the Converse API', () => {
  const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'read_file', input: {} } });
  const result = (toolUseId: string) => ({ toolResult: { toolUseId, content: [{ text: 'x' }] } });
  const turn = (role: 'user' | 'assistant', ...content: object[]) => ({ role, content });
  const user = turn('user', { text: 'Go' });
  const point = { cachePoint: { type: 'default' } };
  const tools = [{ toolSpec: { name: 'read_file', inputSchema: { json: { type: 'object' } } } }];
  const check = (...messages: object[]) => validateBedrock({ messages, toolConfig: { tools } });

  it('accepts results in the next message', () => {
    assert.equal(check(user, turn('assistant', use('a'), use('b')), turn('user', result('b'), result('a'))), undefined);
  });

  const thinking = { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } };
  const refused: [string, RegExp, object[]][] = [
    ['two messages of one role', /alternate/, [user, user]],
    ['a history that begins with the assistant', /start with a user/, [turn('assistant', { text: 'x' }), user]],
    ['a history that ends with the assistant', /end with a user/, [user, turn('assistant', { text: 'x' })]],
    [
      'a missing result',
      /needs a toolResult/,
      [user, turn('assistant', use('a'), use('b')), turn('user', result('a'))],
    ],
    ['an orphan result', /each toolResult/, [turn('user', result('a'))]],
    [
      'an id used twice',
      /unique/,
      [
        user,
        turn('assistant', use('a')),
        turn('user', result('a')),
        turn('assistant', use('a')),
        turn('user', result('a')),
      ],
    ],
    ['a blank text', /blank/, [turn('user', { text: ' ' })]],
    ['a message without blocks', /content/, [turn('user')]],
    ['an id with a dot', /toolUseId/, [user, turn('assistant', use('a.b')), turn('user', result('a.b'))]],
    [
      'an assistant message that ends in thinking',
      /cannot be thinking/,
      [user, turn('assistant', { text: 'x' }, thinking), user],
    ],
    ['more than four cache points', /maximum of 4/, [turn('user', { text: 'x' }, point, point, point, point, point)]],
    ['a cache point behind nothing', /cache point comes first/, [turn('user', point)]],
  ];
  for (const [what, why, messages] of refused) {
    it(`refuses ${what}`, () => assert.match(check(...messages) ?? 'accepted', why));
  }

  it('refuses calls in a history without tools', () => {
    const messages = [user, turn('assistant', use('a')), turn('user', result('a'))];
    assert.match(validateBedrock({ messages }) ?? 'accepted', /toolConfig field must be defined/);
  });

  it('wants a signature over the host and the date, or a token', () => {
    assert.equal(isSigned({ host: 'h' }), false);
    assert.equal(isSigned({ host: 'h', authorization: 'Bearer k' }), true);
    const signature = (names: string) =>
      `AWS4-HMAC-SHA256 Credential=AK/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=${names}, Signature=${'a'.repeat(64)}`;
    const headers = { host: 'h', 'x-amz-date': '20260101T000000Z' };
    assert.equal(isSigned({ ...headers, authorization: signature('host;x-amz-date') }), true);
    assert.equal(isSigned({ ...headers, authorization: signature('host') }), false);
    assert.equal(isSigned({ ...headers, authorization: signature('host;x-amz-date;x-lost') }), false);
  });
});
