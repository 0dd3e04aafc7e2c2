/** What a request marks for the provider's cache (facts 8E and 1.10). */

import assert from 'node:assert/strict';
import { type CacheRequest, cachePolicy } from '../../src/agent/model/catalogue/cache-policy.ts';
import { createAnthropicWire, createOpenAiChatWire, type WireOptions } from '../../src/agent/model/index.ts';
import type { ModelMessage, ModelRequest } from '../../src/agent/model/types.ts';
import { promptCacheKey } from '../../src/agent/model/wires/cache-key.ts';
import { ModelServer } from '../model-server/index.ts';
import { requestOf, run } from '../unit/model/wire-fixture.ts';

const ANTHROPIC = 'https://api.anthropic.com';
const policy = (of: Partial<CacheRequest>) =>
  cachePolicy({ wire: 'messages', baseUrl: 'https://api.example.com', model: 'some-model', ...of });
const marks = (of: Partial<CacheRequest>) => policy(of).marks;

describe('whether a request marks what to cache', () => {
  it('61. is no for MiniMax M3 behind the name of Anthropic, and yes for M2.7', () => {
    const minimax = { provider: 'anthropic', baseUrl: 'https://api.minimax.io/anthropic' };
    assert.equal(marks({ ...minimax, model: 'MiniMax-M3' }), 'none');
    assert.equal(marks({ ...minimax, model: 'MiniMax-M2.7' }), 'native');
  });

  it('62. is no for MiniMax M3 under a name of the user', () => {
    assert.equal(
      marks({ provider: 'my-own', baseUrl: 'https://api.minimaxi.com/anthropic', model: 'MiniMax-M3' }),
      'none',
    );
  });

  it('64. is no where the settings of the model say so, also for Claude, and wherever the user keeps nothing', () => {
    assert.equal(marks({ baseUrl: ANTHROPIC, model: 'claude-opus-4-6', flag: () => false }), 'none');
    assert.equal(marks({ baseUrl: ANTHROPIC, model: 'claude-opus-4-6', ttl: false, flag: () => true }), 'none');
  });

  it('66. goes on by its rules when the settings cannot be asked, with one line for the log', () => {
    const lines: string[] = [];
    const request = {
      baseUrl: ANTHROPIC,
      model: 'claude-opus-4-6',
      flag: () => {
        throw new Error('no settings');
      },
      debug: (line: string) => void lines.push(line),
    };
    assert.equal(marks(request), 'native');
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /no settings/);
  });

  it('67. is no for a model of an unknown host that is not Claude', () => {
    assert.equal(marks({}), 'none');
    assert.equal(marks({ wire: 'chat', model: 'claude-opus-4-6' }), 'none');
  });

  const LITELLM = { wire: 'chat', baseUrl: 'https://litellm.example.com/v1', model: 'claude-sonnet-4-5' } as const;
  it('67. is yes for Claude behind LiteLLM, but not on results', () => {
    assert.equal(marks(LITELLM), 'envelope_without_tools');
    assert.equal(marks({ ...LITELLM, baseUrl: 'https://mylitellmx.example.com/v1' }), 'none');
  });

  const rules: [string, Partial<CacheRequest>, string][] = [
    ['Anthropic', { baseUrl: ANTHROPIC, model: 'claude-opus-4-6' }, 'native'],
    ['Claude on another host', { model: 'claude-opus-4-6' }, 'native'],
    [
      'OpenRouter and Claude',
      { wire: 'chat', baseUrl: 'https://openrouter.ai/api/v1', model: 'anthropic/claude-sonnet-4.5' },
      'envelope',
    ],
    [
      'OpenRouter and Kimi',
      { wire: 'chat', baseUrl: 'https://openrouter.ai/api/v1', model: 'moonshotai/kimi-k2' },
      'envelope',
    ],
    [
      'OpenRouter and another model',
      { wire: 'chat', baseUrl: 'https://openrouter.ai/api/v1', model: 'openai/gpt-5' },
      'none',
    ],
    ['Nous and Qwen', { wire: 'chat', provider: 'nous', model: 'qwen3-coder' }, 'envelope'],
    ['MiniMax M2', { provider: 'minimax', model: 'MiniMax-M2' }, 'native'],
    ['OpenCode and Qwen', { wire: 'chat', provider: 'opencode-go', model: 'qwen3-coder' }, 'envelope'],
    ['Alibaba and Qwen', { wire: 'chat', provider: 'alibaba', model: 'qwen3-coder' }, 'envelope'],
  ];
  for (const [what, of, expected] of rules) {
    it(`is ${expected} for ${what}`, () => assert.equal(marks(of), expected));
  }

  it('is kept for an hour where the user wants that, but never with Qwen', () => {
    assert.equal(policy({ baseUrl: ANTHROPIC, model: 'claude-opus-4-6', ttl: '1h' }).ttl, '1h');
    assert.equal(policy({ wire: 'chat', provider: 'alibaba', model: 'qwen3-coder', ttl: '1h' }).ttl, '5m');
  });
});

