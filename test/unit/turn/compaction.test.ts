import assert from 'node:assert/strict';
import type { LiveSession } from '../../../src/agent/turn/index.ts';
import type { RecordedRequest, Script } from '../../model-server/index.ts';
import { event, Rig, type WireName } from './rig.ts';

/** The rig's model reads 100,000 tokens; a compaction is due above 80,000. */
const FULL = { usage: { input: 90_000, output: 10 } };
const ROOMY = { usage: { input: 9_000, output: 10 } };
const OVERFLOW = { status: 400, body: { error: { message: 'prompt is too long: 210000 tokens > 100000 maximum' } } };

const answer = (text: string, usage = ROOMY): Script => ({ steps: [usage, { text }] });
const call = (name: string, input: unknown) => ({ call: { name, input } });

for (const wire of ['openai-chat', 'openai-responses', 'anthropic'] as const satisfies readonly WireName[]) {
  describe(`compaction on the ${wire} wire`, () => {
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

    /** A conversation that the provider counted as nearly too long. */
    async function fill(): Promise<void> {
      await turn('Sort the list', answer('Sorted with a loop.', FULL));
    }

    it('puts a summary in the place of what came before, in the turn that would not fit', async () => {
      await fill();
      const result = await turn('Now reverse it', answer('SUMMARY'), answer('Reversed.'));
      assert.equal(result.exitReason, 'answered');
      assert.equal(result.finalText, 'Reversed.');
      const [, asked, next] = rig.server.requests;
      assert.equal(toolsOf(asked), 0);
      assert.match(text(asked), /Sort the list/);
      assert.doesNotMatch(text(asked), /Now reverse it/);
      assert.deepEqual(roles(next), ['user', 'user']);
      assert.match(text(next), /<summary>\\nSUMMARY\\n<\/summary>/);
      assert.match(text(next), /Now reverse it/);
      assert.doesNotMatch(text(next), /Sorted with a loop/);
    });

    it('adds one row and removes none; the chat shows the whole conversation', async () => {
      await fill();
      await turn('Now reverse it', answer('SUMMARY'), answer('Reversed.'));
      const rows = session.rows();
      assert.deepEqual(
        rows.map((row) => row.kind),
        ['message', 'text', 'message', 'summary', 'text'],
      );
      const summary = rows[3];
      assert.equal(summary?.role, 'notice');
      assert.equal(summary?.keepsFrom, rows[2]?.seq);
      assert.deepEqual(summary?.parts, [{ type: 'text', text: 'SUMMARY' }]);
    });

    it('counts the tokens of the summary into the turn, and the attempt that was not sent not at all', async () => {
      await fill();
      const result = await turn('Now reverse it', answer('SUMMARY', { usage: { input: 500, output: 7 } }), answer('x'));
      assert.equal(result.usage.input, 9_500);
      assert.equal(result.usage.output, 17);
      assert.equal(result.attempts, 1);
      assert.equal(result.requests, 1);
      assert.equal(session.contextTokens, 9_010);
    });

    it('keeps each later request a continuation of the one before', async () => {
      await fill();
      await turn('Now reverse it', answer('SUMMARY'), { steps: [ROOMY, call('list_files', {})] }, answer('Done.'));
      await turn('And print it', answer('Printed.'));
      const [, , ...after] = rig.server.requests;
      assert.equal(after.length, 3);
      for (const [index, request] of after.slice(1).entries()) {
        const before = messagesOf(after[index]);
        assert.deepEqual(messagesOf(request).slice(0, before.length), before);
      }
    });

    it('repeats the user’s goal in their own words when it lies before what is kept', async () => {
      for (const name of ['a', 'b', 'c']) rig.write(`${name}.txt`, `${name} `.repeat(400));
      const read = (name: string, usage = ROOMY): Script => ({
        steps: [usage, call('read_file', { path: `${name}.txt` })],
      });
      rig.server.script(read('a'), { steps: [call('list_files', {}), { pause: 'steer' }] });
      session.send('Compare the files, keep the umlauts: äöü');
      await rig.server.request(1);
      session.steer('Ignore blank lines');
      rig.server.script(read('b'), read('c', FULL), answer('SUMMARY'), answer('Compared.'));
      (await rig.server.request(1)).release('steer');
      assert.equal((await session.settled()).finalText, 'Compared.');
      const last = rig.server.requests.at(-1);
      const first = JSON.stringify(messagesOf(last)[0]);
      assert.match(first, /SUMMARY/);
      assert.match(first, /keep the umlauts: äöü\\n\\nIgnore blank lines/);
      const rest = JSON.stringify(messagesOf(last).slice(1));
      assert.match(rest, /c\.txt/);
      assert.doesNotMatch(rest, /a\.txt/);
    });

    for (const [how, script] of [
      ['fails', { status: 400, body: { error: { message: 'no' } } }],
      ['is empty', { steps: [ROOMY] }],
      ['is cut by the connection', { steps: [{ text: 'SUMM' }, { eof: true }] }],
      ['is cut by the output limit', { steps: [{ text: 'SUMM' }, { finish: 'length' }] }],
    ] as const satisfies readonly (readonly [string, Script])[]) {
      it(`goes on with the whole history, and says so, when the summary ${how}`, async () => {
        await fill();
        const since = session.seq;
        const result = await turn(
          'Now reverse it',
          script,
          { steps: [FULL, call('list_files', {})] },
          answer('Reversed.'),
        );
        assert.equal(result.exitReason, 'answered');
        assert.equal(result.error, undefined);
        const notices = session.events(since).filter((one) => one.type === 'notice');
        assert.equal(notices.length, 1);
        assert.match(JSON.stringify(notices[0]), /not_compacted.*was not compacted: /);
        assert.equal(rig.server.requests.length, 4, 'it is tried once in a turn');
        assert.match(text(rig.server.requests[3]), /Sorted with a loop/);
        assert.ok(session.rows().every((row) => row.kind !== 'summary'));
      });
    }

    it('is not tried a third time after two failures, until the conversation has grown by a tenth', async () => {
      await fill();
      const fails: Script = { status: 400, body: { error: { message: 'no' } } };
      await turn('one', fails, answer('1', FULL));
      await turn('two', fails, answer('2', FULL));
      await turn('three', answer('3', FULL));
      assert.equal(rig.server.requests.length, 6);
      await turn('four', answer('4', { usage: { input: 99_500, output: 10 } }));
      await turn('five', answer('SUMMARY'), answer('5'));
      assert.match(text(rig.server.requests.at(-1)), /SUMMARY/);
    });

    it('is not repeated in every turn when it does not help (B119)', async () => {
      await fill();
      const long = 'word '.repeat(500);
      await turn('one', answer('SUMMARY'), answer(long, FULL));
      await turn('two', answer('SUMMARY'), answer(long, FULL));
      await turn('three', answer(long, FULL));
      await turn('four', answer(long, FULL));
      assert.equal(session.rows().filter((row) => row.kind === 'summary').length, 2);
    });

    it('mends a request that the provider refused as too long, and asks it again', async () => {
      await turn('Sort the list', answer('Sorted with a loop.'));
      const result = await turn('Now reverse it', OVERFLOW, answer('SUMMARY'), answer('Reversed.'));
      assert.equal(result.exitReason, 'answered');
      assert.equal(result.error, undefined);
      assert.match(text(rig.server.requests.at(-1)), /SUMMARY/);
    });

    it('shows less of the conversation for the summary when the provider reads less than is known of it', async () => {
      const long = 'word '.repeat(20_000);
      await turn('Sort the list', answer(long));
      await turn('Now reverse it', OVERFLOW, answer('SUMMARY'), answer('Reversed.'));
      const refused = text(rig.server.requests[2]);
      assert.match(refused, /Sort the list.*characters are left out here.*Summarise/);
      assert.ok(refused.length < 60_000, `${refused.length}`);
      await turn('Print', answer(long));
      rig.server.script(answer('SUMMARY'));
      session.compact();
      await session.settled();
      assert.ok(text(rig.server.requests.at(-1)).length > 100_000, 'all of it when the window is as large as it seems');
    });

    it('lets a summary stand for one huge result too, and keeps the goal (B121)', async () => {
      rig.write('huge.txt', `${'x'.repeat(180)}\n`.repeat(500));
      const read: Script = { steps: [ROOMY, call('read_file', { path: 'huge.txt' })] };
      const result = await turn('What is in huge.txt?', read, OVERFLOW, answer('SUMMARY'), answer('Only x.'));
      assert.equal(result.finalText, 'Only x.');
      const last = text(rig.server.requests.at(-1));
      assert.ok(last.length < 2000, `${last.length}`);
      assert.match(last, /SUMMARY.*What is in huge\.txt\?/);
    });

    it('is not put into the prompt cache: nothing continues it', async () => {
      await fill();
      await turn('Now reverse it', answer('SUMMARY'), answer('Reversed.'));
      const [first, asked] = rig.server.requests;
      assert.equal(JSON.stringify(first?.body).includes('cache_control'), wire === 'anthropic');
      assert.ok(!JSON.stringify(asked?.body).includes('cache_control'));
    });

    it('ends with what to do when the provider still refuses; nothing is asked or run any more', async () => {
      await turn('Sort the list', answer('Sorted with a loop.'));
      const result = await turn('Now reverse it', OVERFLOW, answer('SUMMARY'), OVERFLOW);
      assert.equal(result.exitReason, 'context_exhausted');
      assert.match(result.error?.message ?? '', /even though it was summarised.*larger window/);
      assert.equal(result.error?.action, 'midcourse.selectModel');
      assert.equal(rig.server.waiting, 0);
      assert.equal(rig.server.requests.length, 4);
    });

    it('leaves a session that answers when neither the request nor its summary fits (B118, B121)', async () => {
      await turn('Sort the list', answer('Sorted with a loop.'));
      const result = await turn('Now reverse it', OVERFLOW, OVERFLOW);
      assert.equal(result.exitReason, 'context_exhausted');
      assert.match(result.error?.message ?? '', /was not compacted: .*Choose a model with a larger window/);
      assert.equal((await turn('Hello?', answer('Here.'))).finalText, 'Here.');
      assert.match(text(rig.server.requests.at(-1)), /Sorted with a loop/);
    });

    it('ends at once when it is stopped, its socket closed and the history as it was (B115)', async () => {
      await fill();
      rig.server.script({ steps: [{ text: 'SUMM' }, { pause: 'middle' }, { text: 'ARY' }] });
      session.send('Now reverse it');
      await event(session, 'state', (state) => state.phase === 'compaction');
      const asked = await rig.server.request(1);
      await asked.paused('middle');
      rig.write('list.txt', 'edited by hand');
      const { turnId } = session.stop();
      assert.equal(session.state, 'idle');
      const result = await session.settled(turnId);
      assert.equal(result.exitReason, 'interrupted_by_user');
      assert.equal(result.phase, 'compaction');
      assert.equal(result.error, undefined);
      assert.equal((await asked.closed).by, 'client');
      assert.ok(session.rows().every((row) => row.kind !== 'summary'));
      await turn('Go on', answer('SUMMARY'), answer('Done.'));
      const last = text(rig.server.requests.at(-1));
      assert.match(last, /stopped your previous turn while the conversation was being compacted/);
      assert.match(last, /Now reverse it/);
      assert.ok(session.events(0).every((one) => one.type !== 'notice' || one.kind !== 'not_compacted'));
    });

    it('is not interrupted by a steer or a redirect: they go in after it, in the same turn (B115)', async () => {
      await fill();
      rig.server.script({ steps: [{ text: 'SUMMARY' }, { pause: 'middle' }] }, answer('Both.'));
      const { turnId } = session.send('Now reverse it');
      const asked = await rig.server.request(1);
      await asked.paused('middle');
      assert.equal(session.steer('Use tabs').outcome, 'steering');
      const redirected = session.redirect('No, spaces');
      assert.equal(redirected.outcome, 'steering');
      assert.equal(session.items()[0]?.waitsFor?.what, 'compaction');
      asked.release('middle');
      const result = await session.settled(turnId);
      assert.equal(result.finalText, 'Both.');
      assert.deepEqual(
        session.rows().map((row) => row.kind),
        ['message', 'text', 'message', 'summary', 'steer', 'text'],
      );
      assert.match(JSON.stringify(messagesOf(rig.server.requests.at(-1)).at(-1)), /Use tabs.*No, spaces/);
    });

    it('leaves nothing half when the window dies in it', async () => {
      await fill();
      rig.server.script({ steps: [{ text: 'SUMM' }, { pause: 'middle' }] });
      const { turnId = '' } = session.send('Now reverse it');
      await (await rig.server.request(1)).paused('middle');
      session = rig.reopen(session.id);
      const result = await session.settled(turnId);
      assert.equal(result.exitReason, 'interrupted_by_reload');
      assert.equal(result.phase, 'compaction');
      assert.deepEqual(
        session.rows().map((row) => row.kind),
        ['message', 'text', 'message'],
      );
      await turn('Again', answer('SUMMARY'), answer('Done.'));
      assert.match(text(rig.server.requests.at(-1)), /SUMMARY/);
    });

    it('sends the same messages after a reload', async () => {
      await fill();
      await turn('Now reverse it', answer('SUMMARY'), answer('Reversed.'));
      const before = messagesOf(rig.server.requests.at(-1));
      session = rig.reopen(session.id);
      await turn('And print it', answer('Printed.'));
      assert.deepEqual(messagesOf(rig.server.requests.at(-1)).slice(0, before.length), before);
    });

    it('takes an earlier summary into the next one', async () => {
      await fill();
      await turn('Now reverse it', answer('FIRST'), answer('Reversed.', FULL));
      await turn('And print it', answer('SECOND'), answer('Printed.'));
      assert.match(text(rig.server.requests.at(-2)), /FIRST/);
      const last = text(rig.server.requests.at(-1));
      assert.match(last, /SECOND/);
      assert.doesNotMatch(last, /FIRST/);
      session = rig.reopen(session.id);
      await turn('Thanks', answer('Welcome.'));
      assert.doesNotMatch(text(rig.server.requests.at(-1)), /FIRST/);
    });

    it('never comes before a request when its threshold is 0', async () => {
      rig.settings = { ...rig.settings, compactionThreshold: 0 };
      await fill();
      await turn('Now reverse it', answer('Reversed.'));
      assert.equal(rig.server.requests.length, 2);
    });

    describe('that the user asks for', () => {
      it('is a turn of its own when nothing runs, without a hook and without a text', async () => {
        await turn('Sort the list', answer('Sorted with a loop.'));
        await turn('Now reverse it', answer('Reversed.'));
        rig.hooks.set('on_session_end', () => ({}));
        rig.hooks.set('pre_llm_call', () => ({}));
        rig.server.script(answer('SUMMARY'));
        assert.ok(session.compact());
        const result = await session.settled();
        assert.equal(result.exitReason, 'answered');
        assert.equal(result.requests, 0);
        assert.deepEqual(rig.fired, []);
        assert.equal(session.rows().at(-1)?.kind, 'summary');
        rig.hooks.clear();
        await turn('And print it', answer('Printed.'));
        assert.match(text(rig.server.requests.at(-1)), /SUMMARY/);
      });

      it('empties the context meter, also after a reload', async () => {
        await turn('Sort the list', answer('Sorted with a loop, which took many words.'.repeat(5000), FULL));
        rig.server.script(answer('SUMMARY'));
        session.compact();
        await session.settled();
        assert.ok(session.contextTokens < 60_000);
        session = rig.reopen(session.id);
        assert.ok(session.contextTokens > 0 && session.contextTokens < 60_000);
      });

      it('comes before the next request when a turn runs', async () => {
        await turn('Sort the list', answer('Sorted with a loop.'));
        rig.server.script(
          { steps: [call('list_files', {}), { pause: 'asked' }] },
          answer('SUMMARY'),
          answer('Reversed.'),
        );
        session.send('Now reverse it');
        const first = await rig.server.request(1);
        await first.paused('asked');
        session.compact();
        session.compact();
        first.release('asked');
        assert.equal((await session.settled()).finalText, 'Reversed.');
        const last = rig.server.requests.at(-1);
        assert.match(text(last), /SUMMARY/);
        assert.match(text(last), /list_files/);
        assert.equal(session.rows().filter((row) => row.kind === 'summary').length, 1);
      });

      it('says why it came to nothing', async () => {
        session.compact();
        const result = await session.settled();
        assert.equal(result.completed, false);
        assert.match(result.error?.message ?? '', /was not compacted: there is nothing before the newest messages/);
        assert.equal(rig.server.requests.length, 0);
        assert.equal((await turn('Hello', answer('Here.'))).finalText, 'Here.');
      });

      it('does not keep the model from being told of a stop, also after a reload', async () => {
        await turn('Sort the list', answer('Sorted with a loop.'));
        rig.server.script({ steps: [{ text: 'Rever' }, { pause: 'middle' }] });
        session.send('Now reverse it');
        await event(session, 'delta', () => true, session.seq);
        session.stop();
        await session.settled();
        rig.server.script(answer('SUMMARY'));
        session.compact();
        await session.settled();
        session = rig.reopen(session.id);
        await turn('Go on', answer('Done.'));
        assert.match(text(rig.server.requests.at(-1)), /The user stopped your previous turn while you were answering/);
      });
    });
  });
}

function bodyOf(request: RecordedRequest | undefined): Readonly<Record<string, unknown>> {
  return (request?.body ?? {}) as Readonly<Record<string, unknown>>;
}

/** Without the system prompt and without cache marks, which move. */
function messagesOf(request: RecordedRequest | undefined): readonly unknown[] {
  const json = JSON.stringify(bodyOf(request).messages ?? bodyOf(request).input ?? []).replaceAll(
    ',"cache_control":{"type":"ephemeral"}',
    '',
  );
  const messages = JSON.parse(json) as readonly { role: string }[];
  return messages.filter((message) => message.role !== 'system');
}

function roles(request: RecordedRequest | undefined): readonly string[] {
  return (messagesOf(request) as readonly { role: string }[]).map((message) => message.role);
}

function text(request: RecordedRequest | undefined): string {
  return JSON.stringify(messagesOf(request));
}

function toolsOf(request: RecordedRequest | undefined): number {
  const { tools } = bodyOf(request);
  return Array.isArray(tools) ? tools.length : 0;
}
