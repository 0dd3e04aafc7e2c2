/** Streams of the chat wire, whole and cut (facts 8A): the bytes over the real wire, and where a turn comes in, the loop. */

import assert from 'node:assert/strict';
import type { Quirks } from '../../src/agent/model/catalogue/index.ts';
import { createOpenAiChatWire } from '../../src/agent/model/index.ts';
import type { ModelMessage, ModelWire } from '../../src/agent/model/types.ts';
import { ModelServer, type Script } from '../model-server/index.ts';
import { ended, ending, failed, requestOf, run, textOf } from '../unit/model/wire-fixture.ts';
import { event, Rig } from '../unit/turn/rig.ts';
import { ask, bodyOf, call, calls, chunk, delta, done, finish, rst, says, stream, text } from './chat-fixture.ts';
import { CHOSEN, FailureRig } from './failure-rig.ts';

describe('a chat stream in a turn', () => {
  let failures: FailureRig;
  beforeEach(async () => {
    failures = await FailureRig.start();
    failures.rig.write('notes.txt', 'hello');
  });
  afterEach(() => failures.rig.close());

  const results = () => failures.session.rows().filter(({ kind }) => kind === 'tool_result');
  const requests = () => failures.rig.server.requests;
  const shown = () => failures.session.rows().filter(({ role }) => role === 'assistant');
  const words = () => JSON.stringify(shown().flatMap(({ parts }) => parts));
  const READ = '{"path":"notes.txt"}';

  const cutCalls: [string, string, Parameters<typeof stream>][] = [
    ['1', 'has a name and no arguments', [call(0, 'c1', 'write_file')]],
    ['2', 'has one byte of arguments', [call(0, 'c1', 'write_file', '{')]],
    ['3', 'stands beside one that is whole', [call(0, 'a', 'read_file', READ), call(1, 'b', 'write_file')]],
  ];
  for (const [number, what, steps] of cutCalls) {
    it(`${number}. runs nothing of an answer that ends in a call that ${what}, keeps nothing of it, and asks again`, async () => {
      const result = await failures.turn('Go', stream(...steps), says('Done.'));
      assert.equal(result.exitReason, 'answered');
      assert.equal(requests().length, 2);
      assert.deepEqual(results(), []);
      assert.doesNotMatch(words(), /tool_call/);
      assert.deepEqual(bodyOf(requests()[1]).messages, bodyOf(requests()[0]).messages);
    });
  }

  for (const [number, what, steps] of cutCalls) {
    it(`${number}. names the calls that were dropped when a call ${what}`, async () => {
      const { parts } = await ask(failures.rig.server, [stream(...steps)]);
      const error = failed(parts);
      assert.equal(error.kind, 'stream_cut');
      assert.equal(error.droppedCalls?.at(-1), 'write_file');
    });
  }

  it('4. runs a call without a byte of arguments once, with none, when the answer says that it is whole', async () => {
    const result = await failures.turn('Go', stream(call(0, 'c1', 'list_files'), finish('tool_calls')), says('Done.'));
    assert.equal(result.exitReason, 'answered');
    assert.equal(requests().length, 2);
    assert.equal(results().length, 1);
    assert.equal(bodyOf(requests()[1]).messages.at(-2)?.tool_calls?.[0]?.function.arguments, '{}');
  });

  for (const [maxAttempts, sent] of [
    [1, 1],
    [2, 2],
    [4, 2],
  ] as const) {
    it(`6. asks for an empty stream twice at most, and as often as it may be: ${maxAttempts}`, async () => {
      failures.rig.settings = { ...failures.rig.settings, maxAttempts };
      const result = await failures.turn('Go', stream(), stream(), says('never'));
      assert.equal(result.exitReason, 'model_error');
      assert.equal(requests().length, sent);
      assert.deepEqual(failures.waits, []);
      assert.match(result.error?.message ?? '', /before .* had said anything\. Your message is kept/);
      assert.doesNotMatch(result.error?.message ?? '', /What you saw/);
    });
  }

  for (const maxAttempts of [1, 2, 3, 4]) {
    it(`6. counts each connection that breaks as a request: ${maxAttempts} of them`, async () => {
      failures.rig.settings = { ...failures.rig.settings, maxAttempts };
      const lost: Script = { steps: [delta({ role: 'assistant' }), rst] };
      await failures.turn('Go', ...Array.from({ length: maxAttempts }, () => lost), says('too late'));
      assert.equal(requests().length, maxAttempts);
    });
  }

  it('7. opens it once for each attempt when it is not to be opened again', async () => {
    failures.rig.settings = { ...failures.rig.settings, maxAttempts: 2 };
    const wire = createOpenAiChatWire({ baseUrl: failures.rig.server.openAiBaseUrl, reopens: 0 });
    failures.routes.models = { [CHOSEN]: { wire } };
    const result = await failures.turn('Go', stream(), stream(), says('never'));
    assert.deepEqual([result.attempts, requests().length], [2, 2]);
  });

  it('8. shows the answer behind an empty stream once, and nothing of the empty one', async () => {
    const result = await failures.turn('Go', stream(), says('Hello.'));
    assert.deepEqual([result.exitReason, result.finalText, result.attempts], ['answered', 'Hello.', 1]);
    assert.equal(shown().length, 1);
    assert.deepEqual(
      failures.session.rows().filter(({ role }) => role === 'notice'),
      [],
    );
  });

  it('9. goes on from text that ends without a finish reason and without a count', async () => {
    const result = await failures.turn('Go', stream(text('The answer')), says(' is 42.'));
    assert.equal(result.finalText, 'The answer is 42.');
    const { messages } = bodyOf(requests()[1]);
    assert.equal(messages.at(-2)?.content, 'The answer');
    assert.equal(messages.at(-1)?.role, 'user');
  });

  it('11. never asks again for text that was shown when its connection breaks: it goes on from there', async () => {
    const server = failures.rig.server;
    server.script({ steps: [text('The answer'), { pause: 'shown' }, rst] }, says(' is 42.'));
    failures.session.send('Go');
    await event(failures.session, 'delta', (each) => each.part === 'text');
    (await server.request(0)).release('shown');
    const result = await failures.session.settled();
    assert.equal(result.finalText, 'The answer is 42.');
    assert.equal(requests().length, 2);
    assert.equal(bodyOf(requests()[1]).messages.at(-2)?.content, 'The answer');
  });

  it('12. asks the same again, with a mark for people, when a call was being written behind shown text', async () => {
    const server = failures.rig.server;
    server.script(
      { steps: [text('I read.'), call(0, 'c1', 'read_file', '{"pa'), { pause: 'shown' }, rst] },
      stream(text('Reading.'), call(0, 'c1', 'read_file', READ), finish('tool_calls')),
      says('It says hello.'),
    );
    failures.session.send('Go');
    await event(failures.session, 'delta', (each) => each.part === 'text');
    await (await server.request(0)).paused('shown');
    (await server.request(0)).release('shown');
    const result = await failures.session.settled();
    assert.equal(result.exitReason, 'answered');
    assert.equal(failures.notices('reconnecting').length, 1);
    assert.deepEqual(bodyOf(requests()[1]).messages, bodyOf(requests()[0]).messages);
    assert.equal(results().length, 1);
    assert.doesNotMatch(words(), /I read\./);
  });

  it('13. says which calls were dropped when the provider fails behind shown text, and goes on from the text', async () => {
    const begun = ['a', 'b', 'c', 'd'].map((name, index) => call(index, name, name, '{'));
    const error = { raw: 'data: {"error":{"message":"temperature must be positive","code":400}}\n\n' };
    const result = await failures.turn('Go', stream(text('I do.'), ...begun, error), says('Done.'));
    assert.equal(result.exitReason, 'answered');
    assert.deepEqual(failures.notices('reconnecting'), []);
    const [notice, ...more] = failures.notices('dropped_calls');
    assert.match(notice ?? '', /a, b, c and 1 more.*Nothing of it was run/);
    assert.deepEqual([more, results()], [[], []]);
  });

  it('29. closes the socket of a stopped turn and opens no other', async () => {
    const server = failures.rig.server;
    server.script({ steps: [text('Half'), { pause: true }] }, says('never'));
    failures.session.send('Go');
    await event(failures.session, 'delta', (each) => each.part === 'text');
    failures.session.stop();
    const result = await failures.session.settled();
    assert.equal(result.exitReason, 'interrupted_by_user');
    assert.equal((await (await server.request(0)).closed).by, 'client');
    assert.equal(requests().length, 1);
    assert.equal(server.waiting, 1);
  });
});

