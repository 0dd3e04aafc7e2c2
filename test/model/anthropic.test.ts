/** Streams and histories of the Messages wire (facts 8D), to the byte. */

import assert from 'node:assert/strict';
import { createAnthropicWire, type WireOptions } from '../../src/agent/model/index.ts';
import type { ModelMessage, ModelPart, ModelRequest } from '../../src/agent/model/types.ts';
import { anthropicMessages } from '../../src/agent/model/wires/anthropic/messages.ts';
import { ModelServer, type RecordedRequest, type Script, type Step, validateAnthropic } from '../model-server/index.ts';
import { ended, failed, requestOf, run, textOf } from '../unit/model/wire-fixture.ts';
import { Rig } from '../unit/turn/rig.ts';

const event = (body: { readonly type: string; readonly [field: string]: unknown }): Step => ({
  raw: `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`,
});
const opening = event({
  type: 'message_start',
  message: { id: 'msg_1', usage: { input_tokens: 43, output_tokens: 1 } },
});
const start = (index: number, content_block: object) => event({ type: 'content_block_start', index, content_block });
const delta = (index: number, body: object) => event({ type: 'content_block_delta', index, delta: body });
const stop = (index: number) => event({ type: 'content_block_stop', index });
const ends = (stop_reason: string, usage: object = { output_tokens: 5 }) =>
  event({ type: 'message_delta', delta: { stop_reason }, usage });
const closing = event({ type: 'message_stop' });
const stream = (...steps: Step[]): Script => ({ steps: [...steps, { eof: true }] });

const words = (index: number, text: string): Step[] => [
  start(index, { type: 'text', text: '' }),
  delta(index, { type: 'text_delta', text }),
  stop(index),
];
const thought = (index: number, text: string, signature: string): Step[] => [
  start(index, { type: 'thinking', thinking: '', signature: '' }),
  delta(index, { type: 'thinking_delta', thinking: text }),
  ...(signature === '' ? [] : [delta(index, { type: 'signature_delta', signature })]),
  stop(index),
];
const use = (index: number, id: string, args: string): Step[] => [
  start(index, { type: 'tool_use', id, name: 'read_file', input: {} }),
  delta(index, { type: 'input_json_delta', partial_json: args }),
  stop(index),
];

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}
interface Body {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly tools?: readonly { readonly name: string; readonly input_schema: Readonly<Record<string, unknown>> }[];
  readonly [field: string]: unknown;
}
const bodyOf = (request: RecordedRequest | undefined) => request?.body as Body;

