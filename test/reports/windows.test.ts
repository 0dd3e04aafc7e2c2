import assert from 'node:assert/strict';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import { RESUME_WITHIN } from '../../src/agent/turn/resume.ts';
import { OtherWindow } from '../unit/turn/other-window.ts';
import { answersOnly, assertTrue, call, event, replay, statuses } from './replay.ts';

const texts = (session: LiveSession) => session.rows().map((row) => row.displayText);
const words = { text: 'Continue where you were interrupted.', notice: 'The interrupted turn goes on by itself.' };

describe('reports 11, two windows', () => {
  const at = replay('openai-chat');

  it('B161: two windows that send at once have two sessions in one list, and neither changes the other’s', async () => {
    const { rig, session: mine } = at();
    const other = rig.secondWindow();
    const theirs = other.agent.create();
    rig.server.script({ steps: [{ text: 'A' }, { pause: 'p' }, { text: 'A' }] });
    rig.server.script({ steps: [{ text: 'A' }, { pause: 'p' }, { text: 'A' }] });
    mine.send('Mine');
    theirs.send('Theirs');
    await Promise.all([event(mine, 'delta'), event(theirs, 'delta')]);
    for (const index of [0, 1]) (await rig.server.request(index)).release('p');
    await Promise.all([mine.settled(), theirs.settled()]);
    assert.deepEqual(
      [texts(mine), texts(theirs)],
      [
        ['Mine', 'AA'],
        ['Theirs', 'AA'],
      ],
    );
    for (const { agent } of [rig, other]) {
      assert.deepEqual(new Set(agent.list().map(({ title }) => title)), new Set(['Mine', 'Theirs']));
    }
  });

  it('B161: a session that runs in one window is read-only in the other, and is live there afterwards', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'x' }, { pause: 'p' }, { text: 'y' }] });
    session.send('Go');
    await event(session, 'delta');
    const there = rig.secondWindow().agent.open(session.id);
    const refused = there.send('Me too');
    assert.equal(refused.outcome === 'refused' && refused.reason, 'read_only');
    (await rig.server.request(0)).release('p');
    await event(there, 'notice', () => there.readOnly === undefined);
    await answersOnly(rig, there, 'Now me');
    assertTrue(there, rig, []);
  });

  it('B163: a window notices before it sends that another one went on; it shows that and forks nothing', async () => {
    const { rig, session } = at();
    await answersOnly(rig, session, 'one');
    const there = rig.secondWindow().agent.open(session.id);
    await answersOnly(rig, there, 'two');
    const refused = session.send('three');
    assert.ok(refused.outcome === 'refused' && /went on in another window/.test(refused.message));
    assert.deepEqual(texts(session), ['one', 'You said: one', 'two', 'You said: two']);
    await answersOnly(rig, session, 'three');
    assertTrue(session, rig, []);
  });
});

