import assert from 'node:assert/strict';
import { createAnthropicWire } from '../../../src/agent/model/index.ts';
import type { ModelMessage, ModelRequest } from '../../../src/agent/model/types.ts';
import { ModelServer, type Step } from '../../model-server/index.ts';
import { ended, failed, requestOf, run, textOf } from './wire-fixture.ts';

const event = (body: { type: string }): Step => ({ raw: `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n` });
const start = (index: number, content_block: object) =>
  event({ type: 'content_block_start', index, content_block } as never);
const delta = (index: number, delta: object) => event({ type: 'content_block_delta', index, delta } as never);
const stop = (index: number) => event({ type: 'content_block_stop', index } as never);
const opening = event({ type: 'message_start', message: { usage: { input_tokens: 43, output_tokens: 1 } } } as never);
const ending = (stop_reason: string, usage: object = { output_tokens: 5 }) =>
  event({ type: 'message_delta', delta: { stop_reason }, usage } as never);
const closing = event({ type: 'message_stop' });
const eof: Step = { eof: true };

type Block = {
  type: string;
  text?: string;
  cache_control?: object;
  thinking?: string;
  signature?: string;
  data?: string;
};
interface Body {
  system: Block[];
  messages: { role: string; content: Block[] }[];
}

describe('what the anthropic wire makes of its events', function () {
  this.timeout(20_000);
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const wire = (options = {}) => createAnthropicWire({ baseUrl: server.origin, ...options });
  const answered = (...steps: Step[]) => {
    server.script({ steps: [...steps, eof] });
    return run(wire());
  };
  const sent = async (request: ModelRequest, options = {}): Promise<Body> => {
    await run(wire(options), request);
    const { body, invalid } = await server.nextRequest();
    assert.equal(invalid, undefined);
    return body as Body;
  };

  it('finds its path in front of what an address asks for', async () => {
    for (const baseUrl of ['/v1?team=a', '/?team=a', '/v1/']) {
      server.script({ steps: [{ text: 'Done.' }] });
      ended(await run(wire({ baseUrl: `${server.origin}${baseUrl}` })));
    }
    assert.deepEqual(new Set(server.requests.map(({ path }) => path.replace(/\?.*/, ''))), new Set(['/v1/messages']));
  });

  it('runs a call without input once, with an empty object', async () => {
    const parts = await answered(
      opening,
      start(0, { type: 'tool_use', id: 't', name: 'todo', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: '' }),
      stop(0),
      ending('tool_use'),
      closing,
    );
    assert.deepEqual(ended(parts).calls, [{ callId: 't', name: 'todo', input: {} }]);
  });

  it('takes the input that came whole with the start of its block', async () => {
    const block = { type: 'tool_use', id: 't', name: 'read_file', input: { path: 'a' } };
    const parts = await answered(opening, start(0, block), stop(0), ending('tool_use'), closing);
    assert.deepEqual(ended(parts).calls[0]?.input, { path: 'a' });
  });

  it('never gives a call whose block was not closed', async () => {
    const block = { type: 'tool_use', id: 't', name: 'todo', input: {} };
    assert.equal(failed(await answered(opening, start(0, block), ending('tool_use'), closing)).kind, 'stream_cut');
  });

  it('takes a stop reason as the proof that the answer is whole', async () => {
    const parts = await answered(opening, start(0, { type: 'text', text: 'Hi' }), stop(0), ending('end_turn'));
    assert.equal(ended(parts).finish, 'stop');
    assert.equal(textOf(parts), 'Hi');
  });

  const reasons: [string, string][] = [
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
  ];
  for (const [said, meant] of reasons) {
    it(`reads the stop reason ${said} as ${meant}`, async () => {
      assert.equal(ended(await answered(opening, ending(said), closing)).finish, meant);
    });
  }

  it('believes the later count of tokens', async () => {
    const counts = { input_tokens: 61, output_tokens: 9, cache_read_input_tokens: 7 };
    const end = ended(await answered(opening, ending('end_turn', counts), closing));
    assert.deepEqual(end.usage, { input: 61, output: 9, cacheRead: 7, cacheWrite: 0, reasoning: 0 });
  });

  it('skips events, blocks and deltas that it does not know', async () => {
    const parts = await answered(
      event({ type: 'a_new_event' }),
      opening,
      start(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      delta(0, { type: 'a_new_delta', value: 1 }),
      stop(0),
      start(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'x' }),
      stop(1),
      ending('end_turn'),
      closing,
    );
    assert.equal(textOf(parts), 'x');
    assert.equal(ended(parts).finish, 'stop');
  });

  it('reports an overload inside the stream with what it had counted', async () => {
    const parts = await answered(
      opening,
      event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as never),
    );
    assert.equal(failed(parts).kind, 'overloaded');
    assert.equal(parts.at(-1)?.type === 'error' && 'usage' in (parts.at(-1) ?? {}), true);
  });

  it('sends signed and encrypted thinking back in front of the calls it belongs to', async () => {
    const thought = [
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      delta(0, { type: 'signature_delta', signature: 'sig==' }),
      stop(0),
      start(1, { type: 'redacted_thinking', data: 'enc==' }),
      stop(1),
      start(2, { type: 'tool_use', id: 't', name: 'todo', input: {} }),
      stop(2),
    ];
    const { thinking, calls } = ended(await answered(opening, ...thought, ending('tool_use'), closing));
    await server.nextRequest();
    const history: ModelMessage[] = [
      { role: 'user', text: 'Go' },
      { role: 'assistant', text: '', thinking, calls },
      { role: 'tool', callId: 't', name: 'todo', text: 'ok', isError: false },
    ];
    const body = await sent(requestOf(history));
    assert.deepEqual(body.messages[1]?.content.slice(0, 2), [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig==' },
      { type: 'redacted_thinking', data: 'enc==' },
    ]);
    const elsewhere = await ModelServer.start();
    await run(createAnthropicWire({ baseUrl: elsewhere.origin }), requestOf(history));
    const other = (await elsewhere.nextRequest()).body as Body;
    assert.deepEqual(
      other.messages[1]?.content.map(({ type }) => type),
      ['tool_use'],
      'another host never gets thinking that it did not sign',
    );
    await elsewhere.close();
  });

  it('gives unsigned thinking to nobody', async () => {
    const parts = await answered(
      opening,
      start(0, { type: 'thinking', thinking: 'Hm.' }),
      stop(0),
      ending('end_turn'),
      closing,
    );
    assert.deepEqual(ended(parts).thinking, []);
  });

  it('asks again without thinking when a signature is refused, and sends none in that session from then on', async () => {
    const thinking = [{ text: 'Hm.', signature: `signed ${new URL(server.origin).host} stale` }];
    const request = requestOf([
      { role: 'user', text: 'Go' },
      { role: 'assistant', text: 'Done.', thinking, calls: [] },
      { role: 'user', text: 'More' },
    ]);
    const tested = wire();
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
    server.script({ status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } });
    ended(await run(tested, request));
    ended(await run(tested, request));
    assert.deepEqual(
      server.requests.map(({ bytes }) => bytes.includes('"thinking"')),
      [true, false, false],
    );
  });

  it('asks again with the most output that the model has, and remembers it', async () => {
    const tested = wire();
    const message = 'max_tokens: 16384 > 4096, which is the maximum allowed number of output tokens';
    server.script({ status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } });
    ended(await run(tested));
    ended(await run(tested));
    const limits = server.requests.map(({ body }) => (body as { max_tokens: number }).max_tokens);
    assert.deepEqual(limits, [16_384, 4_096, 4_096]);
  });

  it('asks only once more', async () => {
    const message = 'max_tokens: 9 > 4, which is the maximum allowed number of output tokens';
    const refusal = { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } };
    server.script(refusal, refusal, refusal);
    assert.equal(failed(await run(wire())).kind, 'output_cap');
    assert.equal(server.requests.length, 2);
  });

  it('puts all results of a batch into the next message, and a steer into a message of its own', async () => {
    const call = (callId: string) => ({ callId, name: 'todo', input: {} });
    const result = (callId: string) => ({
      role: 'tool' as const,
      callId,
      name: 'todo',
      text: '',
      isError: callId === 'b',
    });
    const body = await sent(
      requestOf([
        { role: 'user', text: 'Go' },
        { role: 'assistant', text: 'Both.', calls: [call('a'), call('b')] },
        result('a'),
        result('b'),
        { role: 'user', text: 'use reduce' },
      ]),
    );
    assert.deepEqual(
      body.messages.map(({ role, content }) => [role, content.map(({ type }) => type)]),
      [
        ['user', ['text']],
        ['assistant', ['text', 'tool_use', 'tool_use']],
        ['user', ['tool_result', 'tool_result']],
        ['user', ['text']],
      ],
    );
  });

  it('marks the system prompt and the last three messages for the cache, and nothing elsewhere', async () => {
    const history = Array.from(
      { length: 9 },
      (_, index): ModelMessage =>
        index % 2 === 0 ? { role: 'user', text: `q${index}` } : { role: 'assistant', text: `a${index}`, calls: [] },
    );
    const body = await sent(requestOf(history), { promptCaching: true });
    assert.notEqual(body.system.at(-1)?.cache_control, undefined);
    const marked = body.messages.map(({ content }) => content.some((block) => block.cache_control !== undefined));
    assert.deepEqual(marked, [false, false, false, false, false, false, true, true, true]);
    assert.doesNotMatch(JSON.stringify(await sent(requestOf(history))), /cache_control/);
  });

  it('takes a base URL with and without its version', async () => {
    for (const baseUrl of [server.origin, `${server.origin}/`, `${server.origin}/v1`, `${server.origin}/v1/`]) {
      ended(await run(createAnthropicWire({ baseUrl })));
      assert.equal((await server.nextRequest()).path, '/v1/messages');
    }
  });

  it('drops what the API refuses in a schema, and the second tool of one name', async () => {
    const inputSchema = { type: 'object', properties: {}, anyOf: [{ required: ['a'] }] };
    const tool = { name: 'todo', description: 'x', inputSchema };
    await run(wire(), { ...requestOf(), tools: [tool, tool] });
    const request = await server.nextRequest();
    assert.equal(request.invalid, undefined);
    assert.equal((request.body as { tools: unknown[] }).tools.length, 1);
  });
});
