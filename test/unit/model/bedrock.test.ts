import assert from 'node:assert/strict';
import { type BedrockOptions, createBedrockWire } from '../../../src/agent/model/index.ts';
import type { ModelMessage, ModelRequest } from '../../../src/agent/model/types.ts';
import { ConverseStreamFrames } from '../../model-server/bedrock-frames.ts';
import { ModelServer } from '../../model-server/index.ts';
import { collect, ended, failed, requestOf, run, textOf } from './wire-fixture.ts';

interface Block {
  readonly text?: string;
  readonly image?: { readonly format: string; readonly source: { readonly bytes: string } };
  readonly toolResult?: { readonly status?: string; readonly content: readonly object[] };
  readonly reasoningContent?: object;
  readonly cachePoint?: object;
}

interface Body {
  readonly system?: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly toolConfig?: { readonly tools: readonly { readonly toolSpec: { readonly name: string } }[] };
  readonly inferenceConfig?: object;
  readonly additionalModelRequestFields?: object;
}

const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const NO_FILE = 'no-such-file';
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'the-secret-of-the-test' };

const user = (text: string): ModelMessage => ({ role: 'user', text });
const asks: ModelMessage = {
  role: 'assistant',
  text: 'I look.',
  calls: [{ callId: 'c1', name: 'read_file', input: { path: 'a' } }],
};
const result = (text: string, isError = false): ModelMessage => ({
  role: 'tool',
  callId: 'c1',
  name: 'read_file',
  text,
  isError,
});

