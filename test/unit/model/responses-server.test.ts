import assert from 'node:assert/strict';
import OpenAI from 'openai';
import type {
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseOutputItem,
} from 'openai/resources/responses/responses';
import { ModelServer, type Script, validateResponses } from '../../model-server/index.ts';

const params: ResponseCreateParamsStreaming = {
  model: 'gpt-test',
  stream: true,
  store: false,
  include: ['reasoning.encrypted_content'],
  instructions: 'Be brief.',
  input: [{ role: 'user', content: 'Hello there' }],
};

describe('the Responses API of the fake model server', function () {
  this.timeout(20_000);
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const client = () => new OpenAI({ baseURL: server.openAiBaseUrl, apiKey: 'k', maxRetries: 0 });
  /** What the official client makes of an answer: it puts the events together itself and is strict about their order. */
  const answer = (script: Script) => {
    server.script(script);
    return client().responses.stream(params).finalResponse();
  };

  it('is what the official client understands, with thinking, text and calls', async () => {
    const response = await answer({
      steps: [
        { reasoning: 'Let me ' },
        { reasoning: 'see.' },
        { text: 'I ' },
        { text: 'read.' },
        { call: { id: 'call_a', name: 'read_file', input: { path: 'a' }, split: 3 } },
        { call: { id: 'call_b', name: 'read_file', input: { path: 'b' } } },
        { usage: { input: 60, cacheRead: 40, output: 7, reasoning: 3 } },
      ],
    });
    assert.deepEqual(
      response.output.map((item) => item.type),
      ['reasoning', 'message', 'function_call', 'function_call'],
    );
    assert.equal(response.output_text, 'I read.');
    const [thought, , call] = response.output;
    assert.ok(thought?.type === 'reasoning' && call?.type === 'function_call');
    assert.equal(thought.summary[0]?.text, 'Let me see.');
    assert.match(thought.encrypted_content ?? '', /^gAAAA/);
    assert.equal(call.arguments, '{"path":"a"}');
    assert.deepEqual([response.usage?.input_tokens, response.usage?.input_tokens_details.cached_tokens], [100, 40]);
  });

  it('numbers its events without a gap', async () => {
    server.script({ steps: [{ reasoning: 'x' }, { text: 'y' }, { call: { name: 'todo' } }] });
    const numbers: number[] = [];
    for await (const event of await client().responses.create(params)) numbers.push(event.sequence_number);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index),
    );
  });

  it('says why an answer is incomplete', async () => {
    const cut = await answer({ steps: [{ text: 'half' }, { finish: 'length' }] });
    assert.deepEqual([cut.status, cut.incomplete_details?.reason], ['incomplete', 'max_output_tokens']);
    const filtered = await answer({ steps: [{ finish: 'content_filter' }] });
    assert.equal(filtered.incomplete_details?.reason, 'content_filter');
  });

  it('seals no thinking when nobody asked for it', async () => {
    server.script({ steps: [{ reasoning: 'x' }, { text: 'y' }] });
    const { output } = await client()
      .responses.stream({ ...params, include: [] })
      .finalResponse();
    assert.ok(!JSON.stringify(output).includes('encrypted_content'));
  });

  it('fails in the stream as the official client expects it', async () => {
    server.script({ steps: [{ text: 'x' }, { error: { type: 'server_error', message: 'It broke' } }] });
    const said: string[] = [];
    for await (const event of await client().responses.create(params))
      if (event.type === 'error') said.push(`${event.code}: ${event.message}`);
    assert.deepEqual(said, ['server_error: It broke']);
  });

  it('takes back what it said', async () => {
    server.script({ steps: [{ reasoning: 'x' }, { text: 'y' }, { call: { id: 'a', name: 'todo' } }] });
    const output: ResponseOutputItem[] = [];
    for await (const event of await client().responses.create(params))
      if (event.type === 'response.output_item.done') output.push(event.item);
    assert.equal(output.length, 3);
    const input = [
      ...(params.input as ResponseInputItem[]),
      ...(output as ResponseInputItem[]),
      { type: 'function_call_output' as const, call_id: 'a', output: 'done' },
    ];
    server.script({ steps: [{ text: 'Done.' }] });
    assert.equal(
      (
        await client()
          .responses.create({ ...params, stream: false, input })
          .asResponse()
      ).status,
      200,
    );
  });

  it('repeats what the user said when no script waits', async () => {
    assert.equal((await client().responses.stream(params).finalResponse()).output_text, 'You said: Hello there');
  });
});

