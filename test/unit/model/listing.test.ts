import assert from 'node:assert/strict';
import { listModels, localFacts, localServerOf } from '../../../src/agent/model/listing/index.ts';
import { ModelServer } from '../../model-server/index.ts';

describe('what servers say of their models', () => {
  let server: ModelServer;

  before(async () => {
    server = await ModelServer.start();
  });
  beforeEach(() => server.reset());
  after(() => server.close());

  const list = (api: 'openai-chat' | 'anthropic' | 'gemini' | 'bedrock', more: object = {}) =>
    listModels({ api, baseUrl: api === 'openai-chat' ? server.openAiBaseUrl : server.origin, patience: 5000, ...more });

  it('reads windows, prices and sight from a list like that of OpenRouter', async () => {
    const model = {
      id: 'maker/model',
      name: 'Maker: Model',
      context_length: 200_000,
      architecture: { input_modalities: ['text', 'image'] },
      top_provider: { max_completion_tokens: 64_000 },
      pricing: { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' },
    };
    server.settings.lists = {
      '/models': { data: [model, { id: 'auto', pricing: { prompt: '-1', completion: '-1' } }] },
    };
    assert.deepEqual(await list('openai-chat'), [
      {
        id: 'maker/model',
        label: 'Maker: Model',
        contextWindow: 200_000,
        maxOutput: 64_000,
        vision: true,
        price: { input: 3, output: 15, cacheRead: 0.3 },
      },
      { id: 'auto' },
    ]);
  });

  it('reads the window under the names of vLLM, Groq and Mistral', async () => {
    server.settings.lists = {
      '/models': {
        data: [
          { id: 'a', max_model_len: 1000 },
          { id: 'b', context_window: 2000 },
          { id: 'c', max_context_length: 3000, capabilities: { vision: false } },
        ],
      },
    };
    const models = await list('openai-chat');
    assert.deepEqual(
      models?.map(({ contextWindow }) => contextWindow),
      [1000, 2000, 3000],
    );
    assert.equal(models?.[2]?.vision, false);
  });

  it('leaves out what answers in no words, and an entry that makes no sense', async () => {
    const data = [
      { id: 'gpt' },
      { id: 'text-embedding-3-small' },
      { id: 'whisper-1' },
      { id: 7 },
      'x',
      { id: 'b', context_length: 'much' },
    ];
    server.settings.lists = { '/models': { data } };
    assert.deepEqual(await list('openai-chat'), [{ id: 'gpt' }, { id: 'b' }]);
  });

  it('asks Anthropic and Gemini in their own ways, each with its own header for the key', async () => {
    server.settings.apiKey = 'k';
    server.settings.lists = {
      '/v1/models': {
        data: [{ type: 'model', id: 'claude-x', display_name: 'Claude X', max_input_tokens: 1_000_000 }],
      },
      '/v1beta/models': {
        models: [
          {
            name: 'models/gemini-x',
            displayName: 'Gemini X',
            inputTokenLimit: 5,
            outputTokenLimit: 6,
            supportedGenerationMethods: ['generateContent'],
          },
          { name: 'models/counter', supportedGenerationMethods: ['countTokens'] },
        ],
      },
    };
    assert.deepEqual(await list('anthropic', { key: 'k' }), [
      { id: 'claude-x', label: 'Claude X', contextWindow: 1_000_000 },
    ]);
    assert.deepEqual(await list('gemini', { key: 'k' }), [
      { id: 'gemini-x', label: 'Gemini X', contextWindow: 5, maxOutput: 6 },
    ]);
    const [anthropic, gemini] = server.listings;
    assert.equal(anthropic?.headers['anthropic-version'], '2023-06-01');
    assert.equal(gemini?.headers['x-goog-api-key'], 'k');
  });

  it('is nothing, and no error, when a key is refused, when something else answers, and when nothing listens', async () => {
    server.settings.apiKey = 'right';
    assert.equal(await list('openai-chat', { key: 'wrong' }), undefined);
    server.settings.apiKey = undefined;
    server.settings.lists = { '/models': { hello: 'world' } };
    assert.equal(await list('openai-chat'), undefined);
    assert.equal(await list('openai-chat', { baseUrl: 'http://127.0.0.1:9/v1' }), undefined);
    assert.equal(await list('bedrock'), undefined);
  });

  it('takes the window that Ollama has loaded, otherwise what its model file asks for, otherwise what the model could', async () => {
    const facts = () => localFacts('ollama', { baseUrl: `${server.origin}/v1`, patience: 5000 }, 'qwen3');
    const shown = {
      model_info: { 'qwen3.context_length': 262_144 },
      capabilities: ['completion', 'vision', 'thinking'],
    };
    server.settings.lists = { '/api/show': shown, '/api/ps': { models: [] } };
    assert.deepEqual(await facts(), { contextWindow: 262_144, vision: true });
    server.settings.lists = {
      '/api/show': { ...shown, parameters: 'temperature 1\nnum_ctx    32768' },
      '/api/ps': { models: [] },
    };
    assert.equal((await facts())?.contextWindow, 32_768);
    const running = { models: [{ name: 'qwen3:latest', context_length: 8192 }] };
    server.settings.lists = { '/api/show': { ...shown, capabilities: ['completion'] }, '/api/ps': running };
    assert.deepEqual(await facts(), { contextWindow: 8192, vision: false, efforts: [] });
  });

  it('takes the window with which LM Studio has loaded a model', async () => {
    const model = { id: 'gemma', type: 'vlm', max_context_length: 131_072, loaded_context_length: 16_384 };
    server.settings.lists = { '/api/v0/models': { data: [model] } };
    const facts = await localFacts('lmstudio', { baseUrl: `${server.origin}/v1`, patience: 5000 }, 'gemma');
    assert.deepEqual([facts?.contextWindow, facts?.vision], [16_384, true]);
  });

  it('knows the programs on this machine by their name or their port', () => {
    assert.equal(localServerOf('ollama', 'http://gpu-box/v1'), 'ollama');
    assert.equal(localServerOf('mine', 'http://192.168.1.20:11434/v1'), 'ollama');
    assert.equal(localServerOf('mine', 'http://127.0.0.1:1234/v1'), 'lmstudio');
    assert.equal(localServerOf('mine', 'http://127.0.0.1:8000/v1'), undefined);
  });
});
