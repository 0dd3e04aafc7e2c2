/** The server's own compaction on the Responses wire: when it is asked for, and what goes back of it (facts 5.5, 8H). */

import assert from 'node:assert/strict';
import { messageTokens } from '../../src/agent/context/index.ts';
import { createAnthropicWire, createOpenAiChatWire, type ResponsesOptions } from '../../src/agent/model/index.ts';
import type { ModelMessage, ModelRequest, SignedThinking } from '../../src/agent/model/types.ts';
import { ModelServer, type Script } from '../model-server/index.ts';
import { ended, failed, run, textOf } from '../unit/model/wire-fixture.ts';
import { Rig } from '../unit/turn/rig.ts';
import {
  asked,
  bodyOf,
  CODEX,
  COMPLETED,
  COPILOT,
  done,
  type Item,
  kindsOf,
  OPENAI,
  requestFor,
  result,
  saying,
  user,
  wireTo,
  XAI,
} from './responses-fixture.ts';

const ON = { nativeCompaction: { enabled: true } };
const MODEL = 'gpt-5.6';

const thought = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: `gAAAA-${id}` });
const checkpoint = (id: string) => ({ type: 'compaction', id, encrypted_content: `gAAAA-${id}` });
const spoken = (text: string, phase?: string) => ({
  type: 'message',
  id: `msg_${text.length}`,
  role: 'assistant',
  status: 'completed',
  ...(phase !== undefined && { phase }),
  content: [{ type: 'output_text', text, annotations: [] }],
});