interface Marked {
  readonly cache_control?: unknown;
}
interface Body {
  readonly system?: readonly Marked[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Marked[] | null }[];
}

describe('what a request marks', () => {
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const talk = (length: number): ModelMessage[] =>
    Array.from({ length }, (_, index) =>
      index % 2 === 0 ? { role: 'user', text: `q${index}` } : { role: 'assistant', text: `a${index}`, calls: [] },
    );
  const batch: ModelMessage[] = [
    { role: 'user', text: 'Go' },
    { role: 'assistant', text: '', calls: ['a', 'b'].map((callId) => ({ callId, name: 'read_file', input: {} })) },
    { role: 'tool', callId: 'a', name: 'read_file', text: 'one', isError: false },
    { role: 'tool', callId: 'b', name: 'read_file', text: 'two', isError: false },
  ];
  const sent = async (
    api: 'chat' | 'messages',
    messages: readonly ModelMessage[],
    options: WireOptions = {},
    change: Partial<ModelRequest> = {},
  ): Promise<Body> => {
    const wire =
      api === 'messages'
        ? createAnthropicWire({ baseUrl: server.origin, ...options })
        : createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, ...options });
    await run(wire, { ...requestOf(messages), model: 'claude-opus-4-6', ...change });
    return server.requests.at(-1)?.body as Body;
  };
  const isMarked = ({ content }: Body['messages'][number]) =>
    Array.isArray(content) && content.some(({ cache_control }: Marked) => cache_control !== undefined);
  const marked = (body: Body) => body.messages.map(isMarked);
  const count = (body: Body) => JSON.stringify(body).split('"cache_control"').length - 1;

  it('59. is the system prompt and the last three messages of Claude, four marks in all', async () => {
    const body = await sent('messages', [...talk(12), { role: 'user', text: 'now' }]);
    assert.equal(count(body), 4);
    assert.notEqual(body.system?.at(-1)?.cache_control, undefined);
    assert.deepEqual(marked(body).lastIndexOf(false), marked(body).length - 4);
  });

  it('59. is never more than four marks, however often a conversation is sent', async () => {
    const wire = createAnthropicWire({ baseUrl: server.origin, promptCaching: true });
    for (let length = 1; length < 14; length += 2) {
      await run(wire, requestOf(talk(length)));
      assert.ok(count(server.requests.at(-1)?.body as Body) <= 4);
      assert.equal(server.requests.at(-1)?.invalid, undefined);
    }
  });

  it('63. goes by the address: a flag of one route says nothing of another with the same model', async () => {
    const other = { model: 'own-model' };
    assert.equal(count(await sent('messages', talk(3), { promptCaching: (model) => model === 'own-model' }, other)), 4);
    assert.equal(count(await sent('messages', talk(3), {}, other)), 0);
  });

  it('64. is nothing where a flag or the user says no', async () => {
    assert.equal(count(await sent('messages', talk(3), { promptCaching: false })), 0);
    assert.equal(count(await sent('messages', talk(3), { promptCaching: true, cacheTtl: false })), 0);
    assert.equal(count(await sent('messages', talk(3), {}, { once: true })), 0, 'nothing continues it');
  });

  it('67. is parts of chat messages for Claude behind a router, results among them', async () => {
    const body = await sent('chat', batch, { provider: 'openrouter' });
    assert.equal(server.requests.at(-1)?.path, '/v1/chat/completions');
    assert.deepEqual(marked(body), [true, true, false, true, true]);
  });

  it('67. is nothing of a result behind LiteLLM', async () => {
    const body = await sent('chat', batch, { provider: 'litellm' });
    assert.deepEqual(marked(body), [true, true, false, false, false]);
    assert.deepEqual(
      body.messages.slice(-2).map(({ content }) => content),
      ['one', 'two'],
    );
  });

  it('67. moves without changing anything else: the messages before it stay the same bytes', async () => {
    const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, provider: 'openrouter' });
    const bodies: string[] = [];
    const history = [...batch, ...talk(9)];
    for (const length of [1, 4, 5, 7, 9, 11, 13]) {
      await run(wire, { ...requestOf(history.slice(0, length)), model: 'anthropic/claude-opus-4.6' });
      bodies.push(
        server.requests
          .at(-1)
          ?.bytes.toString()
          .replaceAll(/,"cache_control":\{[^}]*\}/g, '') ?? '',
      );
    }
    for (const [index, body] of bodies.slice(1).entries()) {
      const before = bodies[index]?.slice(0, -2) ?? '';
      assert.equal(body.slice(0, before.length), before);
    }
  });

  it('is kept for an hour where the settings say so', async () => {
    const body = await sent('messages', talk(1), { cacheTtl: '1h' });
    assert.deepEqual(body.system?.[0]?.cache_control, { type: 'ephemeral', ttl: '1h' });
    assert.equal(server.requests.at(-1)?.invalid, undefined);
  });

  it('68. leaves what is stored without any mark', async () => {
    const history = [...batch, ...talk(5)];
    const before = structuredClone(history);
    await sent('messages', history);
    await sent('chat', history, { provider: 'openrouter' });
    assert.deepEqual(history, before);
    assert.doesNotMatch(JSON.stringify(history), /cache_control/);
  });
});