describe('a chat stream that another one took the place of', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
  });
  afterEach(() => rig.close());

  it('28. adds nothing any more: its late text is neither shown nor stored', async () => {
    let late: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      late = resolve;
    });
    let asked = 0;
    let lateWasRead: () => void = () => {};
    const read = new Promise<void>((resolve) => {
      lateWasRead = resolve;
    });
    /** One that does not hear that it was aborted. */
    const deaf: ModelWire = {
      async *stream() {
        asked += 1;
        const first = asked === 1;
        yield { type: 'head' };
        yield { type: 'text', text: first ? 'one' : 'two' };
        if (first) {
          await gate;
          lateWasRead();
          yield { type: 'text', text: 'late' };
        }
        yield { type: 'end', finish: 'stop', calls: [], thinking: [] };
      },
    };
    rig.model = { wire: deaf };
    const session = rig.agent.create();
    session.send('Go');
    await event(session, 'delta', (each) => each.text === 'one');
    session.redirect('Rather so');
    const result = await session.settled();
    late();
    await read;
    assert.equal(result.finalText, 'two');
    assert.doesNotMatch(JSON.stringify([session.rows(), session.events(0)]), /late/);
  });
});

describe('what the chat wire makes of a stream', () => {
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  it('13. asks nothing again behind shown text when the provider fails, and names the calls that it was writing', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const begun = names.map((name, index) => call(index, name, name, '{'));
    const error = { raw: 'data: {"error":{"message":"temperature must be positive","code":400}}\n\n' };
    const { parts, requests } = await ask(server, [stream(text('I do.'), ...begun, error)]);
    assert.deepEqual(failed(parts).droppedCalls, names);
    assert.equal(requests.length, 1);
  });

  it('14. opens a stream again that a proxy ends with a frame that tells of a lost connection', async () => {
    const lost = { raw: 'data: {"error":{"message":"Network connection lost."}}\n\n' };
    const { parts, requests } = await ask(server, [stream(lost), says('Hello.')]);
    assert.equal(textOf(parts), 'Hello.');
    assert.equal(requests.length, 2);
    assert.match(ended(parts).facts?.reopened?.[0] ?? '', /connection lost/);
    const hopeless = await ask(server, [stream(lost), stream(lost), stream(lost)]);
    assert.equal(failed(hopeless.parts).kind, 'stream_cut');
    assert.equal(hopeless.requests.length, 3);
  });

  it('16. reports the failure that stands in a chunk without choices, and no empty stream', async () => {
    const failure = chunk(undefined, { error_type: 'engine_overloaded', error_message: 'The engine is overloaded' });
    const { parts, requests } = await ask(server, [stream(failure)]);
    assert.equal(failed(parts).kind, 'overloaded');
    assert.equal(requests.length, 1);
  });

  it('16. takes a last chunk without a finish reason as the end where it says so', async () => {
    for (const lastOne of [true, 1, 'true']) {
      const { parts } = await ask(server, [stream(text('Hello.'), chunk(undefined, { lastOne }))]);
      assert.equal(ended(parts).finish, 'stop');
    }
  });

  it('17. keeps two calls apart that come under one index', async () => {
    const { parts } = await ask(server, [
      stream(
        call(0, 'a', 'read_file', '{"path":"1"}'),
        call(0, 'b', 'read_file', '{"path":"2"}'),
        finish('tool_calls'),
      ),
    ]);
    assert.deepEqual(
      ended(parts).calls.map(({ callId, input }) => [callId, input]),
      [
        ['a', { path: '1' }],
        ['b', { path: '2' }],
      ],
    );
  });

  it('18. takes the name of a call once, however often it is repeated, and also when it is empty later', async () => {
    const { parts } = await ask(server, [
      stream(
        call(0, 'a', 'read_file', '{"pa'),
        call(0, 'a', 'read_file', 'th":"'),
        call(0, 'a', '', 'x'),
        call(0, 'a', 'read_file', '"}'),
        finish('tool_calls'),
      ),
    ]);
    assert.deepEqual(ended(parts).calls, [{ callId: 'a', name: 'read_file', input: { path: 'x' } }]);
  });

  it('19. opens no new call for an empty id', async () => {
    const { parts } = await ask(server, [
      stream(call(0, 'a', 'read_file', '{"path"'), call(0, '', '', ':"x"}'), finish('tool_calls')),
    ]);
    assert.deepEqual(ended(parts).calls, [{ callId: 'a', name: 'read_file', input: { path: 'x' } }]);
  });

  const reasons = [
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['end', 'stop'],
    ['Content_Filter', 'content_filter'],
  ] as const;
  for (const [said, meant] of reasons) {
    it(`21. reads the finish reason ${said} as ${meant}`, async () => {
      assert.equal(ended((await ask(server, [stream(delta({ content: 'x' }, said))])).parts).finish, meant);
    });
  }

  it('21. reads the finish reason function_call as tool calls', async () => {
    const { parts } = await ask(server, [stream(call(0, 'a', 'read_file', '{}'), finish('function_call'))]);
    assert.equal(ended(parts).finish, 'tool_calls');
  });

  it('22. asks again at once without stream_options when they are refused, and never sends them again', async () => {
    const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl });
    const message =
      '[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]';
    server.script({ status: 422, body: { detail: message } });
    assert.equal(ended(await run(wire)).facts?.reopened, undefined);
    ended(await run(wire));
    assert.deepEqual(
      server.requests.map(({ body }) => 'stream_options' in (body as object)),
      [true, false, false],
    );
  });

  it('22. leaves stream_options alone when something else is refused beside them', async () => {
    server.script({ status: 400, body: { error: { message: 'stream_options: include_usage is required' } } });
    const { parts, requests } = await ask(server, []);
    assert.equal(failed(parts).kind, 'bad_request');
    assert.equal(requests.length, 1);
  });

  it('23. asks without a stream where it is not supported, reads the whole answer, and never asks for one again', async () => {
    const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl });
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"x"}' } }];
    const message = { role: 'assistant', content: 'I read.', reasoning_content: 'Hm.', tool_calls };
    const usage = { prompt_tokens: 7, completion_tokens: 3 };
    const whole = { id: 'chatcmpl-9', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage };
    server.script(
      { status: 400, body: { error: { message: 'Streaming is not supported for this model.' } } },
      { status: 200, body: whole },
      { status: 200, body: whole },
    );
    for (let time = 0; time < 2; time++) {
      const parts = await run(wire);
      const end = ended(parts);
      assert.deepEqual([textOf(parts), textOf(parts, 'reasoning')], ['I read.', 'Hm.']);
      assert.deepEqual(end.calls, [{ callId: 'a', name: 'read_file', input: { path: 'x' } }]);
      assert.deepEqual([end.finish, end.usage?.input, end.facts?.responseId], ['tool_calls', 7, 'chatcmpl-9']);
    }
    const asked = server.requests.map((request) => [bodyOf(request).stream, 'stream_options' in bodyOf(request)]);
    assert.deepEqual(asked, [
      [true, true],
      [false, false],
      [false, false],
    ]);
  });

  const usage = { prompt_tokens: 10, completion_tokens: 2 };
  const counts: [string, Parameters<typeof stream>][] = [
    ['behind the finish reason', [text('x'), finish('stop'), chunk(undefined, { usage }), done]],
    ['beside the finish reason', [text('x'), chunk({ delta: {}, finish_reason: 'stop' }, { usage }), done]],
    [
      'in every chunk',
      [
        chunk({ delta: { content: 'x' } }, { usage: { ...usage, completion_tokens: 1 } }),
        chunk({ delta: {}, finish_reason: 'stop' }, { usage }),
      ],
    ],
    ['under x_groq', [text('x'), chunk({ delta: {}, finish_reason: 'stop' }, { x_groq: { usage } }), done]],
  ];
  for (const [where, steps] of counts) {
    it(`24. reads the count of tokens ${where}`, async () => {
      const end = ended((await ask(server, [stream(...steps)])).parts);
      assert.deepEqual([end.usage?.input, end.usage?.output], [10, 2]);
    });
  }

  it('26. gives reasoning to its own channel only, and nothing of it to a strict server', async () => {
    const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl });
    server.script(
      stream(
        delta({ reasoning_content: 'Let me ' }),
        delta({ reasoning_content: 'see.' }),
        text('Yes.'),
        call(0, 'a', 'read_file', '{}'),
        finish('tool_calls'),
      ),
    );
    const parts = await run(wire);
    assert.deepEqual([textOf(parts), textOf(parts, 'reasoning')], ['Yes.', 'Let me see.']);
    const { thinking, calls: written } = ended(parts);
    await run(wire, requestOf(afterCalls(thinking, written)));
    const message = bodyOf(server.requests[1]).messages.at(-2);
    assert.equal(server.requests[1]?.invalid, undefined);
    assert.deepEqual(Object.keys(message ?? {}).sort(), ['content', 'role', 'tool_calls']);
  });

  for (const route of ['deepseek', 'kimi', 'xiaomi']) {
    it(`27. gives a call without reasoning one space of it on the way to ${route}, and its own where there was some`, async () => {
      const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, provider: route });
      server.script(stream(delta({ reasoning: 'Hm.' }), call(0, 'a', 'read_file', '{}'), finish('tool_calls')));
      const { thinking, calls: written } = ended(await run(wire));
      await run(wire, requestOf(afterCalls(thinking, written)));
      await run(wire, requestOf(afterCalls([], written)));
      const echoed = server.requests.slice(1).map((request) => {
        const { messages } = bodyOf(request);
        return messages.map(({ reasoning_content }) => reasoning_content);
      });
      assert.deepEqual(echoed, [
        [undefined, undefined, 'Hm.', undefined],
        [undefined, undefined, ' ', undefined],
      ]);
    });
  }

  it('gives text behind the first call to nobody', async () => {
    const { parts } = await ask(server, [
      stream(text('I read.'), call(0, 'a', 'read_file', '{}'), text('noise'), finish('tool_calls')),
    ]);
    assert.equal(textOf(parts), 'I read.');
  });

  it('raises the failure that a gateway sends as the text of the answer', async () => {
    const hidden = 'event: error\ndata: {"error":{"message":"Rate limit reached","code":"429"}}\n\n';
    const { parts } = await ask(server, [stream(text(hidden.slice(0, 3)), text(hidden.slice(3)), finish('error'))]);
    assert.equal(failed(parts).kind, 'rate_limit');
    assert.equal(textOf(parts), '');
  });

  it('shows text that only began like a failure once the answer has ended well', async () => {
    const { parts } = await ask(server, [stream(text('data: 1, 2'), text(', 3'), finish('stop'))]);
    assert.equal(textOf(parts), 'data: 1, 2, 3');
  });

  it('sets headings of reasoning apart that came glued together', async () => {
    const { parts } = await ask(server, [
      stream(delta({ reasoning: '**One**' }), delta({ reasoning: '**Two** x' }), text('Done.'), finish('stop')),
    ]);
    assert.equal(textOf(parts, 'reasoning'), '**One**\n\n**Two** x');
  });

  it('sends the details of reasoning back to the server that gave them, and to no other', async () => {
    const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl });
    const detail = (fields: object) => delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...fields }] });
    server.script(
      stream(
        detail({ text: 'Let me ' }),
        detail({ text: 'see.', signature: 'sig' }),
        call(0, 'a', 'read_file', '{}'),
        finish('tool_calls'),
      ),
    );
    const { thinking, calls: written } = ended(await run(wire));
    await run(wire, requestOf(afterCalls(thinking, written)));
    assert.deepEqual(bodyOf(server.requests[1]).messages.at(-2)?.reasoning_details, [
      { type: 'reasoning.text', index: 0, text: 'Let me see.', signature: 'sig' },
    ]);
    const other = await ModelServer.start();
    await run(createOpenAiChatWire({ baseUrl: other.openAiBaseUrl }), requestOf(afterCalls(thinking, written)));
    assert.equal('reasoning_details' in (bodyOf(other.requests[0]).messages.at(-2) ?? {}), false);
    await other.close();
  });

  it('sends what came with a call back to a Gemini model only', async () => {
    const extra_content = { google: { thought_signature: 'sig' } };
    const { parts } = await ask(
      server,
      [
        stream(
          calls({ index: 0, id: 'a', extra_content, function: { name: 'read_file', arguments: '{}' } }),
          finish('tool_calls'),
        ),
      ],
      {},
      undefined,
      'gemini-3-pro',
    );
    const { thinking, calls: written } = ended(parts);
    const history = afterCalls(thinking, written);
    server.settings.strict = false;
    const gemini = await ask(server, [], {}, history, 'google/gemini-3-pro');
    const strict = await ask(server, [], {}, history, 'other-model');
    const sent = [gemini, strict].map(({ requests }) => bodyOf(requests[0]).messages.at(-2)?.tool_calls?.[0]);
    assert.deepEqual(
      sent.map((each) => each !== undefined && 'extra_content' in each),
      [true, false],
    );
  });

  it('asks for an effort in the field that the server has for it', async () => {
    const fieldsOf = async (ways: Quirks, effort: 'none' | 'high') => {
      const wire = createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, ways });
      await run(wire, { ...requestOf(), effort });
      const { reasoning_effort, reasoning, thinking, extra_body } = bodyOf(server.requests.at(-1));
      return reasoning_effort ?? reasoning ?? thinking ?? extra_body;
    };
    assert.equal(await fieldsOf({ effortAs: 'reasoning_effort' }, 'high'), 'high');
    assert.deepEqual(await fieldsOf({ effortAs: 'reasoning_object' }, 'high'), { enabled: true, effort: 'high' });
    assert.deepEqual(await fieldsOf({ effortAs: 'reasoning_object' }, 'none'), { enabled: false });
    assert.deepEqual(await fieldsOf({ effortAs: 'thinking_toggle' }, 'none'), { type: 'disabled' });
    assert.deepEqual(await fieldsOf({ effortAs: 'google_thinking', geminiThinking: 'budget' }, 'high'), {
      google: { thinking_config: { thinking_budget: 24_576, include_thoughts: true } },
    });
    assert.equal(await fieldsOf({}, 'high'), undefined);
  });

  it('writes the system prompt, the limit and the tools as the server wants them', async () => {
    const inputSchema = { type: 'object', properties: { path: { type: 'string', pattern: '^/' } } };
    const ways = {
      systemRole: 'developer',
      outputField: 'max_completion_tokens',
      refusedSchemaKeywords: ['pattern'],
      extraBody: { provider: { order: ['a'] } },
      noStreamOptions: true,
    } as const;
    const tools = [{ name: 'read_file', description: 'Reads.', inputSchema }];
    await run(createOpenAiChatWire({ baseUrl: server.openAiBaseUrl, ways }), { ...requestOf(), maxOutput: 9, tools });
    const body = bodyOf(server.requests.at(-1));
    assert.equal(body.messages[0]?.role, 'developer');
    assert.deepEqual([body.max_completion_tokens, body.max_tokens, body.stream_options], [9, undefined, undefined]);
    assert.deepEqual(body.provider, { order: ['a'] });
    assert.doesNotMatch(JSON.stringify(body.tools), /pattern/);
    assert.equal(server.requests.at(-1)?.invalid, undefined);
  });

  it('gives an aborted request no ending but that', async () => {
    server.script({ steps: [text('x'), { pause: true }] });
    const stop = new AbortController();
    const parts = [];
    for await (const part of createOpenAiChatWire({ baseUrl: server.openAiBaseUrl }).stream(requestOf(), stop.signal)) {
      parts.push(part);
      if (part.type === 'text') stop.abort();
    }
    assert.equal(ending(parts).type, 'aborted');
  });
});

function afterCalls(
  thinking: Extract<ModelMessage, { role: 'assistant' }>['thinking'] = [],
  written: Extract<ModelMessage, { role: 'assistant' }>['calls'],
): ModelMessage[] {
  return [
    { role: 'user', text: 'Go' },
    { role: 'assistant', text: '', thinking, calls: written },
    ...written.map(({ callId, name }) => ({ role: 'tool' as const, callId, name, text: 'ok', isError: false })),
  ];
}
