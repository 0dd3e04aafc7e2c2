/** The fake server speaks as the vendors do: their own clients understand what it says. */

import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { ModelServer, type Script } from '../../model-server/index.ts';

const ANSWER: Script = {
  steps: [
    { reasoning: 'Let me see.' },
    { text: 'I read ' },
    { text: 'both.' },
    { call: { id: 'call_a', name: 'read_file', input: { path: 'ä.ts' }, split: 4 } },
    { call: { id: 'call_b', name: 'list_files', arguments: '' } },
    { usage: { input: 11, output: 7, cacheRead: 5, cacheWrite: 3 } },
  ],
};
const tool = { name: 'read_file', description: 'Reads.', schema: { type: 'object' as const, properties: {} } };

describe('the official client of OpenAI', () => {
  let server: ModelServer;
  let client: OpenAI;
  before(async () => {
    server = await ModelServer.start();
    client = new OpenAI({ baseURL: server.openAiBaseUrl, apiKey: 'k', maxRetries: 0 });
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: 'Go' }],
    tools: [
      {
        type: 'function' as const,
        function: { name: tool.name, description: tool.description, parameters: tool.schema },
      },
    ],
    stream_options: { include_usage: true },
  };

  it('puts the same answer together', async () => {
    server.script(ANSWER);
    const { choices, usage, id } = await client.chat.completions
      .stream({ ...request, stream: true })
      .finalChatCompletion();
    const [choice] = choices;
    assert.match(id, /^chatcmpl-/);
    assert.deepEqual([choice?.message.content, choice?.finish_reason], ['I read both.', 'tool_calls']);
    const calls = choice?.message.tool_calls?.map(
      (call) => call.type === 'function' && [call.id, call.function.name, call.function.arguments],
    );
    assert.deepEqual(calls, [
      ['call_a', 'read_file', '{"path":"ä.ts"}'],
      ['call_b', 'list_files', ''],
    ]);
    assert.deepEqual(
      [usage?.prompt_tokens, usage?.prompt_tokens_details?.cached_tokens, usage?.completion_tokens],
      [16, 5, 7],
    );
    assert.equal(server.requests[0]?.invalid, undefined);
  });

  it('reads its errors, as an answer and inside a stream', async () => {
    server.script({ status: 429, body: { error: { message: 'Slow down', type: 'rate_limit_error', code: 'x' } } });
    await assert.rejects(client.chat.completions.create({ ...request, stream: true }), OpenAI.RateLimitError);
    server.script({ steps: [{ text: 'x' }, { error: { type: 'server_error', message: 'Broken' } }] });
    const stream = await client.chat.completions.create({ ...request, stream: true });
    await assert.rejects(async () => {
      for await (const _ of stream);
    }, /Broken/);
  });

  it('lists its models', async () => {
    const models = await client.models.list();
    assert.deepEqual(
      models.data.map(({ id }) => id),
      ['test-model'],
    );
  });
});

describe('the official client of Anthropic', () => {
  let server: ModelServer;
  let client: Anthropic;
  before(async () => {
    server = await ModelServer.start();
    client = new Anthropic({ baseURL: server.origin, apiKey: 'k', maxRetries: 0 });
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const request = {
    model: 'm',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Go' }],
    tools: [{ name: tool.name, description: tool.description, input_schema: tool.schema }],
  };

  it('puts the same answer together', async () => {
    server.script(ANSWER);
    const message = await client.messages.stream(request).finalMessage();
    assert.deepEqual(
      message.content.map((block) => (block.type === 'tool_use' ? [block.id, block.name, block.input] : block.type)),
      ['thinking', 'text', ['call_a', 'read_file', { path: 'ä.ts' }], ['call_b', 'list_files', {}]],
    );
    const [thinking, text] = message.content;
    assert.equal(thinking?.type === 'thinking' && thinking.signature !== '' && thinking.thinking, 'Let me see.');
    assert.equal(text?.type === 'text' && text.text, 'I read both.');
    assert.deepEqual([message.stop_reason, message.usage.output_tokens], ['tool_use', 7]);
    assert.equal(server.requests[0]?.invalid, undefined);
  });

  it('sends its answer back as a history that the server takes', async () => {
    server.script(ANSWER, { steps: [{ text: 'Done.' }] });
    const { content } = await client.messages.stream(request).finalMessage();
    const results = content.flatMap((block) =>
      block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'ok' }] : [],
    );
    const messages = [
      ...request.messages,
      { role: 'assistant' as const, content },
      { role: 'user' as const, content: results },
    ];
    const message = await client.messages.stream({ ...request, messages }).finalMessage();
    assert.equal(message.stop_reason, 'end_turn');
    assert.equal(server.requests[1]?.invalid, undefined);
  });

  for (const [finish, reason] of [
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
  ] as const) {
    it(`reads the stop reason ${reason}`, async () => {
      server.script({ steps: [{ text: 'x' }, { finish }] });
      assert.equal((await client.messages.stream(request).finalMessage()).stop_reason, reason);
    });
  }

  it('reads its errors, as an answer and inside a stream', async () => {
    server.settings.apiKey = 'another';
    await assert.rejects(client.messages.create({ ...request, stream: true }), Anthropic.AuthenticationError);
    server.settings.apiKey = undefined;
    server.script({ steps: [{ text: 'x' }, { error: { type: 'overloaded_error', message: 'Overloaded' } }] });
    await assert.rejects(client.messages.stream(request).finalMessage(), /Overloaded/);
  });
});