describe('native compaction', function () {
  this.timeout(20_000);
  let server: ModelServer;
  before(async () => {
    server = await ModelServer.start();
  });
  afterEach(() => server.reset());
  after(() => server.close());

  /** The request of a history, which has to be legal. */
  async function sent(
    history: readonly ModelMessage[],
    options: ResponsesOptions = ON,
    more: Partial<ModelRequest> = {},
  ) {
    const { baseUrl = OPENAI } = options;
    server.script({ steps: [{ text: 'Done.' }] });
    ended(await run(wireTo(server, baseUrl, options), requestFor(MODEL, history, more)));
    const request = await server.nextRequest();
    assert.equal(request.invalid, undefined);
    return request;
  }

  /** What OpenAI leaves behind of an answer of these items. */
  async function sealed(...items: readonly object[]): Promise<readonly SignedThinking[]> {
    server.script(saying(...items.map((item, index) => done(index, item)), COMPLETED));
    const end = ended(await run(wireTo(server, OPENAI), requestFor(MODEL, [user('Begin')])));
    await server.nextRequest();
    return end.thinking;
  }

  const managed = async (options: ResponsesOptions, more: Partial<ModelRequest> = {}) =>
    bodyOf(await sent([user('Begin')], options, more)).context_management;
  const compactsAt = (tokens: number) => [{ type: 'compaction', compact_threshold: tokens }];

  it('97. asks for it at 200,000 tokens, or where it is set, but before we compact ourselves', async () => {
    assert.deepEqual(await managed(ON), compactsAt(200_000));
    assert.deepEqual(await managed(ON, { compactAt: 100_000 }), compactsAt(91_808));
    const set = { nativeCompaction: { enabled: true, threshold: 50_000 } };
    assert.deepEqual(await managed(set, { compactAt: 100_000 }), compactsAt(50_000));
    assert.deepEqual(await managed(ON, { compactAt: 9_000 }), compactsAt(1_024));
  });

  it('97. asks the Codex backend for it too', async () => {
    assert.deepEqual(await managed({ ...ON, baseUrl: CODEX }), compactsAt(200_000));
  });

  it('98. does not ask for it with older models, nor with any other server', async () => {
    assert.equal(await managed(ON, { model: 'gpt-5.1' }), undefined);
    const others = [
      'https://openrouter.ai/api/v1',
      XAI,
      COPILOT,
      'http://localhost:1234/v1',
      'https://eu.api.openai.com/v1',
    ];
    for (const baseUrl of [...others, 'https://proxy.test/api.openai.com/v1'])
      assert.equal(await managed({ ...ON, baseUrl }), undefined, baseUrl);
  });

  it('99. takes the words false and off for what they mean', async () => {
    for (const enabled of ['false', 'off', 'False', ' OFF ', '0', 'no', '', false])
      assert.equal(await managed({ nativeCompaction: { enabled } }), undefined, String(enabled));
    for (const enabled of ['true', 'on', true])
      assert.deepEqual(await managed({ nativeCompaction: { enabled } }), compactsAt(200_000));
    assert.equal(await managed({}), undefined);
  });

  it('100. sends the newest checkpoint first, then what the user said before it, then what came behind it', async () => {
    const old = await sealed(checkpoint('cmp_1'), thought('rs_1'), spoken('One.'));
    const newest = await sealed(thought('rs_2'), checkpoint('cmp_2'), checkpoint('cmp_3'), thought('rs_3'));
    const history = [
      user('First'),
      asked([], old, 'One.'),
      user('Second'),
      asked(['call_0']),
      result('call_0', 'old result'),
      asked(['call_1'], newest),
      result('call_1', 'new result'),
      user('Third'),
    ];
    const request = await sent(history);
    const { input } = bodyOf(request);
    assert.deepEqual(kindsOf(request), [
      'compaction',
      'compaction',
      'user',
      'user',
      'reasoning',
      'function_call',
      'function_call_output',
      'user',
    ]);
    assert.deepEqual(
      input.map(({ encrypted_content, content }) => encrypted_content ?? content),
      ['gAAAA-cmp_2', 'gAAAA-cmp_3', 'First', 'Second', 'gAAAA-rs_3', undefined, undefined, 'Third'],
    );
  });

  it('100. keeps the bytes of a request behind a checkpoint as the beginning of the next', async () => {
    const history: ModelMessage[] = [
      user('First'),
      asked(['call_1'], await sealed(checkpoint('cmp_1'), thought('rs_1'))),
      result('call_1'),
      asked([], [], 'One.'),
      user('Second'),
    ];
    const wire = wireTo(server, OPENAI, ON);
    const bodies: string[] = [];
    for (const length of [3, 5]) {
      ended(await run(wire, requestFor(MODEL, history.slice(0, length))));
      bodies.push((await server.nextRequest()).bytes.toString('utf8').slice(0, -2));
    }
    assert.ok(bodies[1]?.startsWith(bodies[0] ?? '?'));
  });

  it('100. sends a checkpoint to nobody but who has sealed it', async () => {
    const history = [user('First'), asked([], await sealed(checkpoint('cmp_1')), 'One.'), user('Second')];
    assert.deepEqual(kindsOf(await sent(history, { baseUrl: CODEX })), ['user', 'assistant', 'user']);
  });

  /** Characters of 64,000 tokens. */
  const KEPT = 256_000;
  const wordsOf = (items: readonly Item[]) => items.flatMap(({ role, content }) => (role === 'user' ? [content] : []));

  it('101. shortens the oldest words that do not fit into 64,000 tokens, and leaves out all before them', async () => {
    const history = [
      user('The very first'),
      user('a'.repeat(100_000)),
      user('b'.repeat(200_000)),
      asked([], await sealed(checkpoint('cmp_1')), 'One.'),
      user('Next'),
    ];
    const words = wordsOf(bodyOf(await sent(history)).input);
    assert.deepEqual(words, ['a'.repeat(KEPT - 200_000), 'b'.repeat(200_000), 'Next']);
  });

  it('101. leaves a message with images out as a whole when it does not fit', async () => {
    const history: ModelMessage[] = [
      user('The very first'),
      { role: 'user', text: 'a'.repeat(100_000), images: [{ mime: 'image/png', base64: 'AAAA' }] },
      user('b'.repeat(200_000)),
      asked([], await sealed(checkpoint('cmp_1')), 'One.'),
      user('Next'),
    ];
    assert.deepEqual(wordsOf(bodyOf(await sent(history)).input), ['b'.repeat(200_000), 'Next']);
  });

  it('102. sends the same bytes as without it while there is no checkpoint', async () => {
    const thinking = await sealed(thought('rs_1'), spoken('One.'));
    const history = [user('First'), asked([], thinking, 'One.'), user('Second'), asked(['call_1']), result('call_1')];
    const [on, off] = [await sent(history), await sent(history, {})];
    const field = /,"context_management":\[[^\]]*\]/;
    assert.match(on.bytes.toString('utf8'), field);
    assert.equal(on.bytes.toString('utf8').replace(field, ''), off.bytes.toString('utf8'));
  });

  const refusal = (status: number, message: string): Script => ({
    status,
    body: { error: { type: 'invalid_request_error', message } },
  });
  const fieldsOf = () => server.requests.map((request) => bodyOf(request).context_management !== undefined);

  for (const message of [
    "Unknown parameter: 'context_management'.",
    'compact_threshold is not supported by this model',
  ]) {
    it(`103. asks once more without it when it is refused, and no more in this session: ${message}`, async () => {
      const wire = wireTo(server, OPENAI, ON);
      server.script(refusal(400, message), { steps: [{ text: 'Done.' }] });
      assert.equal(textOf(await run(wire, requestFor(MODEL, [user('Begin')]))), 'Done.');
      ended(await run(wire, requestFor(MODEL, [user('Begin')])));
      ended(await run(wire, requestFor(MODEL, [user('Begin')], { cacheKey: 'another session' })));
      assert.deepEqual(fieldsOf(), [true, false, false, true]);
    });
  }

  it('103. takes a failure of the server that repeats the request for a failure of the server', async () => {
    const wire = wireTo(server, OPENAI, ON);
    const echo = 'Internal error; unknown failure for {"context_management":[{"type":"compaction"}]}';
    server.script(refusal(500, echo));
    const error = failed(await run(wire, requestFor(MODEL, [user('Begin')])));
    assert.deepEqual([error.kind, error.retryable], ['server', true]);
    ended(await run(wire, requestFor(MODEL, [user('Begin')])));
    assert.deepEqual(fieldsOf(), [true, true]);
  });

  it('103. keeps it when a refusal names it without refusing it', async () => {
    const wire = wireTo(server, OPENAI, ON);
    server.script(refusal(400, 'Could not read the body: {"context_management":[{"type":"compaction"}]}'));
    failed(await run(wire, requestFor(MODEL, [user('Begin')])));
    ended(await run(wire, requestFor(MODEL, [user('Begin')])));
    assert.deepEqual(fieldsOf(), [true, true]);
  });

  it('104. does not count a sealed checkpoint as words of the conversation', () => {
    const sealed = { text: '', signature: `responses x ${'A'.repeat(400_000)}` };
    assert.equal(messageTokens(asked([], [sealed], 'Said.')), messageTokens(asked([], [], 'Said.')));
  });

  it('104. keeps what has a checkpoint and no visible text, and on every other wire sends nothing of it', async () => {
    const thinking = await sealed(spoken('I look.', 'commentary'), thought('rs_1'), checkpoint('cmp_1'));
    const history = [user('First'), asked([], thinking), user('Second')];
    const [first] = bodyOf(await sent(history)).input;
    assert.equal(first?.encrypted_content, 'gAAAA-cmp_1');
    for (const other of [
      createOpenAiChatWire({ baseUrl: server.openAiBaseUrl }),
      createAnthropicWire({ baseUrl: server.origin }),
    ]) {
      ended(await run(other, requestFor('claude-x', history)));
      const request = await server.nextRequest();
      assert.equal(request.invalid, undefined);
      assert.doesNotMatch(request.bytes.toString('utf8'), /gAAAA|I look/);
    }
  });
});

