import assert from 'node:assert/strict';
import { createOpenAiChatWire } from '../../../src/agent/model/index.ts';
import { ModelServer, type Step } from '../../model-server/index.ts';
import { ended, failed, requestOf, run, textOf } from './wire-fixture.ts';

function chunk(choice: object | undefined, rest: object = {}): Step {
  const body = { id: 'x', object: 'chat.completion.chunk', choices: choice === undefined ? [] : [choice], ...rest };
  return { raw: `data: ${JSON.stringify(body)}\n\n` };
}

const delta = (delta: object, finish: string | null = null) => chunk({ index: 0, delta, finish_reason: finish });
const calls = (...tool_calls: object[]) => delta({ tool_calls });
const finish = (reason: string) => delta({}, reason);
const done: Step = { raw: 'data: [DONE]\n\n' };
const eof: Step = { eof: true };

describe('what the openai-chat wire makes of odd servers', function () {
  this.timeout(20_000);
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const answered = (...steps: Step[]) => {
    server.script({ steps: [...steps, eof] });
    return run(createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, reopens: 0 }));
  };

  it('takes a new id at a known index as a new call', async () => {
    const parts = await answered(
      calls({ index: 0, id: 'a', function: { name: 'read_file', arguments: '{"path":"1"}' } }),
      calls({ index: 0, id: 'b', function: { name: 'read_file', arguments: '{"path":"2"}' } }),
      finish('tool_calls'),
      done,
    );
    assert.deepEqual(
      ended(parts).calls.map(({ callId, input }) => [callId, input]),
      [
        ['a', { path: '1' }],
        ['b', { path: '2' }],
      ],
    );
  });

  it('takes the same call on when its id is repeated, empty or missing', async () => {
    const parts = await answered(
      calls({ index: 0, id: 'a', function: { name: 'read_file', arguments: '{"pa' } }),
      calls({ index: 0, id: 'a', function: { name: 'read_file', arguments: 'th":' } }),
      calls({ index: 0, id: '', function: { name: '', arguments: '"x' } }),
      calls({ index: 0, function: { arguments: '"}' } }),
      finish('tool_calls'),
    );
    assert.deepEqual(ended(parts).calls, [{ callId: 'a', name: 'read_file', input: { path: 'x' } }]);
  });

  it('takes arguments that are no object as invalid input, whatever they are', async () => {
    for (const sent of [[1, 2], 5, true]) {
      const parts = await answered(
        calls({ index: 0, id: 'a', function: { name: 'read_file', arguments: sent } }),
        finish('tool_calls'),
      );
      assert.equal(ended(parts).calls[0]?.invalidInput, JSON.stringify(sent));
    }
  });

  it('reads text and thoughts that come as parts', async () => {
    const parts = await answered(
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Let me see.' }] }] }),
      delta({ content: [{ type: 'text', text: 'Do' }] }),
      delta({ content: 'ne.' }, 'stop'),
      done,
    );
    assert.equal(textOf(parts, 'reasoning'), 'Let me see.');
    assert.equal(textOf(parts), 'Done.');
  });

  it('keeps what an address asks for behind its path', async () => {
    server.script({ steps: [{ text: 'Done.' }] });
    ended(await run(createOpenAiChatWire({ baseUrl: `${server.openAiBaseUrl}/?api-version=1` })));
    assert.match(server.requests[0]?.path ?? '', /^\/v1\/chat\/completions(\?api-version=1)?$/);
  });

  it('knows nothing of what was used where no count is a number', async () => {
    const usage = { prompt_tokens: 'many', completion_tokens: null, total_tokens: 7 };
    assert.equal(
      ended(await answered(delta({ content: 'Hi' }, 'stop'), chunk(undefined, { usage }), done)).usage,
      undefined,
    );
  });

  it('takes a missing index as 0 and a number as an id', async () => {
    const parts = await answered(calls({ id: 17, function: { name: 'todo', arguments: '{}' } }), finish('tool_calls'));
    assert.equal(ended(parts).calls[0]?.callId, '17');
  });

  it('keeps the order in which interleaved calls began', async () => {
    const parts = await answered(
      calls({ index: 1, id: 'b', function: { name: 'todo', arguments: '{' } }),
      calls({ index: 0, id: 'a', function: { name: 'todo', arguments: '{' } }),
      calls({ index: 1, function: { arguments: '}' } }, { index: 0, function: { arguments: '}' } }),
      finish('tool_calls'),
    );
    assert.deepEqual(
      ended(parts).calls.map(({ callId }) => callId),
      ['b', 'a'],
    );
  });

  const reasons: [string, string][] = [
    ['STOP', 'stop'],
    ['end', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
  ];
  for (const [said, meant] of reasons) {
    it(`reads the finish reason ${said} as ${meant}`, async () => {
      assert.equal(ended(await answered(delta({ content: 'x' }, said), done)).finish, meant);
    });
  }

  it('reads function_call as tool calls when there are some', async () => {
    const parts = await answered(
      calls({ index: 0, id: 'a', function: { name: 'todo', arguments: '{}' } }),
      finish('function_call'),
    );
    assert.equal(ended(parts).finish, 'tool_calls');
  });

  it('runs a call whose answer says stop, as some servers do', async () => {
    const call = calls({ index: 0, id: 'a', function: { name: 'todo', arguments: '{}' } });
    assert.equal(ended(await answered(call, finish('stop'), done)).finish, 'tool_calls');
  });

  it('takes the count of tokens as the proof that text without a finish reason is whole', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
    const end = ended(await answered(delta({ content: 'all' }), chunk(undefined, { usage })));
    assert.deepEqual(end.usage, { input: 6, output: 2, cacheRead: 4, cacheWrite: 0, reasoning: 0 });
  });

  it('takes no count of tokens as the proof that a call is whole', async () => {
    const call = calls({ index: 0, id: 'a', function: { name: 'todo', arguments: '{}' } });
    const parts = await answered(call, chunk(undefined, { usage: { prompt_tokens: 1, completion_tokens: 1 } }));
    assert.equal(failed(parts).kind, 'stream_cut');
  });

  const caches: [string, object][] = [
    ['prompt_cache_hit_tokens', { prompt_cache_hit_tokens: 320 }],
    ['cached_tokens', { cached_tokens: 320 }],
    ['cache_read_input_tokens', { cache_read_input_tokens: 320 }],
  ];
  for (const [name, cache] of caches) {
    it(`reads what came from the cache in ${name}`, async () => {
      const usage = { prompt_tokens: 400, completion_tokens: 1, ...cache };
      const end = ended(await answered(delta({ content: 'x' }, 'stop'), chunk(undefined, { usage })));
      assert.deepEqual([end.usage?.input, end.usage?.cacheRead], [80, 320]);
    });
  }

  it('counts no token below zero', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, cached_tokens: 5 };
    assert.equal(ended(await answered(delta({ content: 'x' }, 'stop'), chunk(undefined, { usage }))).usage?.input, 0);
  });

  it('leaves the usage out when the server does not say', async () => {
    assert.equal('usage' in ended(await answered(delta({ content: 'x' }, 'stop'), done)), false);
  });

  it('reads an error in a chunk without choices', async () => {
    const error = failed(
      await answered(chunk(undefined, { error_type: 'rate_limit_exceeded', error_message: 'Too many requests' })),
    );
    assert.equal(error.kind, 'rate_limit');
  });

  it('reads an upstream failure with its status inside the stream', async () => {
    const error = failed(await answered({ raw: 'data: {"error":{"message":"No credits","code":402}}\n\n' }));
    assert.equal(error.kind, 'billing');
  });

  it('reads a lost connection that a proxy reports as a cut stream', async () => {
    const error = failed(await answered({ raw: 'data: {"error":{"message":"Network connection lost."}}\n\n' }));
    assert.equal(error.kind, 'stream_cut');
    assert.equal(error.retryable, true);
  });

  it('takes a frame that is no JSON as a cut stream', async () => {
    assert.equal(failed(await answered({ raw: 'data: {"choices":[{"del\n\n' })).kind, 'stream_cut');
  });

  it('reads past comments and unknown fields', async () => {
    const parts = await answered(
      { raw: ': keep-alive\n\n' },
      delta({ content: 'x', refusal: null, extra: { a: 1 } }, 'stop'),
    );
    assert.equal(textOf(parts), 'x');
  });

  it('reads lines that end in CR LF', async () => {
    const frames = [{ delta: { content: 'x' } }, { delta: {}, finish_reason: 'stop' }];
    const raw = frames.map((choice) => `data: ${JSON.stringify({ choices: [choice] })}\r\n\r\n`).join('');
    assert.equal(ended(await answered({ raw })).finish, 'stop');
  });

  it('asks again without stream_options when the server does not know them, and never sends them again', async () => {
    const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl });
    server.script({ status: 400, body: { error: { message: 'Unrecognized request argument: stream_options' } } });
    ended(await run(wire));
    ended(await run(wire));
    assert.deepEqual(
      server.requests.map(({ body }) => 'stream_options' in (body as object)),
      [true, false, false],
    );
  });

  it('reports any other 400 once, with what the server said', async () => {
    server.script({ status: 400, body: { error: { message: 'temperature must be positive' } } });
    const error = failed(await run(createOpenAiChatWire({ baseUrl: server.openAiBaseUrl })));
    assert.equal(error.kind, 'bad_request');
    assert.match(error.message, /temperature must be positive/);
    assert.equal(server.requests.length, 1);
  });

  it('sends no key where none is set, and the headers of the settings', async () => {
    await run(createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, headers: { 'x-team': 'blue' } }));
    const { headers } = await server.nextRequest();
    assert.equal(headers.authorization, undefined);
    assert.equal(headers['x-team'], 'blue');
  });

  it('sends no empty list of tools', async () => {
    await run(createOpenAiChatWire({ baseUrl: server.openAiBaseUrl }), { ...requestOf(), tools: [] });
    assert.equal('tools' in ((await server.nextRequest()).body as object), false);
  });
});
