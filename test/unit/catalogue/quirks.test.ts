import assert from 'node:assert/strict';
import { quirksOf, routeOf, routerPreferences } from '../../../src/agent/model/catalogue/index.ts';

describe('the ways of servers and models', () => {
  const at = (baseUrl: string, model = 'm', provider?: string) => quirksOf({ baseUrl, model, provider });

  it('are none at a server that nobody knows', () => {
    assert.deepEqual(at('https://models.example.test/v1'), {});
    assert.deepEqual(at('not an address'), {});
  });

  it('follow the host and not a name that merely holds it', () => {
    assert.equal(at('https://api.openai.com/v1').cacheKey, true);
    for (const other of [
      'https://eu.api.openai.com/v1',
      'https://api.openai.com.evil.test/v1',
      'https://x.test/api.openai.com',
    ]) {
      assert.equal(at(other).cacheKey, undefined, other);
    }
    assert.equal(at('https://eu.api.openai.com/v1').outputField, 'max_completion_tokens');
  });

  it('give back reasoning to Kimi, DeepSeek and MiMo, by whatever they are recognised', () => {
    const those = [
      at('https://api.moonshot.cn/v1'),
      at('https://api.kimi.com/coding'),
      at('https://x.test/v1', 'm', 'kimi-coding'),
      at('https://api.deepseek.com/v1'),
      at('https://x.test/v1', 'deepseek/deepseek-v4-pro'),
      at('https://x.test/v1', 'mimo-v2-flash'),
      at('https://api.xiaomimimo.com/v1'),
    ];
    assert.deepEqual(
      those.map(({ echoReasoning }) => echoReasoning),
      those.map(() => true),
    );
    assert.equal(at('https://openrouter.ai/api/v1', 'openai/gpt-5').echoReasoning, undefined);
  });

  it('call the system prompt the developer for newer models of OpenAI wherever they run', () => {
    assert.equal(at('https://x.test/v1', 'openai/gpt-5.2').systemRole, 'developer');
    assert.equal(at('https://x.test/v1', 'codex-mini-latest').systemRole, 'developer');
    assert.equal(at('https://x.test/v1', 'gpt-4o').systemRole, undefined);
  });

  it('let only gpt-5.6 at api.openai.com itself compact by itself', () => {
    assert.equal(at('https://api.openai.com/v1', 'gpt-5.6-sol').nativeCompaction, true);
    for (const [address, model] of [
      ['https://api.openai.com/v1', 'gpt-5.1'],
      ['https://openrouter.ai/api/v1', 'openai/gpt-5.6'],
      ['https://api.x.ai/v1', 'gpt-5.6'],
      ['https://api.githubcopilot.com', 'gpt-5.6'],
      ['http://localhost:1234/v1', 'gpt-5.6'],
    ] as const) {
      assert.equal(at(address, model).nativeCompaction, undefined, address);
    }
  });

  it('ask Claude to think by effort where it adapts, and by a budget where it does not', () => {
    const way = (model: string) => at('https://api.anthropic.com', model).thinkingAs;
    for (const model of ['claude-opus-5-5', 'claude-sonnet-4-6', 'claude-opus-4-7', 'claude-haiku-5-5']) {
      assert.equal(way(model), 'adaptive', model);
    }
    for (const model of [
      'claude-opus-4-5-20251101',
      'claude-sonnet-4-20250514',
      'claude-3-7-sonnet',
      'claude-haiku-4-5',
    ]) {
      assert.equal(way(model), 'budget', model);
    }
    assert.equal(way('deepseek-v4-pro'), undefined);
  });

  it('have ids of calls with Gemini from version 3 on', () => {
    const ids = (model: string) => at('https://generativelanguage.googleapis.com', model).callIds;
    assert.deepEqual(['gemini-3-pro', 'gemini-3.8-flash', 'gemini-2.5-pro'].map(ids), [true, true, undefined]);
  });

  it('give way to what the settings say', () => {
    const own = { cacheKey: true, systemRole: 'system' } as const;
    const quirks = quirksOf({ baseUrl: 'https://x.test/v1', model: 'gpt-5', own });
    assert.deepEqual([quirks.cacheKey, quirks.systemRole], [true, 'system']);
  });
});

