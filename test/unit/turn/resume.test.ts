import assert from 'node:assert/strict';
import type { TurnRecord } from '../../../src/agent/session/index.ts';
import type { LiveSession } from '../../../src/agent/turn/index.ts';
import { RESUME_ATTEMPTS, RESUME_WITHIN, type ResumeFacts, resumeOf } from '../../../src/agent/turn/resume.ts';
import { item, result, row, turn } from '../session/builders.ts';
import { event, Rig } from './rig.ts';

const DIED_AT = 1_000_000;

const interrupted = (id: string, more: Partial<TurnRecord> = {}) =>
  turn(id, 1, {
    endedAt: DIED_AT,
    result: result(id, { exitReason: 'interrupted_by_reload', completed: false }),
    ...more,
  });

/** Turns that one after the other were interrupted, each begun by the item of its place. */
function facts(turns: readonly TurnRecord[], begunBy: readonly string[]): ResumeFacts {
  const rows = turns.map(({ id }, index) => row(index + 1, 'x', { turnId: id, itemIds: [begunBy[index] ?? ''] }));
  const items = begunBy.map((id, index) => item(id, index + 1));
  return { turns, rows: () => rows, items: () => items };
}

describe('a turn that its window left behind', () => {
  const once = facts([interrupted('t1')], ['user-1']);

  it('may go on by itself for 15 minutes after its window was last seen', () => {
    assert.deepEqual(resumeOf(once, DIED_AT), { itemId: 'resume-1:t1', turnId: 't1', attempt: 1 });
    assert.ok(resumeOf(once, DIED_AT + RESUME_WITHIN - 1));
    assert.equal(resumeOf(once, DIED_AT + RESUME_WITHIN), undefined);
  });

  it('may not when the session has had no turn, or none that was begun by a text', () => {
    assert.equal(resumeOf({ turns: [], rows: () => [], items: () => [] }, DIED_AT), undefined);
    assert.equal(resumeOf({ ...once, rows: () => [] }, DIED_AT), undefined);
  });

  for (const exitReason of [
    'answered',
    'interrupted_by_user',
    'interrupted_by_system(liveness)',
    'model_error',
  ] as const) {
    it(`may not when it ended as ${exitReason}`, () => {
      const ended = interrupted('t1', { result: result('t1', { exitReason }) });
      assert.equal(resumeOf(facts([ended], ['user-1']), DIED_AT), undefined);
    });
  }

  it('may not when it was stopped before its window died, whoever stopped it', () => {
    for (const by of ['user', 'taken_over']) {
      const stopped = interrupted('t1', { stopped: { by, reason: by, seq: 9 } });
      assert.equal(resumeOf(facts([stopped], ['user-1']), DIED_AT), undefined);
    }
  });

  it('counts attempts in a row for the same prompt, and gives up after the second', () => {
    const twice = facts([interrupted('t1'), interrupted('t2')], ['user-1', 'resume-1:t1']);
    assert.deepEqual(resumeOf(twice, DIED_AT), { itemId: 'resume-2:t1', turnId: 't1', attempt: 2 });
    const begunBy = ['user-1', 'resume-1:t1', 'resume-2:t1'];
    const thrice = facts([interrupted('t1'), interrupted('t2'), interrupted('t3')], begunBy);
    assert.equal(RESUME_ATTEMPTS, 2);
    assert.equal(resumeOf(thrice, DIED_AT), undefined);
  });

  it('counts anew after a message of the user', () => {
    const begunBy = ['user-1', 'resume-1:t1', 'resume-2:t1', 'user-2'];
    const next = facts([interrupted('t1'), interrupted('t2'), interrupted('t3'), interrupted('t4')], begunBy);
    assert.deepEqual(resumeOf(next, DIED_AT), { itemId: 'resume-1:t4', turnId: 't4', attempt: 1 });
  });

  it('is not gone on with twice when the first try got no further than its text', () => {
    const held = { ...once, items: () => [...once.items(), item('resume-1:t1', 5, { is: 'held' })] };
    assert.equal(resumeOf(held, DIED_AT), undefined);
  });

  it('counts as young when the clock was put back', () => {
    assert.ok(resumeOf(once, DIED_AT - 3_600_000));
  });
});

describe('midcourse.resume', () => {
  let rig: Rig;
  let session: LiveSession;
  const words = { text: 'Continue.', notice: 'It goes on.' };

  beforeEach(async () => {
    rig = await Rig.start('openai-chat', { resume: 'auto' });
    session = rig.agent.create();
  });

  afterEach(() => rig.close());

  /** The window is gone while an answer is written. */
  async function reload(): Promise<void> {
    await event(session, 'delta', (delta) => delta.turnId === session.view()?.turnId);
    session = rig.reopen(session.id);
  }

  const half = () => rig.server.script({ steps: [{ text: 'Half' }, { pause: 'never' }] });

  it('auto: goes on in a turn of its own, says so, and keeps the prompt and what was written', async () => {
    half();
    session.send('Do it');
    await reload();
    assert.equal(session.resumeByItself(words)?.outcome, 'started');
    assert.equal((await event(session, 'notice', ({ kind }) => kind === 'resumed')).text, 'It goes on.');
    assert.equal((await session.settled()).exitReason, 'answered');
    assert.deepEqual(
      session.rows().map((one) => one.displayText),
      ['Do it', 'Half', 'Continue.', 'You said: Continue.'],
    );
    assert.equal(session.resumeByItself(words), undefined);
  });

  it('auto: tries twice when the window dies each time, then leaves it to the user', async () => {
    half();
    session.send('Do it');
    for (let attempt = 1; attempt <= 2; attempt++) {
      await reload();
      half();
      assert.equal(session.resumeByItself(words)?.outcome, 'started');
    }
    await reload();
    assert.equal(session.resumeByItself(words), undefined);
    assert.equal(session.state, 'idle');
    assert.equal(rig.server.requests.length, 3);
  });

  it('auto: does not revive a turn whose stop was accepted before the window died', async () => {
    rig.server.script({
      steps: [{ call: { name: 'terminal', input: { command: "trap '' INT TERM; echo on; sleep 60" } } }],
    });
    session.onDidEmit((seen) => {
      if (seen.type === 'approval.opened') session.answer(seen.id, 'once');
    });
    session.send('Do it');
    await event(session, 'tool', (tool) => tool.output?.includes('on') ?? false);
    session.stop();
    session = rig.reopen(session.id);
    assert.equal(session.resumeByItself(words), undefined);
  });

  it('auto: leaves a turn alone that another window still runs', async () => {
    half();
    session.send('Do it');
    await event(session, 'delta');
    const there = rig.secondWindow().agent.open(session.id);
    assert.equal(there.resumeByItself(words), undefined);
    assert.equal(rig.server.requests.length, 1);
  });

  for (const resume of ['offer', 'off'] as const) {
    it(`${resume}: nothing starts by itself`, async () => {
      rig.settings = { ...rig.settings, resume };
      half();
      session.send('Do it');
      await reload();
      assert.equal(session.resumeByItself(words), undefined);
      assert.equal(session.state, 'idle');
    });
  }
});
