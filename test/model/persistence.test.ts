/** What is on disk when, and what is sent after it was interrupted (facts section 6), and the last word of a turn (7). */

import assert from 'node:assert/strict';
import { mayReplaceTitle, type SessionStore, StorageError } from '../../src/agent/session/index.ts';
import { storageErrorFrom } from '../../src/agent/session/storage-error.ts';
import type { Clock, LiveSession } from '../../src/agent/turn/index.ts';
import type { ToolDefinition, TranscriptRow } from '../../src/api.ts';
import type { RecordedRequest, Script } from '../model-server/index.ts';
import { event, Rig, type WireName } from '../unit/turn/rig.ts';

const answer = (text: string): Script => ({ steps: [{ usage: { input: 100, output: 10 } }, { text }] });
const callOf = (name: string, input: unknown = {}): Script => ({
  steps: [{ usage: { input: 100, output: 10 } }, { call: { name, input } }],
});

/** A tool of another extension that does what the test says. */
function toolOf(name: string, invoke: ToolDefinition['invoke']): ToolDefinition {
  return { name, description: 'A test.', inputSchema: { type: 'object' }, readOnly: true, invoke };
}

for (const wire of ['openai-chat', 'anthropic'] as const satisfies readonly WireName[]) {
  describe(`what is stored on the ${wire} wire`, () => {
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

    it('144. holds the answer with its calls before a tool runs', async () => {
      let seen: readonly TranscriptRow[] = [];
      const { id } = session;
      rig.registry.register(
        toolOf('look', async () => {
          seen = rig.store.rows(id);
          return 'ok';
        }),
      );
      await turn('Look', callOf('look'), answer('Done.'));
      assert.deepEqual(
        seen.map(({ role }) => role),
        ['user', 'assistant'],
      );
      assert.ok(seen[1]?.parts.some((part) => part.type === 'tool_call' && part.name === 'look'));
    });

    it('144. runs no tool when the answer cannot be stored, and the turn fails', async () => {
      let ran = 0;
      rig.registry.register(
        toolOf('look', async () => {
          ran += 1;
          return 'ok';
        }),
      );
      const full = (rows: readonly TranscriptRow[]) => rows.some(({ role }) => role === 'assistant');
      const store = failing(rig.store, full, new StorageError('disk', 'The disk is full.'));
      session = rig.secondWindow({ store, log: SILENT }).agent.create();
      const result = await turn('Look', callOf('look'));
      assert.equal(result.exitReason, 'tool_persistence_failed');
      assert.equal(result.failed, true);
      assert.equal(ran, 0);
    });

    it('148. has no lone surrogate, and neither has what is sent', async () => {
      const broken = `half ${String.fromCharCode(0xd83d)} end`;
      rig.registry.register(toolOf('look', async () => broken));
      await turn(broken, callOf('look'), answer('Done.'));
      session = rig.reopen(session.id);
      const texts = session.rows().map((row) => JSON.stringify(row));
      assert.ok(texts.every((text) => text.isWellFormed() && !/\\ud83d/i.test(text)));
      assert.equal(texts.filter((text) => text.includes('half \uFFFD end')).length >= 2, true);
      const sent = rig.server.requests.at(-1)?.bytes.toString() ?? '';
      assert.doesNotMatch(sent, /\\ud83d/i);
      assert.equal(sent.split('half \uFFFD end').length - 1, 2, 'the text and the result');
    });

    it('149. says that a turn was stopped with the user’s next words, never as the assistant’s', async () => {
      rig.server.script({ steps: [{ text: 'Half an ans' }, { pause: 'middle' }] });
      session.send('Write');
      await event(session, 'delta');
      session.stop();
      await session.settled();
      await turn('And now', answer('Yes.'));
      await turn('More', answer('Yes.'));
      const messages = messagesOf(rig.server.requests.at(-1));
      const noted = messages.filter((message) => /stopped your previous turn/.test(JSON.stringify(message)));
      assert.deepEqual(
        noted.map(({ role }) => role),
        ['user'],
      );
      assert.match(JSON.stringify(noted[0]), /And now/);
    });

    it('151. ends on an assistant row when a stop comes with a tool result last, and the roles go on by turns', async () => {
      const started = Promise.withResolvers<void>();
      rig.registry.register(
        toolOf('wait', async (_input, signal) => {
          started.resolve();
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          return 'stopped';
        }),
      );
      rig.server.script(callOf('wait'));
      session.send('Wait');
      await started.promise;
      session.stop();
      await session.settled();
      assert.deepEqual(
        session.rows().map(({ kind }) => kind),
        ['message', 'text', 'tool_result', 'closing'],
      );
      await turn('Go on', answer('Done.'));
      const roles = messagesOf(rig.server.requests.at(-1)).map(({ role }) => role);
      const result = wire === 'anthropic' ? 'user' : 'tool';
      assert.deepEqual(roles, ['user', 'assistant', result, 'assistant', 'user']);
    });

    it('168. asks once more without tools when the requests of a turn are used up, and says what is left', async () => {
      rig.settings = { ...rig.settings, stepBudget: 2 };
      session.settingsChanged();
      rig.write('a.txt', 'a');
      const read = callOf('read_file', { path: 'a.txt' });
      const result = await turn('Work', read, read, answer('Read a.txt twice; nothing is left.'));
      assert.equal(result.exitReason, 'step_budget');
      assert.equal(result.finalText, 'Read a.txt twice; nothing is left.');
      assert.equal(rig.server.requests.length, 3);
      assert.equal(toolsOf(rig.server.requests[1]) > 0, true);
      assert.equal(toolsOf(rig.server.requests[2]), 0);
      assert.match(JSON.stringify(messagesOf(rig.server.requests[2]).at(-1)), /used up its requests/);
    });

    it('168. asks for the last word a second time when it is empty, and not a third', async () => {
      rig.settings = { ...rig.settings, stepBudget: 1 };
      session.settingsChanged();
      rig.write('a.txt', 'a');
      const read = callOf('read_file', { path: 'a.txt' });
      const result = await turn('Work', read, { steps: [] }, answer('Read a.txt.'));
      assert.equal(result.finalText, 'Read a.txt.');
      const silent = await turn('Work', read, { steps: [] }, { steps: [] });
      assert.equal(silent.exitReason, 'step_budget');
      assert.equal(rig.server.requests.length, 6);
    });

    it('168. leaves the last word out when the user has said something new, which leads the next turn', async () => {
      rig.settings = { ...rig.settings, stepBudget: 1 };
      session.settingsChanged();
      rig.write('a.txt', 'a');
      rig.server.script(
        { steps: [{ call: { name: 'read_file', input: { path: 'a.txt' } } }, { pause: 'middle' }] },
        answer('In French.'),
      );
      session.send('Work');
      const first = await rig.server.nextRequest();
      await first.paused('middle');
      session.steer('In French');
      first.release('middle');
      await event(session, 'turn.ended', ({ result }) => result.finalText === 'In French.');
      assert.equal(rig.server.requests.length, 2);
    });
  });
}

