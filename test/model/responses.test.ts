/** The Responses wire: ids, sealed reasoning, events that disagree, finishes (facts 1.4, 8G). */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ModelMessage, SignedThinking } from '../../src/agent/model/types.ts';
import { ModelServer, type Script, validateResponses } from '../model-server/index.ts';
import { ended, failed, readFile, run, textOf } from '../unit/model/wire-fixture.ts';
import { Rig } from '../unit/turn/rig.ts';
import {
  added,
  asked,
  bodyOf,
  CODEX,
  COMPLETED,
  COPILOT,
  done,
  type Event,
  FOUNDRY,
  kindsOf,
  OPENAI,
  requestFor,
  result,
  saying,
  user,
  wireTo,
  XAI,
} from './responses-fixture.ts';

describe('the Responses wire', function () {
  this.timeout(20_000);
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  /** Sends a history to an address and gives the request as it arrived, which has to be legal. */
  async function sent(baseUrl: string, history: readonly ModelMessage[], model = 'gpt-5.5') {
    server.script({ steps: [{ text: 'Done.' }] });
    ended(await run(wireTo(server, baseUrl), requestFor(model, history)));
    const request = await server.nextRequest();
    assert.equal(request.invalid, undefined);
    return request;
  }

  /** What an address seals of an answer with a thought and calls. */
  async function thoughts(baseUrl: string): Promise<readonly SignedThinking[]> {
    server.script({
      steps: [{ reasoning: 'Hm.' }, { call: { id: 'call_1', name: 'read_file', input: { path: 'a' } } }],
    });
    const end = ended(await run(wireTo(server, baseUrl), requestFor('gpt-5.5', [user('Begin')])));
    await server.nextRequest();
    assert.equal(end.thinking.length, 1);
    return end.thinking;
  }

  const answered = (script: Script, baseUrl = OPENAI) => {
    server.script(script);
    return run(wireTo(server, baseUrl), requestFor('gpt-5.5', [user('Begin')]));
  };

  it('76. sends Azure Foundry no sealed reasoning right behind results, but the call and its result', async () => {
    const thinking = await thoughts(FOUNDRY);
    const request = await sent(FOUNDRY, [user('Begin'), asked(['call_1'], thinking), result('call_1')]);
    assert.deepEqual(kindsOf(request), ['user', 'function_call', 'function_call_output']);
    const elsewhere = await sent(OPENAI, [user('Begin'), asked(['call_1'], await thoughts(OPENAI)), result('call_1')]);
    assert.deepEqual(kindsOf(elsewhere), ['user', 'reasoning', 'function_call', 'function_call_output']);
  });

  it('76. knows Azure Foundry by its host or by the id of the provider, and by no address that only looks like it', async () => {
    const lookAlike = 'https://proxy.test/services.ai.azure.com/v1';
    const history = [user('Begin'), asked(['call_1'], await thoughts(lookAlike)), result('call_1')];
    assert.ok(kindsOf(await sent(lookAlike, history)).includes('reasoning'));
    server.script({ steps: [{ text: 'Done.' }] });
    ended(await run(wireTo(server, lookAlike, { provider: 'azure-foundry' }), requestFor('gpt-5.5', history)));
    assert.ok(!kindsOf(await server.nextRequest()).includes('reasoning'));
  });

  it('77. sends the sealed reasoning again with the next turn of the user', async () => {
    const thinking = await thoughts(FOUNDRY);
    const history = [
      user('Begin'),
      asked(['call_1'], thinking),
      result('call_1'),
      asked([], [], 'Done.'),
      user('Next'),
    ];
    assert.deepEqual(kindsOf(await sent(FOUNDRY, history)), [
      'user',
      'reasoning',
      'function_call',
      'function_call_output',
      'assistant',
      'user',
    ]);
  });

  it('78. leaves sealed reasoning out behind two results of parallel calls', async () => {
    const thinking = await thoughts(FOUNDRY);
    const history = [user('Begin'), asked(['call_1', 'call_2'], thinking), result('call_1'), result('call_2')];
    assert.ok(!kindsOf(await sent(FOUNDRY, history)).includes('reasoning'));
  });

  it('78. keeps sealed reasoning where the last result answers no call', async () => {
    const thinking = await thoughts(FOUNDRY);
    const history = [user('Begin'), asked([], thinking, 'Said.'), result('call_9')];
    assert.deepEqual(kindsOf(await sent(FOUNDRY, history)), ['user', 'reasoning', 'assistant']);
  });

  const forms: [string, string, string][] = [
    ['both halves on both sides', 'call_x|fc_y', 'call_x|fc_y'],
    ['both halves in the call, that of the call in the result', 'call_x|fc_y', 'call_x'],
    ['both halves in the call, that of the item in the result', 'call_x|fc_y', 'fc_y'],
    ['the item alone in the call, both halves in the result', 'fc_y', 'call_x|fc_y'],
    ['the item alone on both sides', 'fc_y', 'fc_y'],
    ['the item alone in the call, the call made of it in the result', 'fc_y', 'call_y'],
    ['the call alone in the call, both halves in the result', 'call_x', 'call_x|fc_y'],
  ];
  for (const [what, call, answer] of forms) {
    it(`79. pairs a call with its result by ${what}`, async () => {
      const { input } = bodyOf(await sent(OPENAI, [user('Begin'), asked([call]), result(answer), user('Next')]));
      const [, sentCall, output] = input;
      assert.equal(sentCall?.type, 'function_call');
      assert.equal(output?.type, 'function_call_output');
      assert.equal(sentCall.call_id, output.call_id);
      assert.doesNotMatch(sentCall.call_id ?? '', /\||^fc_/);
    });
  }

  it('79. also knows the trailing results of Azure Foundry by the id of the item', async () => {
    const thinking = await thoughts(FOUNDRY);
    const history = [user('Begin'), asked(['call_x|fc_y'], thinking), result('fc_y')];
    assert.ok(!kindsOf(await sent(FOUNDRY, history)).includes('reasoning'));
  });

  it('81. asks once more without sealed reasoning that could not be verified, and never sends it again', async () => {
    const thinking = await thoughts(OPENAI);
    const broken = thinking.map((one) => ({ ...one, signature: one.signature.replace('gAAAA', 'broken') }));
    const history = [user('Begin'), asked(['call_1'], broken), result('call_1')];
    const wire = wireTo(server, OPENAI);
    server.script({ steps: [{ text: 'Done.' }] });
    ended(await run(wire, requestFor('gpt-5.5', history)));
    const [refused, mended] = [await server.nextRequest(), await server.nextRequest()];
    assert.match(refused.invalid ?? '', /invalid_encrypted_content/);
    assert.deepEqual(kindsOf(mended), ['user', 'function_call', 'function_call_output']);
    const later = [...history, asked([], thinking, 'Done.'), user('Next')];
    ended(await run(wire, requestFor('gpt-5.5', later)));
    assert.ok(!kindsOf(await server.nextRequest()).includes('reasoning'));
    assert.equal(server.requests.length, 4, 'the first, the refused, the mended, the later');
  });

  it('81. does not ask a third time when the refusal stays', async () => {
    const refusal: Script = {
      status: 400,
      body: { error: { code: 'invalid_encrypted_content', message: 'The encrypted content could not be verified.' } },
    };
    server.script(refusal, refusal, refusal);
    const error = failed(await run(wireTo(server, OPENAI), requestFor('gpt-5.5', [user('Begin')])));
    assert.equal(error.status, 400);
    assert.equal(server.requests.length, 2);
  });

  it('81. still sends the sealed reasoning of other sessions', async () => {
    const thinking = await thoughts(OPENAI);
    const wire = wireTo(server, OPENAI);
    server.script({ status: 400, body: { error: { code: 'invalid_encrypted_content', message: 'No.' } } });
    const history = [user('Begin'), asked([], thinking, 'Said.'), user('Next')];
    ended(await run(wire, requestFor('gpt-5.5', history)));
    ended(await run(wire, requestFor('gpt-5.5', history, { cacheKey: 'session-2' })));
    const [, mended, other] = server.requests.slice(1);
    assert.ok(mended && !kindsOf(mended).includes('reasoning'));
    assert.ok(other && kindsOf(other).includes('reasoning'));
  });

  it('82. sends nobody the reasoning that another has sealed', async () => {
    const history = [user('Begin'), asked(['call_1'], await thoughts(XAI)), result('call_1')];
    assert.ok(!kindsOf(await sent(CODEX, history)).includes('reasoning'));
    assert.ok(kindsOf(await sent(XAI, history)).includes('reasoning'));
  });

  /** An answer whose message has this id, and what goes back of it. */
  async function messageBack(id: string, baseUrl: string) {
    const message = { type: 'message', id, status: 'completed', role: 'assistant', phase: 'final_answer' };
    const item = { ...message, content: [{ type: 'output_text', text: 'Said.', annotations: [] }] };
    const parts = await answered(saying(done(0, item), COMPLETED), baseUrl);
    await server.nextRequest();
    const history = [user('Begin'), asked([], ended(parts).thinking, textOf(parts)), user('Next')];
    return bodyOf(await sent(baseUrl, history)).input[1];
  }

  it('83. sends the id, the status and the phase of a message back, and its text as it was', async () => {
    assert.deepEqual(await messageBack('msg_1', OPENAI), {
      type: 'message',
      role: 'assistant',
      id: 'msg_1',
      status: 'completed',
      phase: 'final_answer',
      content: [{ type: 'output_text', text: 'Said.' }],
    });
  });

  it('83. leaves out the id of a message that is longer than 64 characters, and each at Copilot', async () => {
    const long = await messageBack(`msg_${'x'.repeat(76)}`, OPENAI);
    assert.deepEqual([long?.id, long?.phase], [undefined, 'final_answer']);
    assert.equal((await messageBack('msg_1', COPILOT))?.id, undefined);
  });

  it('84. sends one short id for a call and its result when the id has 90 characters', async () => {
    const id = `call_${'x'.repeat(85)}`;
    const { input } = bodyOf(await sent(OPENAI, [user('Begin'), asked([id]), result(id)]));
    const digest = createHash('sha256').update(id).digest('hex').slice(0, 32);
    assert.deepEqual([input[1]?.call_id, input[2]?.call_id], [`call_${digest}`, `call_${digest}`]);
  });

  const announced = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read_file', arguments: '' };
  const delta = (text: string, more: object = { item_id: 'fc_1', output_index: 0 }): Event => [
    'response.function_call_arguments.delta',
    { ...more, delta: text },
  ];

  it('86. settles a call that was announced and never confirmed once the response has completed', async () => {
    const bare = ended(await answered(saying(added(0, announced), COMPLETED)));
    assert.deepEqual(bare.calls, [{ callId: 'call_1', name: 'read_file', input: {} }]);
    const filled = ended(await answered(saying(added(0, announced), delta('{"path":'), delta('"a"}'), COMPLETED)));
    assert.deepEqual(filled.calls[0]?.input, { path: 'a' });
  });

  it('86. runs no call of a body that ends without the closing event', async () => {
    const error = failed(await answered(saying(added(0, announced), delta('{"path":"a"}'))));
    assert.equal(error.kind, 'stream_cut');
    assert.deepEqual(error.droppedCalls, ['read_file']);
    assert.equal(failed(await answered(saying(done(0, { ...announced, arguments: '{}' })))).kind, 'stream_cut');
  });

  for (const output of [null, [], 'text']) {
    it(`87. takes the items that were done where the closing event has ${JSON.stringify(output)} for its output`, async () => {
      const closing: Event = ['response.completed', { response: { id: 'r', status: 'completed', output } }];
      const calls = ['a', 'b'].map((id, index) =>
        done(index, { ...announced, id: `fc_${id}`, call_id: `call_${id}`, arguments: `{"path":"${id}"}` }),
      );
      const end = ended(await answered(saying(...calls, closing)));
      assert.deepEqual(
        end.calls.map(({ callId, input }) => [callId, input]),
        [
          ['call_a', { path: 'a' }],
          ['call_b', { path: 'b' }],
        ],
      );
    });
  }

  it('88. takes arguments that come in no delta as the closing event of the call has them', async () => {
    const whole: Event = [
      'response.function_call_arguments.done',
      { item_id: 'fc_1', output_index: 0, arguments: '{"path":"src/a.ts"}' },
    ];
    const end = ended(await answered(saying(added(0, announced), whole, COMPLETED)));
    assert.deepEqual(end.calls[0]?.input, { path: 'src/a.ts' });
  });

  it('88. believes a closing event over the deltas, also where it says nothing, and the item over both', async () => {
    const whole = (text: string): Event => [
      'response.function_call_arguments.done',
      { item_id: 'fc_1', output_index: 0, arguments: text },
    ];
    const begun = [added(0, announced), delta('{"path":"old"}')];
    assert.deepEqual(ended(await answered(saying(...begun, whole(''), COMPLETED))).calls[0]?.input, {});
    const item = done(0, { ...announced, arguments: '{"path":"new"}' });
    const end = ended(await answered(saying(...begun, whole('{"path":"middle"}'), item, COMPLETED)));
    assert.deepEqual(end.calls[0]?.input, { path: 'new' });
  });

  const summary = (text: string, summary_index?: number): Event => [
    'response.reasoning_summary_text.delta',
    { item_id: 'rs_1', output_index: 0, ...(summary_index !== undefined && { summary_index }), delta: text },
  ];
  const reasoningOf = async (...events: Event[]) => textOf(await answered(saying(...events, COMPLETED)), 'reasoning');

  it('89. puts one blank line before the second part of a summary', async () => {
    const parts = [summary('**One**', 0), summary(' a', 0), summary('**Two**', 1), summary(' b', 1)];
    assert.equal(await reasoningOf(...parts), '**One** a\n\n**Two** b');
  });

  it('89. leaves reasoning of one part and reasoning without an index as it comes', async () => {
    assert.equal(await reasoningOf(summary('a', 0), summary('b', 0)), 'ab');
    assert.equal(await reasoningOf(summary('a'), summary('b')), 'ab');
    const plain = (text: string): Event => ['response.reasoning_text.delta', { item_id: 'rs_1', delta: text }];
    assert.equal(await reasoningOf(plain('a'), plain('b')), 'ab');
  });

  const onlyReasoning: Script = { steps: [{ reasoning: 'Let me see.' }] };

  it('91. can go on from reasoning alone with the Codex backend, xAI and Copilot, and ends elsewhere', async () => {
    for (const baseUrl of [CODEX, XAI, COPILOT])
      assert.equal(ended(await answered(onlyReasoning, baseUrl)).finish, 'incomplete', baseUrl);
    assert.equal(ended(await answered(onlyReasoning, OPENAI)).finish, 'stop');
  });

  it('92. ends with a filtered answer as one, and can go on where the output limit was reached', async () => {
    const filtered = ended(await answered({ steps: [{ text: 'half' }, { finish: 'content_filter' }] }));
    assert.deepEqual([filtered.finish, filtered.calls, filtered.thinking], ['content_filter', [], []]);
    const cut = ended(await answered({ steps: [{ text: 'half' }, { call: { name: 'todo' } }, { finish: 'length' }] }));
    assert.deepEqual([cut.finish, cut.calls], ['incomplete', []]);
  });

  for (const [where, fields] of [
    ['at the top', { code: 'insufficient_quota', message: 'You exceeded your current quota.', param: null }],
    ['nested', { error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'No credit is left.' } }],
  ] as const) {
    it(`93. takes an error event whose code stands ${where} for lack of credit`, async () => {
      const error = failed(await answered(saying(['error', fields])));
      assert.equal(error.kind, 'billing');
      assert.equal(error.retryable, false);
    });
  }

  it('94. sends nothing of tools where there are none', async () => {
    server.script({ steps: [{ text: 'Done.' }] });
    ended(await run(wireTo(server, OPENAI), requestFor('gpt-5.5', [user('Begin')], { tools: [] })));
    const body = bodyOf(await server.nextRequest());
    assert.deepEqual([body.tools, body.tool_choice, body.parallel_tool_calls], [undefined, undefined, undefined]);
    const { tools, tool_choice, parallel_tool_calls } = bodyOf(await sent(OPENAI, [user('Begin')]));
    assert.equal(tool_choice, 'auto');
    assert.equal(parallel_tool_calls, true);
    assert.deepEqual(tools, [
      {
        type: 'function',
        name: 'read_file',
        description: 'Reads a file.',
        strict: false,
        parameters: readFile.inputSchema,
      },
    ]);
  });

  it('96. sends a tool that OpenCode has a name of its own for under another, and takes its call back', async () => {
    const tools = [readFile, { ...readFile, name: 'web_search' }];
    const wire = wireTo(server, 'https://opencode.ai/zen/v1');
    server.script((request) => {
      const { tools: sentTools = [] } = bodyOf(request);
      return { steps: [{ call: { id: 'call_1', name: sentTools[1]?.name ?? '', input: { path: 'a' } } }] };
    });
    const parts = await run(wire, requestFor('gpt-5.5', [user('Begin')], { tools }));
    const names = (bodyOf(await server.nextRequest()).tools ?? []).map(({ name }) => name);
    assert.equal(names[0], 'read_file');
    assert.ok(names[1] !== 'web_search');
    const { calls } = ended(parts);
    assert.equal(calls[0]?.name, 'web_search');
    assert.ok(parts.every((part) => part.type !== 'call_progress' || part.name === 'web_search'));
    const history: ModelMessage[] = [user('Begin'), { role: 'assistant', text: '', calls }, result('call_1')];
    server.script({ steps: [{ text: 'Done.' }] });
    ended(await run(wire, requestFor('gpt-5.5', history, { tools })));
    assert.equal(bodyOf(await server.nextRequest()).input[1]?.name, names[1], 'also in the history');
  });

  it('96. takes a name for what it is where no tool was sent under it', async () => {
    const steps = [{ call: { id: 'call_1', name: 'midcourse_web_search' } }];
    assert.equal(ended(await answered({ steps }, 'https://opencode.ai/zen/v1')).calls[0]?.name, 'midcourse_web_search');
  });
});