describe('reports 11, a window that is killed', () => {
  const at = replay('openai-chat');
  let other: OtherWindow | undefined;

  afterEach(() => other?.kill());

  /** The first window is another process. */
  function elsewhere(): OtherWindow {
    const { rig, session } = at();
    other = new OtherWindow(rig, session.id);
    return other;
  }

  function reopened(): LiveSession {
    const { rig, session } = at();
    return rig.secondWindow().agent.open(session.id);
  }

  it('B152: its turn is closed with the text that was saved, and the composer is live', async () => {
    const { rig } = at();
    rig.server.script({ steps: [{ text: 'Half an answer' }, { pause: 'never' }] });
    const window = elsewhere();
    await window.event('delta');
    while (rig.store.partial(at().session.id) === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
    await window.kill();
    const session = reopened();
    assert.equal(session.state, 'idle');
    assert.equal(session.readOnly, undefined);
    const last = session.rows().at(-1);
    assert.deepEqual([last?.displayText, last?.interrupted], ['Half an answer', 'reload']);
    assert.equal((await session.settled()).exitReason, 'interrupted_by_reload');
    await answersOnly(rig, session, 'go on');
    assertTrue(session, rig, []);
  });

  it('B154: the message is stored when its request is sent', async () => {
    const { rig } = at();
    rig.server.script({ steps: [{ text: 'x' }], holdHead: true });
    const window = elsewhere();
    await rig.server.request(0);
    await window.kill();
    const session = reopened();
    assert.deepEqual(texts(session), ['Go']);
    await answersOnly(rig, session, 'go on');
  });

  it('B155: right behind the end of a turn nothing is busy, and the answer is there', async () => {
    const { rig } = at();
    const window = elsewhere();
    await window.event('turn.ended');
    await window.kill();
    const session = reopened();
    assert.equal(session.state, 'idle');
    assert.equal((await session.settled()).exitReason, 'answered');
    assert.deepEqual(texts(session), ['Go', 'You said: Go']);
    await answersOnly(rig, session, 'go on');
  });

  describe('resumed by itself', () => {
    beforeEach(() => {
      const { rig } = at();
      rig.settings = { ...rig.settings, resume: 'auto' };
      rig.server.script({ steps: [{ text: 'Half' }, { pause: 'never' }] });
    });

    it('control 127: a moment later one turn goes on, and says so', async () => {
      const window = elsewhere();
      await window.event('delta');
      await window.kill();
      const session = reopened();
      assert.equal(session.resumeByItself(words)?.outcome, 'started');
      assert.equal(session.resumeByItself(words), undefined);
      assert.equal((await session.settled()).exitReason, 'answered');
      assert.equal(session.events(0).filter((seen) => seen.type === 'notice' && seen.kind === 'resumed').length, 1);
      assertTrue(session, at().rig, []);
    });

    it('control 128: an hour later nothing starts', async () => {
      const { rig, session } = at();
      const window = elsewhere();
      await window.event('delta');
      await window.kill();
      const late = () => Date.now() + RESUME_WITHIN + 1;
      const { agent } = rig.secondWindow({ clock: { now: late, after: () => () => undefined } });
      assert.equal(agent.open(session.id).resumeByItself(words), undefined);
      assert.equal(rig.server.requests.length, 1);
    });

    it('control 129, 134: a third time nothing starts, and the prompt is still the first one', async () => {
      const { rig, session: first } = at();
      first.send('Go');
      let session = first;
      for (const attempt of [1, 2]) {
        await event(session, 'delta', (delta) => delta.turnId === session.view()?.turnId);
        session = rig.reopen(session.id);
        rig.server.script({ steps: [{ text: 'Half' }, { pause: 'never' }] });
        assert.equal(session.resumeByItself(words)?.id.startsWith(`resume-${attempt}:`), true);
      }
      await event(session, 'delta', (delta) => delta.turnId === session.view()?.turnId);
      session = rig.reopen(session.id);
      assert.equal(session.resumeByItself(words), undefined);
      assert.equal(session.rows()[0]?.displayText, 'Go');
      assertTrue(session, rig, []);
    });

    it('control 131: while the window that wrote the turn lives nothing starts', async () => {
      const { rig } = at();
      const window = elsewhere();
      await window.event('delta');
      const session = reopened();
      assert.equal(session.resumeByItself(words), undefined);
      assert.equal(session.runsElsewhere, true);
      assert.equal(rig.server.requests.length, 1);
    });

    it('control 132: what could not be stored was no attempt: the next opening tries again', async () => {
      const { rig, session: first } = at();
      first.send('Go');
      await event(first, 'delta');
      const session = rig.reopen(first.id);
      const { commit } = rig.store;
      rig.store.commit = () => {
        throw new Error('the disk is full');
      };
      assert.equal(session.resumeByItself(words)?.outcome, 'refused');
      rig.store.commit = commit;
      assert.equal(session.resumeByItself(words)?.outcome, 'started');
    });
  });

  it('control 133: an error that was handled is not gone on with', async () => {
    const { rig, session: first } = at();
    rig.settings = { ...rig.settings, resume: 'auto', maxAttempts: 1 };
    rig.server.script({ status: 500, body: { error: { message: 'broken' } } });
    first.send('Go');
    assert.equal((await first.settled()).exitReason, 'model_error');
    assert.equal(rig.reopen(first.id).resumeByItself(words), undefined);
  });

  it('control 136: a call that ran has a result that says its effect is unknown, the one behind it was not run', async () => {
    const { rig } = at();
    rig.write('a.txt', 'a');
    rig.server.script({
      steps: [call('terminal', { command: 'echo ready; sleep 60' }), call('read_file', { path: 'a.txt' })],
    });
    const window = elsewhere();
    await window.event('tool', (tool) => tool.output?.includes('ready') ?? false);
    await window.kill();
    const session = reopened();
    assert.deepEqual(statuses(session), ['abandoned', 'not_run']);
    assert.match(session.rows().find((row) => row.status === 'abandoned')?.displayText ?? '', /May have run in part/);
    await answersOnly(rig, session, 'go on');
    assertTrue(session, rig, []);
  });
});
