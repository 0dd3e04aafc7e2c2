import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LiveSession } from '../../../src/agent/turn/index.ts';
import { hurriedClock, OtherWindow } from './other-window.ts';
import { event, Rig } from './rig.ts';

const texts = (session: LiveSession) => session.rows().map((row) => row.displayText);

describe('a session that another window runs', () => {
  let rig: Rig;
  let session: LiveSession;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
    session = rig.agent.create();
    rig.hooks.set('agent_loop_stopped', () => ({}));
  });

  afterEach(() => rig.close());

  /** Half an answer is on the screen of the first window. */
  async function running(): Promise<LiveSession> {
    rig.server.script({ steps: [{ text: 'Half' }, { pause: 'p' }, { text: ' whole' }] });
    session.send('Go');
    await event(session, 'delta');
    return rig.secondWindow().agent.open(session.id);
  }

  it('can be read there, and nothing can be said', async () => {
    const there = await running();
    assert.equal(there.runsElsewhere && there.canTakeOver, true);
    assert.match(there.readOnly ?? '', /running in another window/);
    const refused = there.send('Me too');
    assert.equal(refused.outcome === 'refused' && refused.reason, 'read_only');
    assert.equal(there.state, 'idle');
    (await rig.server.request(0)).release('p');
    assert.equal((await session.settled()).finalText, 'Half whole');
    assert.equal(rig.server.requests.length, 1);
  });

  it('is followed: its rows appear there, and it is live there by itself when the turn has ended', async () => {
    const there = await running();
    rig.server.script({ steps: [{ text: 'And more' }] });
    session.queue('Next', { id: 'next' });
    (await rig.server.request(0)).release('p');
    await event(there, 'row', ({ row }) => row.displayText === 'And more');
    await event(there, 'notice', () => there.readOnly === undefined);
    assert.deepEqual(texts(there), ['Go', 'Half whole', 'Next', 'And more']);
    assert.equal(there.runsElsewhere, false);
    assert.equal(there.send('Now me').outcome, 'started');
    assert.equal((await there.settled()).exitReason, 'answered');
    assert.equal(rig.server.requests.at(-1)?.invalid, undefined);
  });

  it('is followed by the window that ran it before', async () => {
    session.send('One');
    await session.settled();
    const there = rig.secondWindow().agent.open(session.id);
    rig.server.script({ steps: [{ text: 'Two half' }, { pause: 'p' }] });
    there.send('Two');
    await event(there, 'delta');
    const refused = session.send('Three');
    assert.equal(refused.outcome === 'refused' && refused.reason, 'read_only');
    assert.match(session.readOnly ?? '', /running in another window/);
    assert.deepEqual(texts(session), ['One', 'You said: One', 'Two']);
    there.stop();
    await event(session, 'notice', () => session.readOnly === undefined);
    assert.equal(texts(session).at(-1), 'Two half');
  });

  it('is handed over on request: the turn is stopped for that reason, with its text and its queue', async () => {
    const there = await running();
    session.queue('Later', { id: 'later' });
    assert.equal(await there.takeOver(), true);

    const result = await session.settled();
    assert.equal(result.exitReason, 'interrupted_by_system(taken_over)');
    assert.deepEqual(
      rig.fired.filter((hook) => hook.event === 'agent_loop_stopped').map((hook) => hook.payload.reason),
      ['taken_over'],
    );
    assert.match((await event(session, 'notice', ({ kind }) => kind === 'taken_over')).text, /took this session over/);
    assert.equal(there.readOnly, undefined);
    assert.deepEqual(texts(there), ['Go', 'Half']);
    assert.deepEqual(
      there.items().map(({ id, state }) => [id, state.is]),
      [['later', 'held']],
    );
    there.send('Go on here');
    assert.equal((await there.settled()).exitReason, 'answered');
    assert.equal(rig.server.requests.at(-1)?.invalid, undefined);
  });

  it('is handed over although the database is locked for a moment when it is asked for', async () => {
    const there = await running();
    const locker = new DatabaseSync(join(rig.dataFolder, 'sessions.db'));
    locker.exec('BEGIN IMMEDIATE');
    const taking = there.takeOver();
    locker.exec('ROLLBACK');
    locker.close();
    assert.equal(await taking, true);
    assert.equal((await session.settled()).exitReason, 'interrupted_by_system(taken_over)');
  });

  it('is taken in time when its window does not answer, also when the clock is put back meanwhile', async () => {
    const { id } = rig.agent.create();
    rig.store.commit({ sessionId: id, lease: 'take' });
    let now = Date.now();
    const clock = { ...hurriedClock, now: () => (now -= 60_000) };
    const there = rig.secondWindow({ clock }).agent.open(id);
    assert.equal(there.runsElsewhere, true);
    assert.equal(await there.takeOver(), true);
    assert.equal(rig.store.leases.state(id), 'lost');
  });

  it('is not disturbed by a request that finds it idle', async () => {
    const there = await running();
    (await rig.server.request(0)).release('p');
    await session.settled();
    assert.equal(await there.takeOver(), true);
    assert.equal(session.turnResult(session.rows()[0]?.turnId ?? '')?.exitReason, 'answered');
    assert.equal(session.readOnly, undefined);
  });

  it('is read-only, and not disturbed, for a second object of the same window that opens it by its id', async () => {
    await running();
    const second = rig.secondWindow({ store: rig.store }).agent.open(session.id);
    assert.equal(second.send('Me too').outcome, 'refused');
    assert.equal(second.canTakeOver, false);
    second.look();
    assert.equal(rig.store.leases.state(session.id), 'held');
    (await rig.server.request(0)).release('p');
    assert.equal((await session.settled()).finalText, 'Half whole');
    await event(second, 'notice', () => second.readOnly === undefined);
    assert.deepEqual(texts(second), ['Go', 'Half whole']);
  });

  it('lets only one of two windows begin a turn', async () => {
    session.send('One');
    await session.settled();
    const there = rig.secondWindow().agent.open(session.id);
    rig.server.script({ steps: [{ text: 'x' }], holdHead: true });
    assert.equal(session.send('Mine', { id: 'mine' }).outcome, 'started');
    const refused = there.send('Yours', { id: 'yours' });
    assert.equal(refused.outcome === 'refused' && refused.reason, 'read_only');
    assert.equal(there.item('yours'), undefined);
    (await rig.server.request(1)).release();
    await session.settled();
    assert.equal(rig.server.requests.length, 2);
  });

  describe('and that is taken without its consent', () => {
    it('ends its turn at once, and nothing that it still does is stored', async () => {
      const there = await running();
      const request = await rig.server.request(0);
      rig.store.leases.beat(session.id);
      const { store } = rig.secondWindow();
      store.leases.seize(session.id);
      there.look();
      assert.equal(there.readOnly, undefined);
      assert.deepEqual(texts(there), ['Go']);

      request.release('p');
      const result = await session.settled();
      assert.equal(result.exitReason, 'interrupted_by_system(taken_over)');
      await event(session, 'notice', ({ kind }) => kind === 'taken_over');
      assert.deepEqual(texts(there), ['Go']);
      there.send('Mine now');
      assert.equal((await there.settled()).exitReason, 'answered');
      assert.equal(rig.server.requests.at(-1)?.invalid, undefined);
    });

    it('ends its command too, and refuses what is said meanwhile', async () => {
      rig.server.script({
        steps: [{ call: { name: 'terminal', input: { command: 'echo ready; sleep 60' } } }],
      });
      session.onDidEmit((seen) => {
        if (seen.type === 'approval.opened') session.answer(seen.id, 'once');
      });
      session.send('Run it');
      await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
      const { store, agent } = rig.secondWindow();
      store.leases.seize(session.id);
      const there = agent.open(session.id);
      const before = store.rows(session.id);
      assert.equal(session.queue('Later').outcome, 'refused');
      const result = await session.settled();
      assert.equal(result.exitReason, 'interrupted_by_system(taken_over)');
      assert.deepEqual(result.survivors, []);
      assert.deepEqual(store.rows(session.id), before);
      assert.deepEqual(there.items(), []);
    });
  });
});