describe('a turn on the Responses wire', function () {
  this.timeout(20_000);
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start('openai-responses');
  });
  afterEach(() => rig.close());

  async function turn(text: string, ...scripts: Script[]) {
    const session = rig.agent.live()[0] ?? rig.agent.create();
    rig.server.script(...scripts);
    const { turnId } = session.send(text);
    return await session.settled(turnId);
  }

  const thinks: Script = { steps: [{ reasoning: 'Let me see.' }] };

  it('91. goes on from reasoning alone three times with the Codex backend, then ends with what there is', async () => {
    rig.model = { wire: wireTo(rig.server, CODEX) };
    const ends = await turn('Think', thinks, thinks, thinks, thinks);
    assert.equal(rig.server.requests.length, 4);
    assert.equal(ends.exitReason, 'model_error');
    for (const request of rig.server.requests) assert.equal(validateResponses(request.body), undefined);
  });

  it('91. answers when one of the continuations does', async () => {
    rig.model = { wire: wireTo(rig.server, CODEX) };
    const ends = await turn('Think', thinks, thinks, { steps: [{ text: 'It is 4.' }] });
    assert.deepEqual([ends.exitReason, ends.finalText], ['answered', 'It is 4.']);
    const [first, second, third] = rig.server.requests.map((request) => request.bytes.toString('utf8').slice(0, -2));
    assert.ok(second?.startsWith(first ?? '?') && third?.startsWith(second ?? '?'), 'each request begins as the last');
  });

  it('92. asks no second time for an answer that was filtered', async () => {
    const ends = await turn('Begin', { steps: [{ finish: 'content_filter' }] });
    assert.equal(ends.error?.kind, 'content_policy');
    assert.equal(rig.server.requests.length, 1);
  });

  it('92. goes on where the output limit was reached', async () => {
    const ends = await turn('Count', { steps: [{ text: 'one ' }, { finish: 'length' }] }, { steps: [{ text: 'two' }] });
    assert.equal(ends.finalText, 'one two');
    assert.equal(rig.server.requests.length, 2);
  });

  it('93. does not ask again without credit', async () => {
    const ends = await turn('Begin', { steps: [{ error: { type: 'insufficient_quota', message: 'No credit' } }] });
    assert.equal(ends.error?.kind, 'billing');
    assert.equal(rig.server.requests.length, 1);
  });
});
