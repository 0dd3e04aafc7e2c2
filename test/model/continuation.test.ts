/** Answers that are cut at the output limit or by the connection, over the real loop, store and wires (facts section 4). */

import assert from 'node:assert/strict';
import { History } from '../../src/agent/turn/history.ts';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import { stitch } from '../../src/agent/turn/stitch.ts';
import type { TranscriptRow } from '../../src/api.ts';
import type { RecordedRequest, Script } from '../model-server/index.ts';
import { event, Rig } from '../unit/turn/rig.ts';

const cutAt = (text: string): Script => ({ steps: [{ text }, { finish: 'length' }] });
const answer = (text: string): Script => ({ steps: [{ text }] });
const NUDGE = /Go on exactly where it broke off/;

for (const wire of ['openai-chat', 'anthropic'] as const) {
  describe(`length continuation on the ${wire} wire`, () => {
    let rig: Rig;
    let session: LiveSession;

    beforeEach(async () => {
      rig = await Rig.start(wire);
      session = rig.agent.create();
    });

    afterEach(async () => {
      const refused = rig.server.requests.map((request) => request.invalid);
      await rig.close();
      assert.deepEqual(new Set(refused), new Set([undefined]), 'every request was legal');
    });

    async function turn(text: string, ...scripts: Script[]) {
      rig.server.script(...scripts);
      const { turnId } = session.send(text);
      return await session.settled(turnId);
    }

    it('125. goes on three times, then ends with one row for all pieces and what to do', async () => {
      const result = await turn('Write', cutAt('one '), cutAt('two '), cutAt('three '), cutAt('four'));
      assert.equal(rig.server.requests.length, 4);
      assert.equal(result.exitReason, 'model_error');
      assert.equal(result.partial, true);
      assert.equal(result.finalText, 'one two three four');
      assert.match(result.error?.message ?? '', /reached the output limit.*kept.*smaller parts/);
      const stitched = session.rows().at(-1);
      assert.equal(stitched?.parts[0]?.type === 'text' && stitched.parts[0].text, 'one two three four');
      assert.equal(stitched?.displayText, null, 'people have seen the pieces');
    });

    it('125. puts each piece and a word to go on into the next request, and keeps what stood before', async () => {
      await turn('Write', cutAt('one '), cutAt('two '), answer('three'));
      const [first, second, third] = rig.server.requests.map(messagesOf);
      assert.deepEqual(roles(third ?? []), ['user', 'assistant', 'user', 'assistant', 'user']);
      assert.deepEqual(second?.slice(0, first?.length), first);
      assert.deepEqual(third?.slice(0, second?.length), second);
      assert.match(JSON.stringify(third?.at(-1)), NUDGE);
    });

    it('126. leaves no piece and no nudge of such an answer in the requests of the next turn', async () => {
      await turn('Write', cutAt('one '), cutAt('two '), cutAt('three '), cutAt('four'));
      await turn('Thanks', answer('Welcome.'));
      const messages = messagesOf(rig.server.requests.at(-1));
      assert.deepEqual(roles(messages), ['user', 'assistant', 'user']);
      assert.match(JSON.stringify(messages[1]), /one two three four/);
      assert.doesNotMatch(JSON.stringify(messages), NUDGE);
      session = rig.reopen(session.id);
      await turn('Again', answer('Yes.'));
      assert.deepEqual(messagesOf(rig.server.requests.at(-1)).slice(0, 3), messages, 'also after a reload');
    });

    it('128. sends nothing of its own book-keeping to the provider', async () => {
      await turn('Write', cutAt('one '), answer('two'));
      const body = rig.server.requests[1]?.bytes.toString() ?? '';
      assert.doesNotMatch(body, /"_|continued|standsFrom|displayText/);
    });

    it('130. tells the model the limit when a call did not fit, and runs the smaller call once', async () => {
      rig.write('notes.txt', 'hello');
      const half: Script = {
        steps: [{ call: { id: 'c1', name: 'read_file', arguments: '{"path":"no' } }, { finish: 'length' }],
      };
      const whole: Script = { steps: [{ call: { id: 'c2', name: 'read_file', input: { path: 'notes.txt' } } }] };
      const result = await turn('Read it', half, whole, half, whole, answer('hello'));
      assert.equal(result.exitReason, 'answered');
      const [first, second] = rig.server.requests;
      assert.deepEqual(messagesOf(second).slice(0, -1), messagesOf(first), 'nothing of the cut answer was appended');
      assert.match(
        JSON.stringify(messagesOf(second).at(-1)),
        /longer than one answer may be \(4096 tokens\).*in parts/,
      );
      assert.deepEqual(new Set(rig.server.requests.map(limitOf)), new Set([4096]));
      assert.equal(session.rows().filter((row) => row.kind === 'tool_result').length, 2);
    });

    it('130. gives up after two requests when the call does not fit again, and runs nothing of it', async () => {
      const half: Script = {
        steps: [{ call: { id: 'c1', name: 'read_file', arguments: '{"path":"no' } }, { finish: 'length' }],
      };
      const result = await turn('Read it', half, half);
      assert.equal(result.exitReason, 'model_error');
      assert.match(result.error?.message ?? '', /longer than it may write.*nothing of it was run.*smaller steps/s);
      assert.equal(rig.server.requests.length, 2);
      assert.ok(session.rows().every(({ kind }) => kind !== 'tool_result'));
    });

    it('131. asks once without thinking when all went into it, and with it again in the next turn', async () => {
      const silent: Script = { steps: [{ reasoning: 'Hm, ' }, { finish: 'length' }] };
      const asked: (string | undefined)[] = [];
      rig.model = { effort: 'high', wire: spied(await wireOf(rig), asked) };
      const result = await turn('Think', silent, answer('Done.'));
      assert.equal(result.finalText, 'Done.');
      await turn('Again', answer('Yes.'));
      assert.deepEqual(asked, ['high', 'none', 'high']);
      assert.ok(
        session.rows().every((row) => row.role !== 'assistant' || row.displayText !== ''),
        'no empty row',
      );
    });

    it('131. does not ask a third time when there is no word without thinking either', async () => {
      const silent: Script = { steps: [{ reasoning: 'Hm, ' }, { finish: 'length' }] };
      const result = await turn('Think', silent, silent);
      assert.equal(result.exitReason, 'model_error');
      assert.match(result.error?.message ?? '', /without a word of an answer/);
      assert.equal(rig.server.requests.length, 2);
    });

    it('132. does not ask a model to go on that only repeats itself', async () => {
      const result = await turn('Write', cutAt(`The list: ${'and so on, '.repeat(200)}`));
      assert.equal(rig.server.requests.length, 1);
      assert.equal(result.partial, true);
      assert.match(result.error?.message ?? '', /repeat itself/);
    });

    it('133. counts anew after an answer has come to its end', async () => {
      rig.write('a.txt', 'a');
      const call: Script = { steps: [{ text: 'two' }, { call: { name: 'read_file', input: { path: 'a.txt' } } }] };
      const result = await turn('Go', cutAt('one '), call, cutAt('x '), cutAt('y '), cutAt('z '), answer('end'));
      assert.equal(result.exitReason, 'answered');
      assert.equal(result.finalText, 'x y z end');
      assert.equal(result.partial, false);
    });

    it('sends what the user says meanwhile with the word to go on', async () => {
      rig.server.script({ steps: [{ text: 'one ' }, { pause: 'middle' }, { finish: 'length' }] }, answer('two'));
      session.send('Write');
      const first = await rig.server.nextRequest();
      await first.paused('middle');
      session.steer('In French');
      first.release('middle');
      await session.settled();
      const messages = messagesOf(rig.server.requests[1]);
      assert.match(JSON.stringify(messages.at(-2)), NUDGE);
      assert.match(JSON.stringify(messages.at(-1)), /In French/);
    });

    it('ends at a stop between two pieces, with all of the text', async () => {
      rig.server.script(cutAt('one '), { steps: [{ text: 'two' }, { pause: 'middle' }] });
      session.send('Write');
      await (await rig.server.request(1)).paused('middle');
      await event(session, 'delta', (delta) => delta.text === 'two');
      session.stop();
      const result = await session.settled();
      assert.equal(result.exitReason, 'interrupted_by_user');
      assert.equal(result.finalText, 'one two');
      await turn('And now', answer('Good.'));
      assert.match(JSON.stringify(messagesOf(rig.server.requests.at(-1))), /stopped your previous turn/);
    });

    it('explains instead of going on when the window is full', async () => {
      const result = await turn('Write', {
        steps: [{ usage: { input: 99_000, output: 900 } }, { text: 'one' }, { finish: 'length' }],
      });
      assert.equal(rig.server.requests.length, 1);
      assert.equal(result.error?.action, 'midcourse.compact');
      assert.match(result.error.message, /no room for its answer/);
    });

    it('is charged to the step budget', async () => {
      rig.settings = { ...rig.settings, stepBudget: 2 };
      session.settingsChanged();
      const result = await turn('Write', cutAt('one '), cutAt('two '));
      assert.equal(result.exitReason, 'step_budget');
      assert.equal(rig.server.requests.length, 2);
      assert.equal(result.finalText, 'one two ');
    });
  });
}

describe('pieces of one answer', () => {
  it('127. are joined by one line break, only where both have a word at the seam', () => {
    assert.equal(stitch(['foo', 'bar']), 'foo\nbar');
    assert.equal(stitch(['foo ', 'bar']), 'foo bar');
    assert.equal(stitch(['foo', '\nbar']), 'foo\nbar');
    assert.equal(stitch(['', 'foo', '  ', 'bar']), 'foo\nbar');
  });

  it('129. of an older turn stay when a later turn puts its own together', () => {
    const history = new History([
      row(1, 't1', 'user', 'Write'),
      row(2, 't1', 'assistant', 'left by a crash', { continued: 'length' }),
      row(3, 't2', 'user', 'Write again'),
      row(4, 't2', 'assistant', 'one', { continued: 'length' }),
      row(5, 't2', 'notice', 'Go on', { continued: 'length', providerText: 'Go on' }),
      row(6, 't2', 'user', 'In French'),
      row(7, 't2', 'assistant', 'one\ntwo', { standsFrom: 4 }),
    ]);
    const texts = history.messages().map(({ text }) => text);
    assert.deepEqual(texts, ['Write', 'left by a crash', 'Write again', 'In French', 'one\ntwo']);
  });
});

function row(
  seq: number,
  turnId: string,
  role: TranscriptRow['role'],
  text: string,
  more: Partial<TranscriptRow> = {},
): TranscriptRow {
  const kind = role === 'user' ? 'message' : role === 'notice' ? 'notice' : 'text';
  return { id: `r${seq}`, seq, turnId, role, kind, parts: [{ type: 'text', text }], displayText: text, ...more };
}

type Wire = NonNullable<Rig['model']['wire']>;

async function wireOf(rig: Rig): Promise<Wire> {
  const { createAnthropicWire, createOpenAiChatWire } = await import('../../src/agent/model/index.ts');
  return rig.wire === 'anthropic'
    ? createAnthropicWire({ baseUrl: rig.server.origin })
    : createOpenAiChatWire({ baseUrl: rig.server.openAiBaseUrl });
}

/** The same wire; what effort it was asked with is noted. */
function spied(wire: Wire, efforts: (string | undefined)[]): Wire {
  return {
    stream(request, signal) {
      efforts.push(request.effort);
      return wire.stream(request, signal);
    },
  };
}

function limitOf(request: RecordedRequest | undefined): unknown {
  const body = request?.body as { max_tokens?: number; max_completion_tokens?: number } | undefined;
  return body?.max_tokens ?? body?.max_completion_tokens;
}

/** Without the system prompt and without cache marks, which move. */
function messagesOf(request: RecordedRequest | undefined): readonly { readonly role: string }[] {
  const { messages = [] } = (request?.body ?? {}) as { messages?: readonly { role: string }[] };
  const json = JSON.stringify(messages).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
  return (JSON.parse(json) as { role: string }[]).filter(({ role }) => role !== 'system');
}

function roles(messages: readonly { readonly role: string }[]): readonly string[] {
  return messages.map(({ role }) => role);
}