describe('a session whose window is another process', () => {
  let rig: Rig;
  let session: LiveSession;
  let other: OtherWindow;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
    const { id } = rig.agent.create();
    rig.server.script({ steps: [{ text: 'Half' }, { pause: 'p' }, { text: ' TOO LATE' }] });
    other = new OtherWindow(rig, id);
    await other.event('delta');
    session = rig.secondWindow().agent.open(id);
  });

  afterEach(async () => {
    await other.kill();
    await rig.close();
  });

  it('is free when that process was killed: the turn is closed as interrupted', async () => {
    assert.equal(session.runsElsewhere, true);
    await other.kill();
    await event(session, 'notice', () => session.readOnly === undefined);
    assert.equal((await session.settled()).exitReason, 'interrupted_by_reload');
    assert.equal(session.send('Go on').outcome, 'started');
    assert.equal((await session.settled()).exitReason, 'answered');
  });

  it('is handed over while that process works', async () => {
    assert.equal(await session.takeOver(), true);
    assert.equal((await other.event('turn.ended')).result.exitReason, 'interrupted_by_system(taken_over)');
    assert.deepEqual(
      session.rows().map((row) => [row.displayText, row.interrupted]),
      [
        ['Go', undefined],
        ['Half', 'stop'],
      ],
    );
  });

  it('is taken when that process hangs, with the text that it saved; once awake it changes nothing', async () => {
    await savedPartial(rig, session.id);
    other.hang();
    session = rig.secondWindow({ clock: hurriedClock }).agent.open(session.id);
    assert.equal(await session.takeOver(), true);
    const taken = session.rows();
    assert.deepEqual(
      taken.map((row) => [row.displayText, row.interrupted]),
      [
        ['Go', undefined],
        ['Half', 'reload'],
      ],
    );
    assert.equal((await session.settled()).exitReason, 'interrupted_by_reload');

    other.goOn();
    (await rig.server.request(0)).release('p');
    assert.equal((await other.event('turn.ended')).result.exitReason, 'interrupted_by_system(taken_over)');
    assert.deepEqual(session.rows(), taken);
    session.send('Go on');
    assert.equal((await session.settled()).exitReason, 'answered');
    assert.equal(rig.server.requests.at(-1)?.invalid, undefined);
    assert.doesNotMatch(JSON.stringify(session.rows()), /TOO LATE/);
  });
});

describe('a turn of a version that had no leases', () => {
  it('is left alone while its process lives, cannot be taken over, and is closed when that is gone', async () => {
    const rig = await Rig.start('openai-chat');
    const window = spawn('sleep', ['60']);
    await once(window, 'spawn');
    try {
      const { id } = rig.agent.create();
      const { pid = 0 } = window;
      rig.store.commit({ sessionId: id, turn: { id: 't', startedAt: 1, owner: { pid, processStart: '' } } });
      const session = rig.secondWindow().agent.open(id);
      assert.equal(session.runsElsewhere, true);
      assert.equal(session.canTakeOver, false);
      assert.equal(await session.takeOver(), false);
      assert.match(session.readOnly ?? '', /running in another window/);
      window.kill('SIGKILL');
      await event(session, 'notice', () => session.readOnly === undefined);
      assert.equal((await session.settled()).exitReason, 'interrupted_by_reload');
    } finally {
      window.kill('SIGKILL');
      await rig.close();
    }
  });
});

/** Answers are saved now and then while they are written. */
async function savedPartial(rig: Rig, sessionId: string): Promise<void> {
  while (rig.store.partial(sessionId) === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
}