describe('what is stored', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
  });

  afterEach(() => rig.close());

  it('146. waits for a lock that another process holds for 5 s, and is written then', async () => {
    const { store, clock, waited } = lockedFor(rig.store, 5_000);
    const session = rig.secondWindow({ store, clock, log: SILENT }).agent.create();
    rig.server.script(answer('Done.'));
    const { turnId } = session.send('Hello');
    const result = await session.settled(turnId);
    assert.equal(result.exitReason, 'answered');
    assert.ok(waited() >= 5_000, `${waited()}`);
    assert.deepEqual(
      rig.store.rows(session.id).map(({ kind }) => kind),
      ['message', 'text'],
    );
  });

  it('146. gives the turn up when the lock is held for ever, with the cause and what to do', async () => {
    const { store, clock, waited } = lockedFor(rig.store, Number.POSITIVE_INFINITY);
    const session = rig.secondWindow({ store, clock, log: SILENT }).agent.create();
    rig.server.script(answer('Done.'));
    const { turnId } = session.send('Hello');
    const result = await session.settled(turnId);
    assert.equal(result.exitReason, 'storage_failed');
    assert.equal(result.error?.kind, 'storage_locked');
    assert.match(result.error.message, /Another VS Code window is writing/);
    assert.ok(waited() >= 20_000, `${waited()}`);
  });

  it('147. tells a full disk, a lock and an unknown cause apart', () => {
    const kindOf = (error: unknown) => storageErrorFrom(error, '/store').kind;
    assert.equal(kindOf(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })), 'disk');
    assert.equal(kindOf(Object.assign(new Error('database or disk is full'), { errcode: 13 })), 'disk');
    assert.equal(kindOf(Object.assign(new Error('database is locked'), { errcode: 5 })), 'locked');
    // "Disk image" is in its words, and it is no full disk.
    assert.equal(kindOf(Object.assign(new Error('database disk image is malformed'), { errcode: 11 })), 'corrupt');
    assert.equal(kindOf(new Error('something else')), 'unknown');
    assert.match(storageErrorFrom(new Error(''), '/store').message, /\S/);
  });

  it('152. takes a title only over one of lower rank, and a compaction leaves it alone', async () => {
    assert.equal(mayReplaceTitle('derived', 'model'), true);
    assert.equal(mayReplaceTitle('user', 'model'), false);
    assert.equal(mayReplaceTitle('user', 'derived'), false);
    assert.equal(mayReplaceTitle('model', 'derived'), false);
    const session = rig.agent.create();
    rig.store.rename(session.id, 'Walnuts', 'user');
    rig.store.rename(session.id, 'About nuts', 'model');
    rig.server.script(answer('One.'), answer('Two.'), answer('SUMMARY'));
    for (const text of ['Say one', 'Say two']) await session.settled(session.send(text).turnId);
    session.compact();
    await session.settled();
    assert.equal(rig.store.get(session.id)?.title, 'Walnuts');
    assert.ok(session.rows().some(({ kind }) => kind === 'summary'));
  });

  it('153. is searched with any words without an error', async () => {
    const session = rig.agent.create();
    rig.server.script(answer('a foo-bar is here'));
    await session.settled(session.send('Where is it?').turnId);
    assert.equal(rig.agent.search('foo-bar').length, 1);
    for (const query of ['"unclosed', 'AND', 'a OR', '*', 'NEAR(', '(', '']) {
      assert.ok(Array.isArray(rig.agent.search(query)), query);
    }
  });

  it('154. ends a review before the live request of the next turn, which does not pay for it', async () => {
    rig.settings = { ...rig.settings, review: { enabled: true, requests: 4, tokens: 50_000 } };
    const session = rig.agent.create();
    const reviewing: Script = {
      steps: [{ usage: { input: 5_000, output: 1 } }, { text: 'Noth' }, { pause: 'middle' }],
    };
    rig.server.script(answer('Sorted.'), reviewing, answer('Reversed.'));
    await session.settled(session.send('Sort it').turnId);
    const review = await rig.server.request(1);
    await review.paused('middle');
    const result = await session.settled(session.send('Reverse it').turnId);
    assert.equal((await review.closed).by, 'client');
    const live = await rig.server.request(2);
    assert.ok((await review.closed).at <= live.arrivedAt, 'its socket was closed first');
    assert.equal(result.usage.input, 100);
    assert.equal(session.usage.input, 200);
  });
});

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** The store whose commits of some rows fail. */
function failing(
  inner: SessionStore,
  fits: (rows: readonly TranscriptRow[]) => boolean,
  error: StorageError,
): SessionStore {
  return replaced(inner, (commit) => {
    if (fits(commit.rows ?? [])) throw error;
    inner.commit(commit);
  });
}

