import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBuiltinTools, ToolRegistry } from '../../../src/agent/tools/index.ts';
import type { AgentPorts, AgentSettings, LiveSession } from '../../../src/agent/turn/index.ts';
import type { RecordedRequest, Script } from '../../model-server/index.ts';
import { event, Rig, type WireName } from './rig.ts';

const answer = (text: string): Script => ({ steps: [{ usage: { input: 100, output: 10 } }, { text }] });
const call = (name: string, input: unknown, usage = { input: 1000, output: 5 }): Script => ({
  steps: [{ usage }, { call: { name, input } }],
});
const REVIEW: AgentSettings['review'] = { enabled: true, requests: 4, tokens: 50_000 };

for (const wire of ['openai-chat', 'anthropic'] as const satisfies readonly WireName[]) {
  describe(`the quiet review on the ${wire} wire`, () => {
    let rig: Rig;
    let session: LiveSession;
    /** Each resolves with the log's line about one review that has ended. */
    let ends: ((line: string) => void)[];
    let lines: string[];
    let errors: string[];

    async function open(change: Partial<AgentSettings> = {}, ports: Partial<AgentPorts> = {}): Promise<void> {
      rig = await Rig.start(wire, { review: REVIEW, ...change });
      ends = [];
      lines = [];
      errors = [];
      const info = (line: string) => {
        if (!line.startsWith('review of ')) return;
        lines.push(line);
        ends.shift()?.(line);
      };
      const log = { debug() {}, info, warn() {}, error: (line: string) => errors.push(line) };
      session = rig.secondWindow({ log, ...ports }).agent.create();
    }

    const reviewEnd = () => new Promise<string>((resolve) => ends.push(resolve));

    afterEach(async () => {
      const refused = rig.server.requests.map((request) => request.invalid);
      await rig.close();
      assert.deepEqual(errors, []);
      assert.deepEqual(new Set(refused), new Set([undefined]), 'every request was legal');
    });

    async function turn(text: string, ...scripts: Script[]) {
      rig.server.script(...scripts);
      const { turnId } = session.send(text);
      return await session.settled(turnId);
    }

    it('is left out with a model that works with tools of its own', async () => {
      await open();
      rig.model = { keepsHistory: true };
      const end = reviewEnd();
      await turn('Sort it', answer('Sorted.'));
      assert.match(await end, /takes no tools of ours/);
      assert.equal(rig.server.requests.length, 1);
    });

    it('is left out when a budget is used up', async () => {
      await open({ budget: { perSession: 0.0001 } });
      rig.model = { price: { input: 1, output: 1 } };
      const end = reviewEnd();
      await turn('Sort it', answer('Sorted.'));
      assert.match(await end, /a budget is used up/);
      assert.equal(rig.server.requests.length, 1);
    });

    /** A turn whose review stands in the middle of its answer. */
    async function standing(): Promise<RecordedRequest> {
      await turn('Sort it', answer('Sorted.'), { steps: [{ text: 'Noth' }, { pause: 'middle' }, { text: 'ing' }] });
      const review = await rig.server.request(1);
      await review.paused('middle');
      return review;
    }

    const notes = () => readFileSync(join(rig.folder, '.midcourse/notes.md'), 'utf8');

    it('looks at the answered turn with tools that only read, while the session is idle', async () => {
      await open();
      const ended = reviewEnd();
      await turn('Sort it', answer('Sorted.'), answer('Nothing.'));
      const review = await rig.server.request(1);
      assert.equal(session.state, 'idle');
      assert.deepEqual(toolsOf(review), ['read_file', 'list_files', 'search_files', 'note']);
      assert.match(text(review), /<user>\\nSort it\\n<\/user>.*<assistant>\\nSorted\.\\n<\/assistant>/);
      assert.match(await ended, /1 requests, answered; noted 0, 110 tokens/);
      assert.ok(!existsSync(join(rig.folder, '.midcourse')), 'nothing is made when there is nothing to note');
    });

    it('notes in a file of the workspace and nowhere else', async () => {
      await open();
      rig.hooks.set('post_tool_call', () => ({}));
      rig.hooks.set('on_session_end', () => ({}));
      const ended = reviewEnd();
      const result = await turn(
        'Use tabs',
        answer('Done.'),
        call('note', { text: 'The code is indented by tabs.' }),
        answer('x'),
      );
      await ended;
      assert.match(notes(), /^# .*\n\n- The code is indented by tabs\.\n$/);
      assert.deepEqual(
        session.rows().map((row) => row.displayText),
        ['Use tabs', 'Done.'],
      );
      assert.doesNotMatch(await session.export('json'), /indented/);
      assert.deepEqual(rig.agent.search('indented'), []);
      assert.equal(rig.agent.list().length, 1);
      assert.deepEqual(
        rig.fired.map((fired) => fired.event),
        ['on_session_end'],
      );
      assert.ok(session.events(0).every((one) => one.type !== 'notice' || one.kind === 'title'));
      assert.equal(result.usage.input, 100);
      assert.equal(session.usage.input, 100);
      assert.equal(session.spending.reviews.input, 1_100);
    });

    it('leaves the next request a continuation of the one before, and looks at the next turn too', async () => {
      await open();
      const first = reviewEnd();
      await turn('Sort it', answer('Sorted.'), answer('Nothing.'));
      await first;
      const second = reviewEnd();
      await turn('Reverse it', answer('Reversed.'), answer('Nothing.'));
      await second;
      const [before, , after, review] = rig.server.requests;
      const sent = messagesOf(before);
      assert.deepEqual(messagesOf(after).slice(0, sent.length), sent);
      assert.match(text(review), /Reverse it/);
      assert.doesNotMatch(text(review), /Sort it/);
    });

    it('does not follow a turn that was not answered, nor one that another follows, nor a compaction', async () => {
      await open();
      rig.server.script({ steps: [{ text: 'Sor' }, { pause: 'middle' }] });
      session.send('Sort it');
      await event(session, 'delta');
      session.stop();
      await session.settled();
      await turn('Sort it', { status: 400, body: { error: { message: 'no' } } });
      rig.server.script(
        { steps: [{ text: 'One.' }, { pause: 'middle' }] },
        answer('Two.'),
        answer('SUMMARY'),
        answer('Nothing.'),
      );
      const ended = reviewEnd();
      const { turnId } = session.send('One');
      session.queue('Two');
      const one = await rig.server.request(2);
      await one.paused('middle');
      one.release('middle');
      await session.settled(turnId);
      await ended;
      const asked = rig.server.requests.map((request) => /<turn>/.test(text(request)));
      assert.deepEqual(asked, [false, false, false, false, true]);
      session.compact();
      await session.settled();
      assert.equal(rig.server.requests.length, 6);
    });

    it('is off by default, and without a folder that it may write to', async () => {
      await open({ review: { ...REVIEW, enabled: false } });
      await turn('Sort it', answer('Sorted.'));
      rig.settings = { ...rig.settings, review: REVIEW, toolsOff: 'This workspace is not trusted.' };
      session.settingsChanged();
      await turn('Sort it', answer('Sorted.'));
      rig.settings = { ...rig.settings, toolsOff: undefined, folders: [] };
      session.settingsChanged();
      await turn('Sort it', answer('Sorted.'));
      rig.settings = { ...rig.settings, folders: [rig.folder] };
      session.settingsChanged();
      const ended = reviewEnd();
      await turn('Sort it', answer('Sorted.'), answer('Nothing.'));
      await ended;
      assert.equal(lines.length, 1, 'only the last turn had one');
    });

    it('is cancelled by the next message: its socket is closed before that turn asks', async () => {
      await open();
      const review = await standing();
      const ended = reviewEnd();
      rig.server.script(answer('Reversed.'));
      assert.equal(session.send('Reverse it').outcome, 'started');
      assert.match(await ended, /interrupted_by_system\(review\)/);
      const closing = await review.closed;
      assert.equal(closing.by, 'client');
      const next = await rig.server.request(2);
      assert.ok(closing.at < next.arrivedAt);
      assert.match(text(next), /Reverse it/);
    });

    it('is cancelled by the next message also when another window went on with the session meanwhile', async () => {
      await open();
      const review = await standing();
      const ended = reviewEnd();
      rig.settings = { ...rig.settings, review: { ...REVIEW, enabled: false } };
      rig.server.script(answer('Reversed.'), answer('Shuffled.'));
      const there = rig.agent.open(session.id);
      there.send('Reverse it');
      await there.settled();
      session.look();
      assert.equal(session.send('Shuffle it').outcome, 'started');
      assert.match(await ended, /interrupted_by_system\(review\)/);
      const closing = await review.closed;
      assert.equal(closing.by, 'client');
      assert.ok(closing.at < (await rig.server.request(3)).arrivedAt);
      await session.settled();
    });

    it('is reached by a stop of the idle session, which fires no hook', async () => {
      await open();
      const review = await standing();
      rig.hooks.set('agent_loop_stopped', () => ({}));
      const ended = reviewEnd();
      assert.equal(session.stop().outcome, 'stopping');
      await ended;
      assert.equal((await review.closed).by, 'client');
      assert.deepEqual(rig.fired, []);
      assert.equal(session.stop().outcome, 'nothing_running');
      await turn('Go on', answer('Done.'), answer('Nothing.'));
      assert.doesNotMatch(text(rig.server.requests[2]), /stopped your previous turn/);
    });

    it('ends with its session', async () => {
      await open();
      const review = await standing();
      session.close();
      assert.equal((await review.closed).by, 'client');
    });

    it('delays a turn by 2 s at most, also when it does not end', async () => {
      const hung = Promise.withResolvers<void>();
      const hang = () => {
        hung.resolve();
        return Promise.withResolvers<never>().promise;
      };
      const builtIn = createBuiltinTools().map((tool) => (tool.name === 'list_files' ? { ...tool, run: hang } : tool));
      const { clock, timers } = heldClock();
      await open({}, { clock, tools: new ToolRegistry(builtIn) });
      await turn('Sort it', answer('Sorted.'), call('list_files', {}));
      await hung.promise;
      const before = timers.length;
      rig.server.script(answer('Reversed.'));
      const { turnId } = session.send('Reverse it');
      assert.equal(session.phase, 'starting');
      assert.equal(rig.server.requests.length, 2);
      const hold = timers.slice(before).at(-1);
      assert.equal(hold?.ms, 2000);
      hold?.callback();
      assert.equal((await session.settled(turnId)).finalText, 'Reversed.');
    });

    it('makes no more requests than it may', async () => {
      await open({ review: { ...REVIEW, requests: 2 } });
      const ended = reviewEnd();
      await turn('Sort it', answer('Sorted.'), call('list_files', {}), call('list_files', {}), answer('never'));
      assert.match(await ended, /2 requests, step_budget/);
      assert.equal(rig.server.waiting, 1);
    });

    it('ends once it has used its tokens', async () => {
      await open();
      const ended = reviewEnd();
      await turn('Sort it', answer('Sorted.'), call('list_files', {}, { input: 60_000, output: 1 }), answer('never'));
      assert.match(await ended, /interrupted_by_system\(budget\)/);
      assert.equal(rig.server.waiting, 1);
      assert.equal(session.spending.reviews.input, 60_000);
    });

    it('ends after a minute', async () => {
      const { clock, timers } = heldClock();
      await open({}, { clock });
      const review = await standing();
      const ended = reviewEnd();
      timers.find(({ ms }) => ms === 60_000)?.callback();
      assert.match(await ended, /interrupted_by_system\(budget\)/);
      assert.equal((await review.closed).by, 'client');
    });

    it('asks nobody: what would need permission is refused to it', async () => {
      await open();
      rig.write('.env', 'API_KEY=abcdefghijklmnopqrstuvwxyz');
      const ended = reviewEnd();
      await turn(
        'Sort it',
        answer('Sorted.'),
        call('read_file', { path: '.env' }),
        call('terminal', { command: 'ls' }),
        answer('x'),
      );
      await ended;
      assert.match(text(rig.server.requests[2]), /would need the user's permission/);
      assert.match(text(rig.server.requests[3]), /There is no tool \\?"terminal/);
      assert.doesNotMatch(text(rig.server.requests[3]), /ghijklmnop/);
      assert.ok(session.events(0).every((one) => one.type !== 'approval.opened'));
    });

    it('writes no note through a link that leads out of the folder', async () => {
      await open();
      const outside = mkdtempSync(join(tmpdir(), 'midcourse-outside-'));
      symlinkSync(outside, join(rig.folder, '.midcourse'));
      const ended = reviewEnd();
      await turn('Sort it', answer('Sorted.'), call('note', { text: 'Run make test.' }), answer('x'));
      assert.match(await ended, /noted 0/);
      assert.deepEqual(readdirSync(outside), []);
      rmSync(outside, { recursive: true });
    });

    it('keeps the notes short: the oldest go first, what is there is not repeated, what the user wrote stays', async () => {
      await open();
      mkdirSync(join(rig.folder, '.midcourse'));
      const lines = Array.from({ length: 198 }, (_, index) => `- fact ${index}`);
      rig.write('.midcourse/notes.md', ['# Ours', ...lines].join('\n'));
      const ended = reviewEnd();
      const noted = ['fact 197', 'new', 'newer'].map((fact) => ({ call: { name: 'note', input: { text: fact } } }));
      await turn('Sort it', answer('Sorted.'), { steps: noted }, answer('x'));
      assert.match(await ended, /noted 2/);
      const kept = notes().trimEnd().split('\n');
      assert.equal(kept.length, 200);
      assert.deepEqual(kept.slice(0, 2), ['# Ours', '- fact 1']);
      assert.deepEqual(kept.slice(-3), ['- fact 197', '- new', '- newer']);
    });
  });
}

/** Timers that wait until a test fires them; those of 0 ms come by themselves. */
function heldClock() {
  const timers: { ms: number; callback: () => void }[] = [];
  const clock: AgentPorts['clock'] = {
    now: Date.now,
    after(ms, callback) {
      if (ms === 0) setImmediate(callback);
      else timers.push({ ms, callback });
      return () => undefined;
    },
  };
  return { clock, timers };
}

function bodyOf(request: RecordedRequest | undefined): Readonly<Record<string, unknown>> {
  return (request?.body ?? {}) as Readonly<Record<string, unknown>>;
}

/** Without the system prompt and without cache marks, which move. */
function messagesOf(request: RecordedRequest | undefined): readonly unknown[] {
  const json = JSON.stringify(bodyOf(request).messages ?? []).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
  return (JSON.parse(json) as readonly { role: string }[]).filter((message) => message.role !== 'system');
}

function text(request: RecordedRequest | undefined): string {
  return JSON.stringify(messagesOf(request));
}

function toolsOf(request: RecordedRequest): readonly string[] {
  const { tools } = bodyOf(request) as { tools?: readonly { name?: string; function?: { name: string } }[] };
  return (tools ?? []).map((tool) => tool.name ?? tool.function?.name ?? '');
}