describe('the way to a provider', () => {
  it('fills in from the table what the settings leave out', () => {
    const route = routeOf('gemini', { headers: { 'X-Team': 'a' } }, 'gemini-3.8-flash');
    assert.equal(route?.api, 'gemini');
    assert.equal(route.baseUrl, 'https://generativelanguage.googleapis.com/v1beta');
    assert.deepEqual(route.keyVariables, ['GEMINI_API_KEY', 'GOOGLE_API_KEY']);
    assert.deepEqual(route.headers, { 'X-Team': 'a' });
  });

  it('is none for a name that neither the settings nor the table have, nor for one of the language itself', () => {
    assert.equal(routeOf('nowhere', undefined, 'm'), undefined);
    assert.equal(routeOf('constructor', undefined, 'm'), undefined);
    assert.equal(routeOf('__proto__', undefined, 'm'), undefined);
  });

  it('wants a key at a public API, none elsewhere, and none beside a header that carries one', () => {
    const needs = (baseUrl: string, headers = {}) => routeOf('mine', { baseUrl, headers }, 'm')?.needsKey;
    assert.equal(needs('https://api.deepseek.com/v1'), true);
    assert.equal(needs('https://NAME.openai.azure.com/openai/v1'), true);
    assert.equal(needs('http://127.0.0.1:8000/v1'), false);
    assert.equal(needs('https://models.example.test/v1'), false);
    assert.equal(needs('https://api.openai.com/v1', { Authorization: 'Bearer x' }), false);
    assert.equal(routeOf('bedrock', undefined, 'm')?.needsKey, false);
  });

  it('asks for the address that everybody has their own of', () => {
    assert.match(routeOf('azure', undefined, 'gpt-5')?.wantsAddress ?? '', /openai\.azure\.com/);
    const route = routeOf('azure', { baseUrl: 'https://mine.openai.azure.com/openai/v1' }, 'gpt-5');
    assert.deepEqual(
      [route?.wantsAddress, route?.api, route?.keyVariables[0]],
      [undefined, 'openai-chat', 'AZURE_OPENAI_API_KEY'],
    );
  });

  it('tells routers which program asks, also under a name of its own', () => {
    assert.equal(routeOf('mine', { baseUrl: 'https://openrouter.ai/api/v1' }, 'm')?.headers['X-Title'], 'Midcourse');
    assert.equal(routeOf('opencode', undefined, 'm')?.headers['User-Agent'], 'midcourse');
    assert.deepEqual(routeOf('openai', undefined, 'm')?.headers, {});
  });

  it('goes to Gemini, to Bedrock, to Copilot and to xAI by their own APIs', () => {
    const api = (baseUrl: string, model = 'm') => routeOf('mine', { baseUrl }, model)?.api;
    assert.equal(api('https://generativelanguage.googleapis.com/v1beta'), 'gemini');
    assert.equal(api('https://generativelanguage.googleapis.com/v1beta/openai/'), 'openai-chat');
    assert.equal(api('https://bedrock-runtime.eu-central-1.amazonaws.com'), 'bedrock');
    assert.notEqual(api('https://bedrock-runtime.evilamazonaws.com'), 'bedrock');
    assert.equal(api('https://bedrock-runtime.evil.test'), 'openai-chat');
    assert.equal(api('https://api.kimi.com/coding/'), 'anthropic');
    assert.equal(api('https://api.githubcopilot.com', 'gpt-6.2-sol'), 'openai-responses');
    assert.equal(api('https://api.githubcopilot.com', 'gpt-5-mini'), 'openai-chat');
    assert.equal(routeOf('xai', undefined, 'grok-4.7')?.api, 'openai-responses');
  });

  it('leaves out a way to sort that OpenRouter does not have, and says so', () => {
    const wrong = routerPreferences({ provider: { sort: 'beauty', only: ['a'] }, user: 'u' });
    assert.deepEqual(wrong, { body: { provider: { only: ['a'] }, user: 'u' }, unknownSort: 'beauty' });
    assert.deepEqual(routerPreferences({ provider: { sort: 'price' } }), { body: { provider: { sort: 'price' } } });
  });
});