describe('the validator of the Responses API', () => {
  const user = { role: 'user', content: 'Begin' };
  const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'read_file', arguments: '{}' });
  const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'text' });
  const thought = { type: 'reasoning', encrypted_content: 'gAAAA-1', summary: [] };
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] };
  const check = (input: object[], more: object = {}) =>
    validateResponses({ model: 'm', store: false, stream: true, input, ...more });

  it('accepts a history in which every call is answered', () => {
    const history = [user, thought, said, call('a'), call('b'), output('b'), output('a'), user, thought, call('c')];
    assert.equal(check([...history, output('c')]), undefined);
  });

  it('accepts the tools and items of the Codex program', () => {
    const input = [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      { ...thought, content: null },
      { type: 'local_shell_call', call_id: 's', status: 'completed', action: { type: 'exec', command: ['ls'] } },
      { type: 'function_call_output', call_id: 'f', output: 'x' },
      { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } },
    ];
    const more = {
      instructions: 'You are a test.',
      tools: [
        { type: 'function', name: 'shell', description: '', strict: false, parameters: { type: 'object' } },
        { type: 'custom', name: 'apply_patch', description: '', format: { type: 'grammar' } },
        { type: 'web_search', external_web_access: false },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: false,
      reasoning: { effort: 'medium', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'thread',
      text: { verbosity: 'low' },
      client_metadata: { originator: 'x' },
    };
    assert.match(check(input, more) ?? '', /no tool call found/);
    assert.equal(check(input.toSpliced(4, 1), more), undefined);
  });

  const refused: [string, RegExp, object[], object?][] = [
    [
      'a call without its output',
      /No tool output found for function call b/,
      [user, call('a'), call('b'), output('a')],
    ],
    ['an output without its call', /no tool call found/, [user, output('a')]],
    ['an output before its call', /no tool call found/, [user, output('a'), call('a')]],
    ['one call id twice', /duplicate call_id/, [user, call('a'), output('a'), call('a'), output('a')]],
    ['a call id of 65 characters', /call_id/, [user, call('x'.repeat(65)), output('x'.repeat(65))]],
    ['an item id of 65 characters', /id/, [user, { ...said, id: `msg_${'x'.repeat(61)}` }]],
    ['one item id twice', /duplicate item/, [user, { ...said, id: 'msg_1' }, { ...said, id: 'msg_1' }]],
    ['a thought at the end', /without its required following item/, [user, thought]],
    ['a thought before a user message', /without its required following item/, [user, thought, user]],
    [
      'a thought that it has not sealed',
      /invalid_encrypted_content/,
      [user, { ...thought, encrypted_content: 'no' }, said],
    ],
    ['a thought by its id alone', /not persisted/, [user, { type: 'reasoning', id: 'rs_1', summary: [] }, said]],
    ['arguments that are no JSON', /valid JSON/, [user, { ...call('a'), arguments: '{"a' }, output('a')]],
    ['an item of a kind that it does not know', /type/, [user, { type: 'thought', text: 'x' }]],
    ['a field that is not of the API', /kind/, [{ ...user, kind: 'steer' }]],
    ['a parameter that is not of the API', /max_tokens/, [user], { max_tokens: 5 }],
    ['input text in an answer', /content/, [{ ...said, content: [{ type: 'input_text', text: 'x' }] }]],
    ['an empty input', /input/, []],
    [
      'two tools of one name',
      /unique/,
      [user],
      { tools: Array(2).fill({ type: 'function', name: 'a', parameters: { type: 'object' } }) },
    ],
    [
      'a compaction below its least threshold',
      /compact_threshold/,
      [user],
      { context_management: [{ type: 'compaction', compact_threshold: 1 }] },
    ],
  ];
  for (const [what, why, input, more] of refused) {
    it(`refuses ${what}`, () => assert.match(check(input, more) ?? 'accepted', why));
  }
});
