/** Which API a provider or an entry of the fallback chain is spoken to in (facts 1.1). */

import assert from 'node:assert/strict';
import { ModelServer } from '../model-server/index.ts';
import { ask, providersOf, routeOf } from './route-rig.ts';

describe('routing', () => {
  let server: ModelServer;

  before(async () => {
    server = await ModelServer.start();
  });
  beforeEach(() => server.reset());
  after(() => server.close());

  /** Where the only entry of the chain is asked. */
  async function fallbackUrl(entry: unknown, providers: unknown = {}): Promise<string> {
    const all = providersOf({ fallback: [entry], providers });
    const [ref = ''] = all.fallbacks();
    return (await ask(server, all.named(ref))).url;
  }

  /** Where a provider with nothing but that address is asked. */
  async function providerUrl(baseUrl: string, more: object = {}, model = 'some-model'): Promise<string> {
    const all = providersOf({ providers: { mine: { baseUrl, ...more } } });
    return (await ask(server, all.named(`mine/${model}`))).url;
  }

  it('69. asks a fallback by chat completions when its entry says so, even at api.openai.com', async () => {
    const baseUrl = 'https://api.openai.com/v1';
    const entry = { model: 'openai/gpt-6.2-sol', api: 'openai-chat', baseUrl };
    assert.equal(await fallbackUrl(entry), 'https://api.openai.com/v1/chat/completions');
    const { api: _, ...undecided } = entry;
    assert.equal(await fallbackUrl(undecided), 'https://api.openai.com/v1/responses');
  });

  it('69. asks a provider by chat completions when its settings say so, even at api.openai.com', async () => {
    const url = await providerUrl('https://api.openai.com/v1', { api: 'openai-chat' });
    assert.equal(url, 'https://api.openai.com/v1/chat/completions');
  });

  it('71. asks a fallback whose address ends in /anthropic by messages, under that very address', async () => {
    const url = await fallbackUrl({ model: 'mine/some-model', baseUrl: 'https://x.test/anthropic' });
    assert.equal(url, 'https://x.test/anthropic/v1/messages');
  });

  it('72. asks a provider by messages when the address that the settings give it ends in /anthropic', async () => {
    const providers = { proxy: { baseUrl: 'https://models.example.test/anthropic/' } };
    assert.equal(await fallbackUrl('proxy/some-model', providers), 'https://models.example.test/anthropic/v1/messages');
    assert.equal(
      await providerUrl('https://models.example.test/anthropic'),
      'https://models.example.test/anthropic/v1/messages',
    );
  });

  it('73. takes an address for OpenAI only by its host, not by a path or a longer name that holds it', async () => {
    for (const address of ['https://proxy.test/api.openai.com/v1', 'https://api.openai.com.evil.test/v1']) {
      assert.equal(await providerUrl(address), `${address}/chat/completions`);
      assert.equal(await fallbackUrl({ model: 'mine/some-model', baseUrl: address }), `${address}/chat/completions`);
    }
  });

  it('74. knows OpenAI in a region, in capitals, behind a port and with a dot at the end', async () => {
    const addresses = [
      'https://eu.api.openai.com/v1',
      'https://API.OpenAI.com/v1',
      'https://api.openai.com:8443/v1',
      'https://api.openai.com./v1',
    ];
    for (const address of addresses) assert.equal(await providerUrl(address), `${address}/responses`, address);
  });

  it('74. does not send the key of one host to another whose name it looks like', () => {
    const openai = (baseUrl: string) => providersOf({ providers: { openai: { baseUrl } } }).named('openai/gpt-6.2-sol');
    assert.deepEqual(routeOf(openai('https://api.openai.com/v1/')).keyVariables, ['OPENAI_API_KEY']);
    assert.deepEqual(routeOf(openai('https://eu.api.openai.com/v1')).keyVariables, ['OPENAI_API_KEY']);
    assert.deepEqual(routeOf(openai('https://api.openai.com.evil.test/v1')).keyVariables, []);
    assert.deepEqual(routeOf(openai('https://proxy.test/api.openai.com/v1')).keyVariables, []);
  });
});