describe('the messages wire', () => {
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const wire = (options: WireOptions = {}) => createAnthropicWire({ baseUrl: server.origin, ...options });
  const answered = async (...steps: Step[]) => {
    server.script(stream(...steps));
    return run(wire({ reopens: 0 }));
  };
  /** The body with which a conversation goes on behind an answer. */
  const goesOn = async (
    parts: readonly ModelPart[],
    options: WireOptions = {},
    text = textOf(parts),
  ): Promise<Body> => {
    const { thinking, calls } = ended(parts);
    const history: ModelMessage[] = [
      { role: 'user', text: 'Go' },
      { role: 'assistant', text, thinking, calls },
      ...calls.map(({ callId, name }) => ({ role: 'tool' as const, callId, name, text: 'ok', isError: false })),
      ...(calls.length === 0 ? [{ role: 'user' as const, text: 'More' }] : []),
    ];
    await run(wire(options), requestOf(history));
    const request = server.requests.at(-1);
    assert.equal(request?.invalid, undefined);
    return bodyOf(request);
  };
  const sent = async (request: Partial<ModelRequest>, options: WireOptions = {}): Promise<Body> => {
    await run(wire(options), { ...requestOf(), ...request });
    return bodyOf(server.requests.at(-1));
  };

  it('47. takes a whole block of text without a stop reason as the answer', async () => {
    const parts = await answered(opening, ...words(0, 'All of it.'));
    assert.deepEqual([textOf(parts), ended(parts).finish], ['All of it.', 'stop']);
  });

  it('47. takes a block of text that is still open for cut', async () => {
    const parts = await answered(
      opening,
      start(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'Ha' }),
    );
    assert.equal(failed(parts).kind, 'stream_cut');
  });

  it('47. takes an answer with a call and no stop reason for cut', async () => {
    const parts = await answered(opening, ...words(0, 'I read.'), ...use(1, 't', '{}'));
    assert.deepEqual([failed(parts).kind, failed(parts).droppedCalls], ['stream_cut', ['read_file']]);
  });

  it('48. takes an answer that began and has nothing in it for empty, and opens it once more', async () => {
    server.script(stream(opening), stream(opening));
    const error = failed(await run(wire()));
    assert.match(error.detail, /empty/);
    assert.equal(error.retryable, false);
    assert.equal(server.requests.length, 2);
  });

  it('48. takes an answer without content for broken unless its stop reason allows that', async () => {
    assert.equal(failed(await answered(opening, ends('tool_use'), closing)).kind, 'stream_cut');
    assert.equal(ended(await answered(opening, ends('end_turn'), closing)).finish, 'stop');
  });

  it('49. reads a refusal without content as filtered, in one request', async () => {
    const end = ended(await answered(opening, ends('refusal'), closing));
    assert.deepEqual([end.finish, end.calls], ['content_filter', []]);
    assert.equal(server.requests.length, 1);
  });

  it('49. reads an answer that a guardrail of Bedrock cut as filtered, whatever its stop reason says', async () => {
    const guarded = event({ type: 'message_stop', 'amazon-bedrock-guardrailAction': 'INTERVENED' });
    assert.equal(ended(await answered(opening, ...words(0, 'x'), ends('end_turn'), guarded)).finish, 'content_filter');
  });

  it('51. sends signed thinking back in front of the call that it led to, with the input of the stored call', async () => {
    const parts = await answered(
      opening,
      ...thought(0, 'Hm.', 'sig=='),
      ...use(1, 't1', '{"path":"a",}'),
      ends('tool_use'),
      closing,
    );
    const body = await goesOn(parts);
    assert.deepEqual(body.messages[1]?.content, [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig==' },
      { type: 'tool_use', id: 't1', name: 'read_file', input: { path: 'a' } },
    ]);
  });

  it('51. keeps the order of an answer that thought again between its texts and calls', async () => {
    const parts = await answered(
      opening,
      ...thought(0, 'One.', 's1'),
      ...words(1, 'First '),
      ...use(2, 'a', '{}'),
      ...thought(3, 'Two.', 's2'),
      start(4, { type: 'redacted_thinking', data: 'enc' }),
      stop(4),
      ...words(5, 'and second.'),
      ...use(6, 'b', '{}'),
      ends('tool_use'),
      closing,
    );
    const { content = [] } = (await goesOn(parts)).messages[1] ?? {};
    assert.deepEqual(
      content.map((block) => block.text ?? block.thinking ?? block.id ?? block.data),
      ['One.', 'First ', 'a', 'Two.', 'enc', 'and second.', 'b'],
    );
  });

  it('51. falls back to thinking, text and calls when the text is no longer the one that it was', async () => {
    const parts = await answered(
      opening,
      ...thought(0, 'One.', 's1'),
      ...use(1, 'a', '{}'),
      ...thought(2, 'Two.', 's2'),
      ...use(3, 'b', '{}'),
      ends('tool_use'),
      closing,
    );
    const types = (body: Body) => body.messages[1]?.content.map(({ type }) => type);
    assert.deepEqual(types(await goesOn(parts)), ['thinking', 'tool_use', 'thinking', 'tool_use']);
    assert.deepEqual(types(await goesOn(parts, {}, 'changed')), [
      'thinking',
      'thinking',
      'text',
      'tool_use',
      'tool_use',
    ]);
  });

  it('51. sends thinking by the policy of the route', async () => {
    const signed = await answered(opening, ...thought(0, 'Hm.', 'sig'), ...words(1, 'x'), ends('end_turn'), closing);
    const types = (body: Body) => body.messages[1]?.content.map(({ type }) => type);
    assert.deepEqual(types(await goesOn(signed)), ['thinking', 'text']);
    assert.deepEqual(types(await goesOn(signed, { provider: 'minimax' })), ['text'], 'others strip it');
    assert.deepEqual(types(await goesOn(signed, { provider: 'deepseek' })), ['text'], 'only unsigned goes back');
    server.script(stream(opening, ...thought(0, 'Hm.', ''), ...words(1, 'x'), ends('end_turn'), closing));
    const unsigned = await run(wire({ provider: 'kimi-coding' }));
    server.settings.strict = false;
    const { thinking, calls } = ended(unsigned);
    const history: ModelMessage[] = [
      { role: 'user', text: 'Go' },
      { role: 'assistant', text: 'x', thinking, calls },
      { role: 'user', text: 'More' },
    ];
    assert.deepEqual(types(await sent({ messages: history }, { provider: 'kimi-coding' })), ['thinking', 'text']);
    assert.deepEqual(types(await sent({ messages: history })), ['text']);
  });

  it('52. asks once without thinking when a signature is refused, keeps what is stored, and not a second time', async () => {
    const host = new URL(server.origin).host;
    const thinking = [{ text: 'Hm.', signature: `signed ${host} stale` }];
    const history: ModelMessage[] = [
      { role: 'user', text: 'Go' },
      { role: 'assistant', text: 'Done.', thinking, calls: [] },
      { role: 'user', text: 'More' },
    ];
    const before = structuredClone(history);
    for (const message of [
      'messages.1.content.0: Invalid `signature` in `thinking` block',
      'messages.1: `thinking` blocks in the latest assistant message cannot be modified',
    ]) {
      const tested = wire();
      const refused = { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } };
      const from = server.requests.length;
      server.script(refused, refused);
      assert.equal(failed(await run(tested, requestOf(history))).kind, 'bad_request');
      const asked = server.requests.slice(from).map(({ bytes }) => bytes.includes('"thinking"'));
      assert.deepEqual(asked, [true, false]);
      server.script(refused);
      failed(await run(tested, requestOf(history)));
      assert.equal(server.requests.length, from + 3, 'it is not asked that way again');
      assert.deepEqual(history, before);
    }
  });

  const answer = (calls: readonly string[]): ModelMessage => ({
    role: 'assistant',
    text: '',
    thinking: [{ text: 'Hm.', signature: 'signed h sig' }],
    calls: calls.map((callId) => ({ callId, name: 'read_file', input: {} })),
  });
  const result = (callId: string): ModelMessage => ({
    role: 'tool',
    callId,
    name: 'read_file',
    text: 'ok',
    isError: false,
  });
  const legal = (messages: ReturnType<typeof anthropicMessages>) =>
    assert.equal(validateAnthropic({ model: 'm', max_tokens: 1, messages }), undefined);

  it('53. leaves a call out whose result is missing, with the thinking that was signed with it', () => {
    const messages = anthropicMessages(
      [{ role: 'user', text: 'Go' }, answer(['a', 'b']), result('b'), { role: 'user', text: 'On' }],
      'h',
    );
    legal(messages);
    assert.doesNotMatch(JSON.stringify(messages), /"a"|thinking/);
    assert.match(JSON.stringify(messages), /"b"/);
  });

  it('53. leaves a message that empties so with a placeholder', () => {
    const messages = anthropicMessages(
      [{ role: 'user', text: 'Go' }, answer(['a']), { role: 'user', text: 'On' }],
      'h',
    );
    legal(messages);
    const [, emptied] = messages;
    assert.match(JSON.stringify(emptied?.content), /"text":"\(.*no result.*\)"/);
  });

  it('53. leaves a result out whose call is missing, or which stands behind something else', () => {
    const messages = anthropicMessages(
      [
        { role: 'user', text: 'Go' },
        answer(['a']),
        result('a'),
        result('z'),
        { role: 'user', text: 'On' },
        result('a'),
      ],
      'h',
    );
    legal(messages);
    assert.equal(JSON.stringify(messages).split('tool_result').length - 1, 1);
  });

  it('54. sends of two tools with one name the first', async () => {
    const tool = { name: 'todo', description: 'first', inputSchema: { type: 'object', properties: {} } };
    const body = await sent({ tools: [tool, { ...tool, description: 'second' }] });
    assert.deepEqual(
      body.tools?.map(({ name, description }: { name: string; description?: unknown }) => [name, description]),
      [['todo', 'first']],
    );
  });

  it('54. sends what may be null in a schema as what it is otherwise, and no alternatives at its top', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        path: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }], description: 'where' },
        line: { type: ['integer', 'null'] },
        type: { type: ['string', 'number'] },
        mode: { enum: [null, 'a'] },
      },
      oneOf: [{ required: ['path'] }],
    };
    const body = await sent({ tools: [{ name: 'todo', description: 'x', inputSchema }] });
    assert.deepEqual(body.tools?.[0]?.input_schema, {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'where' },
        line: { type: 'integer' },
        type: { type: ['string', 'number'] },
        mode: { enum: [null, 'a'] },
      },
      required: ['path'],
    });
  });

  it('58. believes the later count of tokens', async () => {
    const counts = { input_tokens: 61, output_tokens: 9 };
    const { usage } = ended(await answered(opening, ...words(0, 'x'), ends('end_turn', counts), closing));
    assert.deepEqual([usage?.input, usage?.output], [61, 9]);
  });

  for (const [name, onWire] of [
    ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['claude-3.7-sonnet', 'claude-3-7-sonnet'],
    ['MiniMax-M2.1', 'MiniMax-M2.1'],
    ['anthropic.claude-3.5-v1:0', 'anthropic.claude-3.5-v1:0'],
  ] as const) {
    it(`calls ${name} ${onWire}`, async () => assert.equal((await sent({ model: name })).model, onWire));
  }

  it('asks for thinking by effort or by budget, as the model takes it, and for none where there is no room', async () => {
    const adaptive = await sent({ model: 'claude-opus-4-6', effort: 'high' });
    assert.deepEqual(
      [adaptive.thinking, adaptive.output_config],
      [{ type: 'adaptive', display: 'summarized' }, { effort: 'high' }],
    );
    const budget = await sent({ model: 'claude-sonnet-4-5', effort: 'high', maxOutput: 20_000 });
    assert.deepEqual(budget.thinking, { type: 'enabled', budget_tokens: 16_000 });
    const tight = await sent({ model: 'claude-sonnet-4-5', effort: 'high', maxOutput: 4_096 });
    assert.deepEqual(tight.thinking, { type: 'enabled', budget_tokens: 3_072 });
    assert.equal((await sent({ model: 'claude-sonnet-4-5', effort: 'high', maxOutput: 1_500 })).thinking, undefined);
    assert.deepEqual((await sent({ model: 'claude-opus-4-6', effort: 'none' })).thinking, { type: 'disabled' });
    assert.equal((await sent({ model: 'other', effort: 'high' })).thinking, undefined);
  });

  it('thinks no more in a session whose answers of another model have no thinking where it is expected', async () => {
    const tested = wire();
    const message = 'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.';
    server.script({ status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } });
    const request = { ...requestOf(), model: 'claude-sonnet-4-5', effort: 'low' as const };
    ended(await run(tested, request));
    ended(await run(tested, request));
    assert.deepEqual(
      server.requests.map((each) => bodyOf(each).thinking !== undefined),
      [true, false, false],
    );
  });
});

describe('the messages wire in a turn', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start('anthropic');
  });
  afterEach(() => rig.close());

  it('46. runs a call with an empty piece of input once, with none', async () => {
    rig.model = { model: 'some-model' };
    rig.server.script(
      stream(
        opening,
        start(0, { type: 'tool_use', id: 't', name: 'list_files', input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '' }),
        stop(0),
        ends('tool_use'),
        closing,
      ),
      { steps: [{ text: 'Done.' }] },
    );
    const session = rig.agent.create();
    session.send('Go');
    const result = await session.settled();
    assert.equal(result.exitReason, 'answered');
    assert.equal(session.rows().filter(({ kind }) => kind === 'tool_result').length, 1);
    assert.deepEqual(bodyOf(rig.server.requests[1]).messages.at(-2)?.content, [
      { type: 'tool_use', id: 't', name: 'list_files', input: {} },
    ]);
  });
});
