/** A server that takes a model's calls by another API: known for Azure, learned from its words elsewhere. */

import assert from 'node:assert/strict';
import { detectApi } from '../../src/agent/model/catalogue/index.ts';
import { ModelServer } from '../model-server/index.ts';
import { ended, requestOf, run, textOf } from '../unit/model/wire-fixture.ts';
import { speaker } from './speakers.ts';

const AZURE = 'https://mine.openai.azure.com/openai/v1';

describe('a server that takes calls by the Responses API alone', () => {
  let server: ModelServer;

  beforeEach(async () => {
    server = await ModelServer.start();
  });

  afterEach(() => server.close());

  it('H4. is known for GPT-5.6 and GPT-6 of Azure, and not for what merely begins alike', () => {
    const apiOf = (model: string, baseUrl = AZURE) => detectApi({ baseUrl, model, declared: 'openai-chat' }).api;
    for (const model of ['gpt-5.6', 'gpt-5.6-luna', 'gpt-6', 'gpt-6-astra', 'gpt-6.2-sol']) {
      assert.equal(apiOf(model), 'openai-responses', model);
      assert.equal(apiOf(model, 'https://mine.services.ai.azure.com/openai/v1'), 'openai-responses', model);
    }
    for (const model of ['gpt-5.2', 'gpt-4.1', 'gpt-60', 'gpt-oss-120b', 'my-deployment', 'mistral-large']) {
      assert.equal(apiOf(model), 'openai-chat', model);
    }
    assert.equal(detectApi({ api: 'openai-chat', baseUrl: AZURE, model: 'gpt-6' }).api, 'openai-chat');
  });

  it('H4a. is learned from its refusal: the same request by the other API, and no other one here again', async () => {
    const wire = await speaker('azure', 'gpt-6-astra', { api: 'openai-chat' }).open(server);
    server.script({ steps: [{ call: { name: 'read_file', input: { path: 'a' } } }] }, { steps: [{ text: 'Done.' }] });
    const request = { ...requestOf(), model: 'gpt-6-astra' };
    const parts = await run(wire, request);
    assert.equal(ended(parts).calls.length, 1);
    assert.equal(textOf(await run(wire, request)), 'Done.');
    assert.deepEqual(
      server.requests.map(({ wire: api, invalid }) => [api, invalid === undefined]),
      [
        ['openai-chat', false],
        ['openai-responses', true],
        ['openai-responses', true],
      ],
    );
  });

  it('H4b. is not taken for one when it refuses something else, or nothing was offered', async () => {
    const wire = await speaker('azure', 'my-deployment').open(server);
    const refused = { status: 400, body: { error: { message: 'The request is wrong.' } } };
    const names = { status: 400, body: { error: { message: 'Please use /v1/responses instead.' } } };
    server.script(refused, names);
    await run(wire, { ...requestOf(), model: 'my-deployment' });
    await run(wire, { ...requestOf(), model: 'my-deployment', tools: [] });
    assert.deepEqual(
      server.requests.map(({ wire: api }) => api),
      ['openai-chat', 'openai-chat'],
    );
  });
});
