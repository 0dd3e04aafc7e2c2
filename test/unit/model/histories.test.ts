import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ModelCall, ModelMessage } from '../../../src/agent/model/types.ts';
import { anthropicMessages } from '../../../src/agent/model/wires/anthropic/messages.ts';
import { converseMessages, converseTools } from '../../../src/agent/model/wires/bedrock/messages.ts';
import { chatMessages } from '../../../src/agent/model/wires/chat/messages.ts';
import { geminiContents } from '../../../src/agent/model/wires/gemini/contents.ts';
import { responsesItems } from '../../../src/agent/model/wires/responses/items.ts';
import {
  ModelServer,
  validateAnthropic,
  validateBedrock,
  validateGemini,
  validateOpenAi,
  validateResponses,
} from '../../model-server/index.ts';
import { requestOf, run, WIRES } from './wire-fixture.ts';

/** Texts as they come: blank, half surrogate pairs, quotes. */
const text = fc.oneof(
  fc.constantFrom('', ' \n', '\ud83d', 'ok', 'a "quoted" \\ text', '🙂'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const anyCall = fc.record({
  name: fc.oneof(fc.constant('read_file'), fc.string({ maxLength: 8 })),
  input: fc.oneof(fc.dictionary(text, fc.oneof(text, fc.jsonValue({ maxDepth: 2 }))), fc.constant('no object')),
  invalidInput: fc.option(fc.string({ maxLength: 8 }), { nil: undefined }),
});

/** What the Responses wire seals. */
const SEALED = 'responses h {"type":"reasoning","id":"rs_1","encrypted_content":"gAAAA"}';
const CHECKPOINT = 'responses h {"type":"compaction","encrypted_content":"gAAAA"}';
const COMMENTARY =
  'responses h {"type":"message","phase":"commentary","content":[{"type":"output_text","text":"I look. \\ud83d"}]}';

/** And the Gemini wire, of a text and of a call. */
const GEMINI = ['gemini h text c2ln', 'gemini h 0 c2ln'];

const thinking = fc.array(
  fc.record({ text, signature: fc.constantFrom('signed h sig', 'foreign', SEALED, CHECKPOINT, COMMENTARY, ...GEMINI) }),
  { maxLength: 2 },
);

const RESPONSES = { quirks: {}, issuer: 'h', seals: true };

const END: ModelMessage = { role: 'user', text: 'End' };
const CALLS: ModelMessage = { role: 'assistant', text: '', calls: [{ callId: 'x', name: 'read_file', input: {} }] };

/** A step of a conversation as the turn loop makes it: each call is answered at once and in order. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('user' as const), text }),
  fc.record({ kind: fc.constant('answer' as const), text, thinking, calls: fc.array(anyCall, { maxLength: 3 }) }),
);

const history = fc.array(step, { maxLength: 12 }).map((steps) => {
  let made = 0;
  const messages: ModelMessage[] = [{ role: 'user', text: 'Begin' }];
  for (const each of steps) {
    if (each.kind === 'user') {
      messages.push({ role: 'user', text: each.text });
      continue;
    }
    const calls = each.calls.map(
      ({ name, input, invalidInput }): ModelCall => ({
        callId: `call.${made++}`,
        name,
        input,
        ...(invalidInput !== undefined && { invalidInput }),
      }),
    );
    messages.push({ role: 'assistant', text: each.text, thinking: each.thinking, calls });
    for (const { callId, name } of calls)
      messages.push({ role: 'tool', callId, name, text: each.text, isError: made % 2 === 0 });
  }
  return [...messages, END];
});

describe('any history that the turn loop can make', function () {
  this.timeout(20_000);
  it('is legal for the Chat Completions API', () => {
    fc.assert(
      fc.property(history, (messages) => {
        assert.equal(validateOpenAi({ model: 'm', messages: chatMessages('Be brief.', messages) }), undefined);
      }),
      { numRuns: 300 },
    );
  });

  it('is legal for the Messages API', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const body = { model: 'm', max_tokens: 1, messages: anthropicMessages(messages, 'h') };
        assert.equal(validateAnthropic(body), undefined);
      }),
      { numRuns: 300 },
    );
  });

  it('is legal for the Responses API', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const input = responsesItems(messages, RESPONSES);
        assert.equal(validateResponses({ model: 'm', store: false, input }), undefined);
      }),
      { numRuns: 300 },
    );
  });

  it('is legal for the Gemini API, of each version', () => {
    fc.assert(
      fc.property(history, fc.boolean(), (messages, callIds) => {
        const contents = geminiContents(messages, { signer: 'h', callIds });
        assert.equal(validateGemini({ contents }, callIds ? 3 : 2), undefined);
      }),
      { numRuns: 300 },
    );
  });

  it('is legal for the Converse API, also when the tools are gone', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const tools = converseTools([], messages);
        const toolConfig = tools.length > 0 ? { toolConfig: { tools } } : {};
        assert.equal(validateBedrock({ messages: converseMessages(messages, 'h'), ...toolConfig }), undefined);
      }),
      { numRuns: 300 },
    );
  });

  it('is legal where turns alternate, also when results are missing or were mixed up', () => {
    const torn = fc.tuple(history, fc.array(fc.boolean(), { maxLength: 30 })).map(([messages, lost]) => {
      const kept = messages.filter(({ role }, index) => role !== 'tool' || lost[index] !== true);
      const moved = kept.findIndex(({ role }) => role === 'tool');
      return moved >= 0 && lost[0] ? [...kept.toSpliced(moved, 1), ...kept.slice(moved, moved + 1), END] : kept;
    });
    fc.assert(
      fc.property(torn, (messages) => {
        const contents = geminiContents(messages, { signer: 'h', callIds: true });
        assert.equal(validateGemini({ contents }, 3), undefined);
        const toolConfig = { tools: converseTools([], [...messages, CALLS]) };
        assert.equal(validateBedrock({ messages: converseMessages(messages, 'h'), toolConfig }), undefined);
      }),
      { numRuns: 300 },
    );
  });

  it('holds no half surrogate pair on its way', () => {
    fc.assert(
      fc.property(history, (messages) => {
        for (const sent of [
          chatMessages('', messages),
          anthropicMessages(messages, 'h'),
          responsesItems(messages, RESPONSES),
          geminiContents(messages, { signer: 'h', callIds: true }),
          converseMessages(messages, 'h'),
        ]) {
          assert.ok(JSON.stringify(sent).isWellFormed());
          assert.doesNotMatch(JSON.stringify(sent), /(?<!\\)(\\\\)*\\ud[89a-f]/);
        }
      }),
    );
  });
});

describe('call ids of another provider', () => {
  const answered = (...ids: string[]): ModelMessage[] => [
    { role: 'user', text: 'Begin' },
    { role: 'assistant', text: '', calls: ids.map((callId) => ({ callId, name: 'list_files', input: {} })) },
    ...ids.map((callId) => ({ role: 'tool' as const, callId, name: 'list_files', text: 'x', isError: false })),
    { role: 'user', text: 'End' },
  ];

  it('stay different where the Messages API does not take their letters', () => {
    const messages = anthropicMessages(answered('a.b', 'a_b', 'a b', '呼', '号'), 'h');
    assert.equal(validateAnthropic({ model: 'm', max_tokens: 1, messages }), undefined);
  });

  it('are not too long for the Chat Completions API of OpenAI, and as they are for every other server', () => {
    const long = 'x'.repeat(300);
    const history = answered(`${long}1`, `${long}2`, 'short');
    assert.equal(
      validateOpenAi({ model: 'm', messages: chatMessages('', history, { host: '', longestCallId: 64 }) }),
      undefined,
    );
    assert.ok(JSON.stringify(chatMessages('', history)).includes(`"${long}1"`));
  });
});

/** Marks move with each request. */
const CACHE_MARK = /,"cache_control":\{"type":"ephemeral"\}|,\{"cachePoint":\{"type":"default"\}\}/g;

for (const tested of WIRES) {
  describe(`a growing conversation on the ${tested.name} wire`, function () {
    this.timeout(20_000);
    it('sends each request as the byte prefix of the next', async () => {
      const server = await ModelServer.start();
      const call = { callId: 'a', name: 'read_file', input: { path: 'src/ä.ts' } };
      const whole: ModelMessage[] = [
        { role: 'user', text: 'Fix it', images: [{ mime: 'image/png', base64: 'AAAA' }] },
        { role: 'assistant', text: 'I read.', calls: [call, { ...call, callId: 'b' }] },
        { role: 'tool', callId: 'a', name: 'read_file', text: 'one', isError: false },
        { role: 'tool', callId: 'b', name: 'read_file', text: '', isError: true },
        { role: 'user', text: 'use reduce' },
        // The answer was stopped before its first word.
        { role: 'user', text: 'and name it sum' },
        { role: 'assistant', text: '', calls: [{ ...call, callId: 'c' }] },
        { role: 'tool', callId: 'c', name: 'read_file', text: 'two', isError: false },
        { role: 'assistant', text: 'Done.', calls: [] },
        { role: 'user', text: 'Thanks' },
      ];
      // Where the turn loop sends a request: behind a user's text or a whole batch of results.
      const lengths = [1, 4, 5, 6, 8, 10];
      const bodies: string[] = [];
      for (const length of lengths) {
        await run(tested.create(server), requestOf(whole.slice(0, length)));
        const request = await server.nextRequest();
        assert.equal(request.invalid, undefined);
        bodies.push(request.bytes.toString('utf8').replaceAll(CACHE_MARK, ''));
      }
      for (const [index, body] of bodies.slice(1).entries()) {
        const before = bodies[index] ?? '';
        assert.ok(before.endsWith(']}'));
        assert.equal(body.slice(0, before.length - 2), before.slice(0, -2));
      }
      await server.close();
    });
  });
}