/** Assistant rows find the lock held until so many milliseconds of the returned clock have passed. */
function lockedFor(inner: SessionStore, ms: number): { store: SessionStore; clock: Clock; waited: () => number } {
  let now = Date.now();
  let since: number | undefined;
  const store = replaced(inner, (commit) => {
    if (commit.rows?.some(({ role }) => role === 'assistant')) {
      since ??= now;
      if (now - since < ms) throw storageErrorFrom(Object.assign(new Error('locked'), { errcode: 5 }), '/store');
    }
    inner.commit(commit);
  });
  const clock: Clock = {
    now: () => now,
    after: (delay, callback) => {
      const timer = setImmediate(() => {
        now += delay;
        callback();
      });
      return () => clearImmediate(timer);
    },
  };
  return { store, clock, waited: () => (since === undefined ? 0 : now - since) };
}

function replaced(inner: SessionStore, commit: SessionStore['commit']): SessionStore {
  return new Proxy(inner, {
    get(_, name) {
      if (name === 'commit') return commit;
      const value: unknown = Reflect.get(inner, name, inner);
      return typeof value === 'function' ? value.bind(inner) : value;
    },
  });
}

/** Without the system prompt. */
function messagesOf(request: RecordedRequest | undefined): readonly { readonly role: string }[] {
  const { messages = [] } = (request?.body ?? {}) as { messages?: readonly { role: string }[] };
  return messages.filter(({ role }) => role !== 'system');
}

function toolsOf(request: RecordedRequest | undefined): number {
  const { tools } = (request?.body ?? {}) as { tools?: readonly unknown[] };
  return tools?.length ?? 0;
}