describe('a turn with native compaction', function () {
  this.timeout(20_000);
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.start('openai-responses');
    rig.model = { wire: wireTo(rig.server, OPENAI, ON), model: MODEL };
  });
  afterEach(() => rig.close());

  async function turn(text: string, ...scripts: Script[]) {
    const session = rig.agent.live()[0] ?? rig.agent.create();
    rig.server.script(...scripts);
    const { turnId } = session.send(text);
    return await session.settled(turnId);
  }

  const compacting = saying(
    done(0, spoken('I look.', 'commentary')),
    done(1, thought('rs_1')),
    done(2, checkpoint('cmp_1')),
    COMPLETED,
  );

  it('97. asks for it before the turn would compact the conversation itself', async () => {
    await turn('Begin');
    const [request] = rig.server.requests;
    // 80 % of a window of 100,000 tokens, and 8,192 before that.
    assert.equal(request && bodyOf(request).context_management?.[0]?.compact_threshold, 71_808);
  });

  it('104. keeps an answer of commentary, reasoning and a checkpoint, and goes on from it', async () => {
    const ends = await turn('First', compacting, { steps: [{ text: 'It is 4.' }] });
    assert.deepEqual([ends.exitReason, ends.finalText], ['answered', 'It is 4.']);
    await turn('Second');
    const [, second, third] = rig.server.requests;
    assert.ok(second && third);
    for (const request of [second, third]) {
      assert.equal(request.invalid, undefined);
      assert.equal(bodyOf(request).input[0]?.encrypted_content, 'gAAAA-cmp_1');
    }
    assert.ok(third.bytes.toString('utf8').startsWith(second.bytes.toString('utf8').slice(0, -2)));
  });

  it('104. keeps no answer that is nothing but reasoning', async () => {
    const thinks: Script = { steps: [{ reasoning: 'Hm.' }] };
    await turn('First', thinks, { steps: [{ text: 'It is 4.' }] });
    assert.deepEqual(
      rig.server.requests.map((request) => kindsOf(request)),
      [['user'], ['user']],
    );
  });
});
