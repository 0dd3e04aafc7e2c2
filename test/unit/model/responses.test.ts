import assert from 'node:assert/strict';
import type { ModelMessage, ModelPart, ModelRequest } from '../../../src/agent/model/types.ts';
import {
  added,
  asked,
  bodyOf,
  CODEX,
  COMPLETED,
  COPILOT,
  callOf,
  done,
  type Event,
  kindsOf,
  OPENAI,
  requestFor,
  result,
  saying,
  user,
  wireTo,
  XAI,
} from '../../model/responses-fixture.ts';
import { ModelServer, type Script } from '../../model-server/index.ts';
import { ended, failed, readFile, run, textOf } from './wire-fixture.ts';

const AZURE = 'https://team.openai.azure.com/openai/v1';

describe('the Responses wire and its servers', function () {
  this.timeout(20_000);
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  const read = (script: Script, baseUrl = OPENAI): Promise<ModelPart[]> => {
    server.script(script);
    return run(wireTo(server, baseUrl), requestFor('gpt-5.5', [user('Begin')]));
  };

  async function sent(baseUrl: string, more: Partial<ModelRequest> = {}) {
    server.script({ steps: [{ text: 'Done.' }] });
    ended(await run(wireTo(server, baseUrl), requestFor('gpt-5.5', [user('Begin')], more)));
    const request = server.requests.at(-1);
    assert.ok(request && request.invalid === undefined);
    return request;
  }

  const message = (text: string, phase?: string) => ({
    type: 'message',
    id: `msg_${text.length}`,
    role: 'assistant',
    status: 'completed',
    ...(phase !== undefined && { phase }),
    content: [{ type: 'output_text', text }],
  });
  const says = (output_index: number, delta: string): Event => [
    'response.output_text.delta',
    { item_id: 'x', output_index, content_index: 0, delta },
  ];
  const call = (id: string) => ({ type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, name: 'read_file' });

  it('takes two items with one id of a call as two calls, and one that is said twice as one', async () => {
    const item = (at: number, path: string) =>
      done(at, { ...call('a'), id: `fc_${at}`, arguments: JSON.stringify({ path }) });
    const parts = await read(saying(item(0, 'x'), item(1, 'y'), item(1, 'y'), COMPLETED));
    assert.deepEqual(
      ended(parts).calls.map(({ callId, input }) => [callId, input]),
      [
        ['call_a', { path: 'x' }],
        ['call_a_d2', { path: 'y' }],
      ],
    );
  });

  it('takes arguments that come as a value as what they say, and never as none', async () => {
    const input = async (args: unknown) =>
      ended(await read(saying(done(0, { ...call('a'), arguments: args }), COMPLETED))).calls[0];
    assert.deepEqual((await input({ path: 'x' }))?.input, { path: 'x' });
    assert.equal((await input(['x']))?.invalidInput, '["x"]');
  });

  describe('what it sends', () => {
    it('asks for sealed reasoning, a summary of it and the effort, and lets nothing be stored', async () => {
      const body = bodyOf(await sent(OPENAI, { effort: 'high', maxOutput: 500 }));
      assert.deepEqual(body.include, ['reasoning.encrypted_content']);
      assert.deepEqual(body.reasoning, { effort: 'high', summary: 'auto' });
      assert.equal(body.store, false);
      assert.equal(body.max_output_tokens, 500);
      assert.equal(body.instructions, 'You are a test.');
      assert.match(body.prompt_cache_key ?? '', /^pck_[0-9a-f]{24}$/);
    });

    it('has instructions also where there is no system prompt', async () => {
      assert.ok(bodyOf(await sent(OPENAI, { system: ' ' })).instructions);
    });

    it('sends Copilot no cache key and asks it for no sealed reasoning', async () => {
      const body = bodyOf(await sent(COPILOT));
      assert.deepEqual([body.include, body.prompt_cache_key], [undefined, undefined]);
    });

    it('tells the Codex backend and xAI the session by headers, and the first no output limit', async () => {
      const codex = await sent(CODEX, { maxOutput: 500 });
      const { session_id, 'x-client-request-id': requestId } = codex.headers;
      assert.deepEqual([session_id, requestId], ['session-1', bodyOf(codex).prompt_cache_key]);
      assert.equal(bodyOf(codex).max_output_tokens, undefined);
      assert.equal((await sent(XAI)).headers['x-grok-conv-id'], 'session-1');
    });

    it('asks no model to reason that is known not to', async () => {
      const body = bodyOf(await sent(OPENAI, { model: 'gpt-4.1' }));
      assert.deepEqual([body.include, body.reasoning], [undefined, undefined]);
    });

    it('sends what the settings add to each request, and goes by their ways of the model', async () => {
      server.script({ steps: [{ text: 'Done.' }] });
      const ways = { extraBody: { service_tier: 'flex' }, noInclude: true } as const;
      ended(await run(wireTo(server, OPENAI, { ways }), requestFor('gpt-5.5', [user('Begin')])));
      const { service_tier, include } = bodyOf(await server.nextRequest());
      assert.deepEqual([service_tier, include], ['flex', undefined]);
    });

    it('sends the images of the user', async () => {
      const messages: ModelMessage[] = [
        { role: 'user', text: 'What is it?', images: [{ mime: 'image/png', base64: 'AAAA' }] },
      ];
      assert.deepEqual(bodyOf(await sent(OPENAI, { messages })).input[0]?.content, [
        { type: 'input_text', text: 'What is it?' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
      ]);
    });

    it('gives two calls of one id in one answer two ids', async () => {
      const messages = [user('Begin'), asked(['call_1', 'call_1']), result('call_1', 'a'), result('call_1', 'b')];
      const { input } = bodyOf(await sent(OPENAI, { messages }));
      assert.deepEqual(
        input.slice(1).map(({ call_id }) => call_id),
        ['call_1', 'call_1_d2', 'call_1', 'call_1_d2'],
      );
    });

    it('leaves out a call without a result and a result without a call', async () => {
      const messages = [user('Begin'), asked(['call_1', 'call_2']), result('call_2'), result('call_3'), user('Next')];
      assert.deepEqual(kindsOf(await sent(OPENAI, { messages })), [
        'user',
        'function_call',
        'function_call_output',
        'user',
      ]);
    });

    it('sends Azure the reasoning of the newest answer that has any', async () => {
      const seal = (id: string) => [
        { text: '', signature: `responses other:${AZURE} {"type":"reasoning","encrypted_content":"gAAAA-${id}"}` },
      ];
      const messages = [
        user('Begin'),
        asked(['call_1'], seal('1')),
        result('call_1'),
        asked(['call_2'], seal('2')),
        result('call_2'),
        asked([], [], 'Done.'),
        user('Next'),
      ];
      const reasoning = (await sent(AZURE, { messages })).bytes.toString('utf8').match(/gAAAA-\d/g);
      assert.deepEqual(reasoning, ['gAAAA-2']);
    });

    it('breaks the control tokens of the Codex backend in what it is told, and nowhere else', async () => {
      const text = 'See <|start|>assistant<|channel|> and <|other|>';
      const messages: ModelMessage[] = [
        user(text),
        { role: 'assistant', text, calls: [{ ...callOf('call_1'), input: { path: text } }] },
        result('call_1', text),
      ];
      const tokens = /<\|(start|channel)\|>/;
      assert.doesNotMatch((await sent(CODEX, { messages, system: text })).bytes.toString('utf8'), tokens);
      assert.match((await sent(OPENAI, { messages })).bytes.toString('utf8'), tokens);
    });

    it('refuses a control token in a name, since another name would be another argument', async () => {
      const calls = [{ ...callOf('call_1'), input: { '<|start|>': 1 } }];
      const messages: ModelMessage[] = [user('Begin'), { role: 'assistant', text: '', calls }, result('call_1')];
      const error = failed(await run(wireTo(server, CODEX), requestFor('gpt-5.5', messages)));
      assert.equal(error.kind, 'bad_request');
      assert.match(error.detail, /control token/);
      assert.equal(server.requests.length, 0);
    });

    const schema = {
      type: 'object',
      properties: {
        pattern: { type: 'string', pattern: '^a', description: 'x' },
        kind: { type: 'string', enum: ['a', 'text/plain'], format: 'uri' },
      },
    };

    it('sends xAI no keywords and values that it refuses, and keeps the tool as it is', async () => {
      const before = structuredClone(schema);
      const tools = [{ ...readFile, inputSchema: schema }];
      assert.deepEqual(bodyOf(await sent(XAI, { tools })).tools?.[0]?.parameters, {
        type: 'object',
        properties: { pattern: { type: 'string', description: 'x' }, kind: { type: 'string', enum: ['a'] } },
      });
      assert.deepEqual(schema, before);
      assert.deepEqual(bodyOf(await sent(OPENAI, { tools })).tools?.[0]?.parameters, schema);
    });

    it('gives xAI its own search in place of a tool of that name, and another name to what it reserves', async () => {
      const tools = ['web_search', 'tool_search'].map((name) => ({ ...readFile, name }));
      const [search, renamed] = bodyOf(await sent(XAI, { tools })).tools ?? [];
      assert.deepEqual(search, { type: 'web_search' });
      assert.ok(renamed?.name !== undefined && renamed.name !== 'tool_search');
    });
  });

  describe('what it does without when it is refused', () => {
    const refusal = (message: string, code?: string): Script => ({
      status: 400,
      body: { error: { type: 'invalid_request_error', message, ...(code !== undefined && { code }) } },
    });
    const cases: [string, string, (body: ReturnType<typeof bodyOf>) => unknown, unknown][] = [
      ['sealed reasoning', 'Encrypted content is not supported with this model.', (body) => body.include, undefined],
      ['an effort', "Unsupported parameter: 'reasoning.effort'.", (body) => body.reasoning, undefined],
      [
        'summaries',
        "Your organization must be verified to generate reasoning summaries: 'reasoning.summary'.",
        (body) => body.reasoning,
        { effort: 'low' },
      ],
      ['a cache key', "Unrecognized request argument: 'prompt_cache_key'", (body) => body.prompt_cache_key, undefined],
    ];
    for (const [what, said, field, left] of cases) {
      it(`asks a model that takes no ${what} again without, and remembers it`, async () => {
        const wire = wireTo(server, OPENAI);
        const request = requestFor('gpt-5-chat', [user('Begin')], { effort: 'low' });
        server.script(refusal(said));
        ended(await run(wire, request));
        ended(await run(wire, request));
        const [first, second, third] = server.requests.map((one) => field(bodyOf(one)));
        assert.notDeepEqual(first, left);
        assert.deepEqual([second, third], [left, left]);
      });
    }

    it('leaves it to the user to choose another effort where a model takes others', async () => {
      server.script(refusal("Unsupported value: 'reasoning.effort' does not support 'max' with this model."));
      const request = requestFor('gpt-5.5', [user('Begin')], { effort: 'max' });
      assert.equal(failed(await run(wireTo(server, OPENAI), request)).kind, 'bad_request');
      assert.equal(server.requests.length, 1);
    });

    it('asks for an answer in one piece where an account may not stream a model', async () => {
      server.script(refusal('Your organization must be verified to stream this model.', 'unsupported_value'));
      ended(await run(wireTo(server, OPENAI), requestFor('gpt-5.5', [user('Begin')])));
      assert.deepEqual(
        server.requests.map((request) => bodyOf(request).stream),
        [true, false],
      );
    });

    it('asks for one refusal after the other', async () => {
      const wire = wireTo(server, OPENAI);
      server.script(
        refusal('Encrypted content is not supported with this model.'),
        refusal("Unsupported parameter: 'reasoning.effort'."),
      );
      ended(await run(wire, requestFor('gpt-5-chat', [user('Begin')])));
      assert.equal(server.requests.length, 3);
    });

    it('asks for an answer in one piece where streams are not supported, and reads it', async () => {
      const wire = wireTo(server, 'https://plain.test/v1');
      const output = [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAAA' },
        message('Said.'),
        { ...call('1'), arguments: '{"path":"a"}' },
      ];
      const usage = { input_tokens: 1000, input_tokens_details: { cached_tokens: 400 }, output_tokens: 5 };
      const body = { id: 'resp_1', object: 'response', status: 'completed', error: null, output, usage };
      server.script(refusal('Streaming is not supported for this model.'), { status: 200, body });
      const parts = await run(wire, requestFor('gpt-5.5', [user('Begin')]));
      assert.equal(textOf(parts), 'Said.');
      assert.equal(textOf(parts, 'reasoning'), 'Hm.');
      const end = ended(parts);
      assert.deepEqual(end.calls, [{ callId: 'call_1', name: 'read_file', input: { path: 'a' } }]);
      assert.equal(end.usage?.input, 600);
      assert.deepEqual(
        server.requests.map((request) => bodyOf(request).stream),
        [true, false],
      );
    });

    it('reads the text of an answer in one piece that has no items', async () => {
      server.script({ status: 200, body: { id: 'r', status: 'completed', output: [], output_text: 'Said.' } });
      assert.equal(textOf(await run(wireTo(server, OPENAI), requestFor('gpt-5.5', [user('Begin')]))), 'Said.');
    });

    it('asks again when the refusal comes as the first event of the stream', async () => {
      const thinking = [
        { text: '', signature: `responses other:${OPENAI} {"type":"reasoning","encrypted_content":"gAAAA"}` },
      ];
      const said = { code: 'invalid_encrypted_content', message: 'The encrypted content could not be verified.' };
      server.script(saying(['error', said]), { steps: [{ text: 'Done.' }] });
      const messages = [user('Begin'), asked([], thinking, 'Said.'), user('Next')];
      const parts = await run(wireTo(server, OPENAI), requestFor('gpt-5.5', messages));
      assert.equal(textOf(parts), 'Done.');
      assert.equal(parts.filter(({ type }) => type === 'head').length, 1);
      assert.deepEqual(
        server.requests.map((request) => kindsOf(request).includes('reasoning')),
        [true, false],
      );
    });
  });

  describe('what it reads', () => {
    it('shows commentary and analysis as reasoning, never as the answer', async () => {
      const parts = await read(
        saying(
          added(0, { type: 'message', id: 'x', phase: 'commentary' }),
          says(0, 'I look.'),
          done(0, message('I look.', 'commentary')),
          done(1, message('Deep.', 'analysis')),
          done(2, message('It is 4.', 'final_answer')),
          COMPLETED,
        ),
      );
      assert.equal(textOf(parts), 'It is 4.');
      assert.equal(textOf(parts, 'reasoning'), 'I look.\n\nDeep.');
      assert.equal(ended(parts).finish, 'stop');
    });

    it('can go on from an answer of nothing but commentary', async () => {
      const parts = await read(saying(done(0, message('I look.', 'commentary')), COMPLETED));
      assert.equal(ended(parts).finish, 'incomplete');
    });

    it('sends commentary back in its place, with its phase', async () => {
      const end = ended(
        await read(
          saying(done(0, message('I look.', 'commentary')), done(1, { ...call('1'), arguments: '{}' }), COMPLETED),
        ),
      );
      const answer: ModelMessage = { role: 'assistant', text: '', thinking: end.thinking, calls: end.calls };
      const { input } = bodyOf(await sent(OPENAI, { messages: [user('Begin'), answer, result('call_1')] }));
      assert.deepEqual(
        input.map(({ type, phase }) => [type, phase]),
        [
          [undefined, undefined],
          ['message', 'commentary'],
          ['function_call', undefined],
          ['function_call_output', undefined],
        ],
      );
    });

    it('takes a refusal for the answer', async () => {
      const refusal: Event = ['response.refusal.delta', { item_id: 'x', output_index: 0, delta: 'I will not.' }];
      assert.equal(textOf(await read(saying(refusal, COMPLETED))), 'I will not.');
    });

    it('takes the text of a server that streams none of it, once', async () => {
      const whole: Event = ['response.output_text.done', { item_id: 'x', output_index: 0, text: 'Said.' }];
      assert.equal(textOf(await read(saying(whole, done(0, message('Said.')), COMPLETED))), 'Said.');
    });

    it('keeps a blank line between two messages of one answer', async () => {
      assert.equal(textOf(await read(saying(says(0, 'One.'), says(1, 'Two.'), COMPLETED))), 'One.\n\nTwo.');
    });

    it('shows no text that comes once a call has begun', async () => {
      const events = [says(0, 'Before.'), added(1, call('1')), says(2, 'Behind.'), done(1, call('1')), COMPLETED];
      const parts = await read(saying(...events));
      assert.equal(textOf(parts), 'Before.');
      assert.equal(ended(parts).calls.length, 1);
    });

    it('follows a call whose item has another id in each event, as at Copilot', async () => {
      const fragment = (item_id: string, output_index: number, delta: string): Event => [
        'response.function_call_arguments.delta',
        { item_id, output_index, delta },
      ];
      const end = ended(
        await read(
          saying(
            added(0, { ...call('a'), id: 'r1' }),
            added(1, { ...call('b'), id: 'r2' }),
            fragment('r3', 1, '{"path":'),
            fragment('r4', 0, '{"path":"a"}'),
            fragment('r5', 1, '"b"}'),
            done(1, { ...call('b'), id: 'r6' }),
            done(0, { ...call('a'), id: 'r7' }),
            COMPLETED,
          ),
        ),
      );
      assert.deepEqual(
        end.calls.map(({ callId, input }) => [callId, input]),
        [
          ['call_a', { path: 'a' }],
          ['call_b', { path: 'b' }],
        ],
      );
    });

    it('orders calls by their place, and where one has none by when they began', async () => {
      const order = async (...places: (number | undefined)[]) => {
        const events = places.map((output_index, index): Event => {
          const item = { ...call(String(index)), arguments: '{}' };
          return ['response.output_item.done', { ...(output_index !== undefined && { output_index }), item }];
        });
        return ended(await read(saying(...events, COMPLETED))).calls.map(({ callId }) => callId);
      };
      assert.deepEqual(await order(1, 0), ['call_1', 'call_0']);
      assert.deepEqual(await order(1, undefined), ['call_0', 'call_1']);
    });

    it('makes the same id each time for a call that has none, from its item or from what it says', async () => {
      const idOf = async (item: object) =>
        ended(await read(saying(done(0, { type: 'function_call', name: 'todo', arguments: '{}', ...item }), COMPLETED)))
          .calls[0]?.callId;
      assert.equal(await idOf({ id: 'fc_abc' }), 'call_abc');
      const made = await idOf({});
      assert.match(made ?? '', /^call_[0-9a-f]{12}$/);
      assert.equal(await idOf({}), made);
    });

    it('gives calls of one id different ids', async () => {
      const item = (index: number) => done(index, { ...call('1'), id: `fc_${index}`, call_id: '', arguments: '{}' });
      const same = saying(item(0), item(1), done(2, { ...call('0'), id: '', arguments: '{}' }), COMPLETED);
      const ids = ended(await read(same)).calls.map(({ callId }) => callId);
      assert.deepEqual(ids, ['call_0', 'call_1', 'call_0_d2']);
    });

    it('takes a failed and a cancelled response for what they say', async () => {
      const failing = (status: string, error: unknown) =>
        read(saying([`response.${status}`, { response: { id: 'r', status, error } }]));
      const limited = failed(await failing('failed', { code: 'rate_limit_exceeded', message: 'Slow down.' }));
      assert.equal(limited.kind, 'rate_limit');
      assert.match(failed(await failing('cancelled', null)).detail, /cancelled/);
    });

    it('takes an answer as whole while a search of the server itself is still marked as running', async () => {
      const search = { type: 'web_search_call', id: 'ws_1', status: 'in_progress' };
      const parts = await read(saying(added(0, search), done(1, message('Found.')), COMPLETED));
      assert.deepEqual([ended(parts).finish, textOf(parts)], ['stop', 'Found.']);
    });

    it('takes the closing mark of another API for the end', async () => {
      const steps = [...(saying(done(0, message('Said.'))) as { steps: object[] }).steps];
      server.script({ steps: [steps[0] as { raw: string }, { raw: 'data: [DONE]\n\n' }, { eof: true }] });
      const parts = await run(wireTo(server, OPENAI), requestFor('gpt-5.5', [user('Begin')]));
      assert.deepEqual([ended(parts).finish, textOf(parts)], ['stop', 'Said.']);
    });

    it('takes text whose item is done for the answer where the closing event is missing', async () => {
      const parts = await read(saying(says(0, 'Said.'), done(0, message('Said.'))));
      assert.deepEqual([ended(parts).finish, textOf(parts)], ['stop', 'Said.']);
    });

    it('takes text that is still open, and text before something that is, for cut', async () => {
      assert.equal(failed(await read(saying(says(0, 'Sa')))).kind, 'stream_cut');
      const thinking = added(1, { type: 'reasoning', id: 'rs_1', summary: [] });
      assert.equal(failed(await read(saying(done(0, message('Said.')), thinking))).kind, 'stream_cut');
    });

    it('hides a call that came as text, and can go on from there', async () => {
      const leak = ['I will ', 'read it. t', 'o=func', 'tions.read_file code {"path":', '"a"}'].map((text) =>
        says(0, text),
      );
      const parts = await read(saying(...leak, COMPLETED));
      assert.equal(textOf(parts), 'I will read it. ');
      assert.equal(ended(parts).finish, 'incomplete');
    });

    it('shows text that only looks like such a call for a while', async () => {
      const texts = ['Back t', 'o=f', 'oo and t', 'o', ' to=functions', ' auto=functions.x t'];
      const parts = await read(saying(...texts.map((text) => says(0, text)), COMPLETED));
      assert.equal(textOf(parts), texts.join(''));
      assert.equal(ended(parts).finish, 'stop');
    });

    const inReasoning: Event[] = [
      ['response.reasoning_text.delta', { output_index: 0, delta: 'Hm. <response>It is' }],
      ['response.reasoning_text.delta', { output_index: 0, delta: ' 4.</response>' }],
      COMPLETED,
    ];

    it('finds the answer that xAI has left in the reasoning, and takes it for one nowhere else', async () => {
      const parts = await read(saying(...inReasoning), XAI);
      assert.deepEqual([textOf(parts), ended(parts).finish], ['It is 4.', 'stop']);
      assert.equal(textOf(await read(saying(...inReasoning))), '');
    });

    it('keeps no reasoning that is not sealed, or only for the moment', async () => {
      const thought = (id: string, encrypted_content?: string) => ({
        type: 'reasoning',
        id,
        encrypted_content,
        summary: [],
      });
      const end = ended(
        await read(
          saying(done(0, thought('rs_1')), done(1, thought('rs_tmp_2', 'gAAAA')), says(2, 'Said.'), COMPLETED),
        ),
      );
      assert.deepEqual(end.thinking, []);
    });

    it('keeps sealed reasoning once that the server repeats', async () => {
      const thought = { type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAAA', summary: [] };
      const end = ended(await read(saying(done(0, thought), done(0, thought), says(1, 'Said.'), COMPLETED)));
      assert.equal(end.thinking.length, 1);
    });

    it('keeps for people what was thought, beside what goes back', async () => {
      const end = ended(await read({ steps: [{ reasoning: 'Let me see.' }, { text: 'Done.' }] }));
      assert.deepEqual(
        end.thinking.map(({ text }) => text),
        ['Let me see.', ''],
      );
      assert.ok(
        end.thinking.every(({ signature }) => !signature.includes('Done.')),
        'the answer is not kept twice',
      );
    });

    it('counts what came from the cache apart from the rest', async () => {
      const usage = { input: 500, cacheRead: 400, cacheWrite: 100, output: 50, reasoning: 30 };
      assert.deepEqual(ended(await read({ steps: [{ text: 'x' }, { usage }] })).usage, usage);
    });

    it('names the answer as the provider does', async () => {
      assert.match(ended(await read({ steps: [{ text: 'x' }] })).facts?.responseId ?? '', /^resp_/);
    });
  });
});