describe('the key of a prompt for the cache of OpenAI', () => {
  const tool = (name: string) => ({ name, description: 'x', inputSchema: { type: 'object' } });
  const prompt = { scope: 'session-1', system: 'You are a test.', tools: [tool('a'), tool('b')] };

  it('is short, and the same in whatever order the tools are', () => {
    assert.match(promptCacheKey(prompt), /^pck_[0-9a-f]{24}$/);
    assert.equal(promptCacheKey({ ...prompt, tools: [tool('b'), tool('a')] }), promptCacheKey(prompt));
  });

  it('is another for another session, system prompt or tool', () => {
    const keys = [
      prompt,
      { ...prompt, scope: 'session-2' },
      { ...prompt, system: 'x' },
      { ...prompt, tools: [tool('a')] },
    ];
    assert.equal(new Set(keys.map(promptCacheKey)).size, 4);
  });

  it('goes only to who takes it, and not beside one that the user has set', async () => {
    const server = await ModelServer.start();
    const keyOf = async (options: WireOptions) => {
      await run(createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, ...options }));
      return (server.requests.at(-1)?.body as { prompt_cache_key?: string } | undefined)?.prompt_cache_key;
    };
    assert.equal(await keyOf({}), undefined);
    assert.match((await keyOf({ ways: { cacheKey: true } })) ?? '', /^pck_/);
    assert.equal(await keyOf({ ways: { cacheKey: true, extraBody: { prompt_cache_key: 'mine' } } }), 'mine');
    await server.close();
  });
});