describe('the Bedrock wire', function () {
  this.timeout(20_000);
  let server: ModelServer;
  const environment = { ...process.env };
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => {
    server.reset();
    process.env = { ...environment };
  });
  after(() => server.close());

  const wire = (options: BedrockOptions = {}) =>
    createBedrockWire({ baseUrl: server.origin, region: 'eu-west-1', credentials: KEYS, reopens: 0, ...options });
  const request = (change: Partial<ModelRequest> = {}): ModelRequest => ({ ...requestOf(), model: CLAUDE, ...change });
  const sent = async (change: Partial<ModelRequest> = {}, options: BedrockOptions = {}): Promise<Body> => {
    ended(await run(wire(options), request(change)));
    return (await server.nextRequest()).body as Body;
  };

  describe('signs', () => {
    const authorization = async (options: BedrockOptions) => {
      await run(createBedrockWire({ reopens: 0, ...options }), request());
      return (await server.nextRequest()).headers.authorization ?? '';
    };

    it('for its region, over the host that the request goes to', async () => {
      const said = await authorization({ baseUrl: server.origin, region: 'eu-west-1', credentials: KEYS });
      assert.match(said, /Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=\S*\bhost;/);
    });

    it('for the region of the environment, and without any for us-east-1', async () => {
      process.env = { ...environment, AWS_REGION: 'ap-south-1' };
      assert.match(await authorization({ baseUrl: server.origin, credentials: KEYS }), /\/ap-south-1\/bedrock/);
      process.env = { ...environment, AWS_CONFIG_FILE: NO_FILE, AWS_SHARED_CREDENTIALS_FILE: NO_FILE };
      delete process.env.AWS_REGION;
      delete process.env.AWS_DEFAULT_REGION;
      assert.match(await authorization({ baseUrl: server.origin, credentials: KEYS }), /\/us-east-1\/bedrock/);
    });

    it('for the region of an address of AWS', async () => {
      let said = '';
      const answer: typeof fetch = async (url, init) => {
        said = `${url} ${new Headers(init?.headers).get('authorization')}`;
        return new Response('{}', { status: 500 });
      };
      const baseUrl = 'https://bedrock-runtime.sa-east-1.amazonaws.com';
      await run(createBedrockWire({ baseUrl, fetch: answer, credentials: KEYS }), request({ model: 'm:0' }));
      assert.match(
        said,
        /^https:\/\/bedrock-runtime\.sa-east-1\.amazonaws\.com\/model\/m%3A0\/converse-stream AWS4.*\/sa-east-1\//,
      );
    });

    it('with the credentials of the environment', async () => {
      process.env = { ...environment, AWS_ACCESS_KEY_ID: 'AKIDENV', AWS_SECRET_ACCESS_KEY: 'secret' };
      assert.match(await authorization({ baseUrl: server.origin, region: 'eu-west-1' }), /Credential=AKIDENV\//);
    });

    it('nothing with a key: its own one, or that of the environment', async () => {
      assert.equal(await authorization({ baseUrl: server.origin, region: 'eu-west-1', apiKey: 'k1' }), 'Bearer k1');
      process.env = { ...environment, AWS_BEARER_TOKEN_BEDROCK: 'k2' };
      assert.equal(await authorization({ baseUrl: server.origin, region: 'eu-west-1' }), 'Bearer k2');
    });
  });

  it('says where credentials can come from when there are none', async () => {
    const credentials = async () => {
      throw Object.assign(new Error('Could not load credentials from any providers'), {
        name: 'CredentialsProviderError',
      });
    };
    const error = failed(await run(wire({ credentials }), request()));
    assert.equal(error.kind, 'auth');
    assert.match(error.message, /found no AWS credentials/);
    assert.equal(server.requests.length, 0);
  });

  it('stops at once while credentials are looked for', async () => {
    const stop = new AbortController();
    const credentials = () => {
      stop.abort();
      return new Promise<never>(() => {});
    };
    const parts = await collect(wire({ credentials }).stream(request(), stop.signal));
    assert.deepEqual(
      parts.map(({ type }) => type),
      ['aborted'],
    );
  });

  describe('writes', () => {
    it('the system prompt, tools and the output limit in their own fields', async () => {
      const body = await sent({ maxOutput: 4096 }, { promptCaching: false });
      assert.deepEqual(body.system, [{ text: 'You are a test.' }]);
      assert.deepEqual(
        body.toolConfig?.tools.map(({ toolSpec }) => toolSpec.name),
        ['read_file'],
      );
      assert.deepEqual(body.inferenceConfig, { maxTokens: 4096 });
    });

    it('the tools of a history that it has none of any more', async () => {
      const body = await sent({ tools: [], messages: [user('Go'), asks, result('x'), user('Sum up')] });
      assert.deepEqual(
        body.toolConfig?.tools.map(({ toolSpec }) => toolSpec.name),
        ['read_file'],
      );
      assert.equal((await sent({ tools: [] })).toolConfig, undefined);
    });

    it('a result with its failure, and a turn of the model before a text of the user', async () => {
      const messages = [user('Go'), asks, result('No such file', true), user('use b')];
      const turns = (await sent({ messages }, { promptCaching: false })).messages;
      assert.deepEqual(turns[2]?.content, [
        { toolResult: { toolUseId: 'c1', content: [{ text: 'No such file' }], status: 'error' } },
      ]);
      assert.deepEqual(
        turns.slice(3).map(({ role, content }) => [role, content[0]?.text]),
        [
          ['assistant', 'Go on.'],
          ['user', 'use b'],
        ],
      );
    });

    it('images as bytes of their format', async () => {
      const messages: ModelMessage[] = [
        { ...user('Look'), images: [{ mime: 'image/jpeg', base64: 'AAAA' }] } as ModelMessage,
      ];
      const [turn] = (await sent({ messages })).messages;
      assert.deepEqual(turn?.content[1]?.image, { format: 'jpeg', source: { bytes: 'AAAA' } });
    });

    it('four cache points: the system prompt and the last three messages', async () => {
      const messages = [user('1'), asks, result('2'), { ...asks, calls: [] }, user('3')];
      const body = await sent({ messages });
      assert.deepEqual(body.system?.at(-1), { cachePoint: { type: 'default' } });
      assert.deepEqual(
        body.messages.map(({ content }) => content.some((block) => block.cachePoint !== undefined)),
        [false, false, true, true, true],
      );
      assert.doesNotMatch(JSON.stringify(await sent({ messages, once: true })), /cachePoint/);
      assert.doesNotMatch(JSON.stringify(await sent({ messages, model: 'meta.llama3-1-70b' })), /cachePoint/);
    });

    it('the effort in the words of Claude, a version each', async () => {
      const fields = async (change: Partial<ModelRequest>) => (await sent(change)).additionalModelRequestFields;
      assert.deepEqual(await fields({ effort: 'low' }), { thinking: { type: 'enabled', budget_tokens: 4000 } });
      const adaptive = { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } };
      assert.deepEqual(await fields({ effort: 'low', model: 'anthropic.claude-opus-4-6-v1' }), adaptive);
      assert.deepEqual(await fields({ effort: 'minimal', model: 'anthropic.claude-opus-4-6-v1' }), adaptive);
      assert.deepEqual(await fields({ effort: 'none' }), { thinking: { type: 'disabled' } });
      assert.equal(await fields({ effort: 'low', maxOutput: 1500 }), undefined);
      assert.equal(await fields({ effort: 'low', model: 'amazon.nova-pro-v1:0' }), undefined);
      assert.equal(await fields({}), undefined);
    });
  });

  describe('keeps signed thinking', () => {
    const thought = async () => {
      server.script({
        steps: [{ reasoning: 'Let me ' }, { reasoning: 'see.' }, { call: { id: 'c1', name: 'read_file' } }],
      });
      const { thinking } = ended(await run(wire(), request()));
      await server.nextRequest();
      return [user('Go'), { ...asks, thinking } as ModelMessage, result('x')];
    };
    const reasoning = { reasoningText: { text: 'Let me see.', signature: 'signed-t0-0' } };

    it('for the model that signed it, before what it said', async () => {
      const messages = await thought();
      const blocks = (await sent({ messages })).messages[1]?.content ?? [];
      assert.deepEqual([blocks[0]?.reasoningContent, blocks[1]?.text], [reasoning, 'I look.']);
      assert.doesNotMatch(JSON.stringify(await sent({ messages, model: 'amazon.nova-pro-v1:0' })), /reasoningContent/);
    });

    it('no longer when it was refused, and asks once more without', async () => {
      const messages = await thought();
      server.script({ status: 400, body: { message: 'Invalid `signature` in `thinking` block' } });
      ended(await run(wire(), request({ messages })));
      const bodies = [await server.nextRequest(), await server.nextRequest()].map(({ bytes }) => bytes.toString());
      assert.deepEqual(
        bodies.map((body) => body.includes('reasoningContent')),
        [true, false],
      );
    });

    it('that is sealed, as it came', async () => {
      const delta = { contentBlockIndex: 0, delta: { reasoningContent: { redactedContent: 'c2VjcmV0' } } };
      const { thinking } = ended(
        await over(events(['contentBlockDelta', delta], ['messageStop', { stopReason: 'end_turn' }])),
      );
      const said = { ...asks, thinking, calls: [] } as ModelMessage;
      const [, turn] = (await sent({ messages: [user('Go'), said, user('More')] })).messages;
      assert.deepEqual(turn?.content[0]?.reasoningContent, { redactedContent: 'c2VjcmV0' });
    });
  });

  /** Frames of the encoder, for events that no script writes. */
  const events = (...all: readonly (readonly [name: string, body: object])[]) =>
    Buffer.concat(all.map(([name, body]) => ConverseStreamFrames.event(name, body)));
  const over = (bytes: Uint8Array) => {
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
    return run(wire({ fetch: async () => new Response(Buffer.from(bytes), { headers }) }), request());
  };
  const stop = (stopReason: string) => ['messageStop', { stopReason }] as const;
  const text = ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'x' } }] as const;

  describe('reads', () => {
    const reasons: readonly (readonly [reason: string, finish: string])[] = [
      ['end_turn', 'stop'],
      ['stop_sequence', 'stop'],
      ['max_tokens', 'length'],
      ['model_context_window_exceeded', 'length'],
      ['guardrail_intervened', 'content_filter'],
      ['content_filtered', 'content_filter'],
    ];
    for (const [reason, finish] of reasons) {
      it(`the stop reason ${reason} as ${finish}`, async () => {
        assert.equal(ended(await over(events(text, stop(reason)))).finish, finish);
      });
    }

    it('a malformed answer as one that broke off', async () => {
      assert.equal(failed(await over(events(text, stop('malformed_tool_use')))).kind, 'stream_cut');
    });

    it('the counts, with those of the cache apart', async () => {
      server.script({ steps: [{ usage: { input: 60, cacheRead: 400, cacheWrite: 30, output: 7 } }, { text: 'ok' }] });
      const usage = { input: 60, output: 7, cacheRead: 400, cacheWrite: 30, reasoning: 0 };
      assert.deepEqual(ended(await run(wire(), request())).usage, usage);
    });

    it('past events that it does not know', async () => {
      const all = await over(
        events(['messageStart', { role: 'assistant' }], ['somethingNew', { a: 1 }], text, stop('end_turn')),
      );
      assert.equal(textOf(all), 'x');
      ended(all);
    });

    it('no answer from a frame whose checksum is wrong', async () => {
      const bytes = events(text, stop('end_turn'));
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      assert.equal(failed(await over(bytes)).kind, 'stream_cut');
    });

    const exceptions: readonly (readonly [name: string, kind: string, body?: object])[] = [
      ['throttlingException', 'rate_limit'],
      ['serviceUnavailableException', 'overloaded'],
      ['internalServerException', 'server'],
      ['modelStreamErrorException', 'server'],
      ['modelStreamErrorException', 'rate_limit', { message: 'm', originalStatusCode: 429 }],
      ['modelTimeoutException', 'timeout'],
      ['validationException', 'context_overflow', { message: 'Input is too long for requested model.' }],
    ];
    for (const [name, kind, body = { message: 'Said so.' }] of exceptions) {
      it(`${name} in the stream as ${kind}${'originalStatusCode' in body ? ' where that is what it came from' : ''}`, async () => {
        const bytes = Buffer.concat([events(text), ConverseStreamFrames.exception(name, body)]);
        assert.equal(failed(await over(bytes)).kind, kind);
      });
    }

    const refusals: readonly (readonly [status: number, name: string, message: string, kind: string, words: RegExp])[] =
      [
        [
          403,
          'AccessDeniedException',
          "You don't have access to the model with the specified model ID.",
          'model_not_found',
          /may use this model in this region/,
        ],
        [
          403,
          'ExpiredTokenException',
          'The security token included in the request is expired',
          'auth',
          /sign in again/,
        ],
        [429, 'ModelNotReadyException', 'The model is not ready', 'overloaded', /overloaded/],
        [424, 'ModelErrorException', 'The model failed', 'server', /internal failure/],
        [400, 'ValidationException', 'The provided model identifier is invalid.', 'model_not_found', /no model named/],
      ];
    for (const [status, name, message, kind, words] of refusals) {
      it(`a refusal with ${status} ${name} as ${kind}`, async () => {
        const headers = { 'x-amzn-errortype': `${name}:http://internal.amazon.com/` };
        server.script({ status, headers, body: { message } });
        const error = failed(await run(wire(), request()));
        assert.equal(error.kind, kind);
        assert.match(error.message, words);
      });
    }
  });
});
