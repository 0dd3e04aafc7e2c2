import assert from 'node:assert/strict';
import { ABANDON_AFTER, SAME_PRESS } from '../../../src/agent/control/index.ts';
import { Driver, during } from '../../sim/driver.ts';

/** A batch with one call in each state: done, running, approval, question, beginning, and one of a later segment. */
function withEveryCallState(): Driver {
  const session = during('model');
  session.answer(['done', 'runs', 'asks', 'question', 'begins'], 'waits');
  session.run('done', 'runs');
  session.result('done');
  session.approval('asks');
  session.question('question');
  return session;
}

describe('a stop', () => {
  it('is in the same transaction as everything it decides, before its receipt', () => {
    const session = during('tool');
    session.steer('s1');
    const { seq } = session.stop({ by: 'user' });
    const cause = { seq, by: 'user', reason: 'stop_button', onQueue: 'hold' };
    assert.deepEqual(session.writes[0], { write: 'turn', turnId: session.turnId, state: 'stopped', cause });
  });

  it('names a system producer in the exit reason, and is never booked as the user’s', () => {
    const session = during('model');
    session.stop({ by: 'liveness' });
    assert.deepEqual(
      session.ends.map(({ exit, cause }) => [exit, cause?.by]),
      [['interrupted_by_system(liveness)', 'liveness']],
    );
  });

  it('while the model is asked closes the request and keeps the visible text', () => {
    const session = during('model');
    session.stop();
    assert.equal(session.did('abortRequest').length, 1);
    assert.deepEqual(session.rows, ['user first', 'partial stop']);
  });

  it('during back-off ends the wait', () => {
    const session = during('backoff');
    session.stop();
    assert.equal(session.did('cancelWait').length, 1);
    assert.deepEqual(session.rows, ['user first', 'partial stop']);
  });

  it('between back-off and the next attempt keeps the visible text as well', () => {
    const session = new Driver({ hooks: true });
    session.send('first');
    session.hooks();
    session.backOff();
    session.steer('s1');
    session.waited();
    session.stop();
    assert.deepEqual(session.rows, ['user first', 'partial stop']);
  });

  it('while prompt hooks run does not wait for them, and drops their answer', () => {
    const session = during('hook');
    const { turnId } = session.attempt;
    session.stop();
    assert.equal(session.did('cancelPrepare').length, 1);
    session.feed({ type: 'prepared', turnId, itemIds: ['early'], blocked: [] });
    assert.deepEqual([...session.writes, ...session.effects], []);
  });

  it('during end-of-turn work cancels it', () => {
    const session = during('finalizing');
    session.stop();
    assert.equal(session.did('cancelFinalize').length, 1);
  });

  it('before the first text is in the history gives it back, and the turn never ran', () => {
    const session = during('starting');
    session.stop();
    assert.equal(session.did('cancelPrepare').length, 1);
    assert.equal(session.stateOf('first'), 'returned');
    assert.deepEqual(
      session.ends.map(({ running }) => running),
      [false],
    );
    assert.deepEqual(session.rows, []);
  });

  it('aborts every running call, withdraws cards and questions, and runs nothing that had not started', () => {
    const session = withEveryCallState();
    session.stop();
    assert.deepEqual(
      session.did('abortCall').map(({ callId }) => callId),
      ['runs'],
    );
    assert.deepEqual(
      session.did('closeCall').map(({ callId, status }) => [callId, status]),
      [
        ['asks', 'withdrawn'],
        ['question', 'withdrawn'],
        ['begins', 'not_run'],
        ['waits', 'not_run'],
      ],
    );
    session.run('begins');
    session.allow('asks');
    assert.deepEqual(session.did('run'), []);
  });

  it('leaves each call with exactly one result in call order, and a closing row after them', () => {
    const session = withEveryCallState();
    session.stop();
    assert.deepEqual(session.rows.slice(2), ['result done success']);
    session.result('runs', 'stopped');
    assert.deepEqual(session.rows.slice(2), [
      'result done success',
      'result runs stopped',
      'result asks withdrawn',
      'result question withdrawn',
      'result begins not_run',
      'result waits not_run',
      'closing',
    ]);
    assert.equal(session.phase, 'idle');
  });

  it('keeps the real result of a call that finished anyway', () => {
    const session = during('stopping');
    session.result('c1', 'success');
    assert.deepEqual(session.rows.slice(2), ['result c1 success', 'closing']);
  });

  it('never begins the calls of an answer that completes after it', () => {
    const session = during('model');
    const late = session.attempt;
    session.stop();
    session.feed({ type: 'answered', ...late, calls: [{ id: 'c1', segment: 0 }], substance: true });
    assert.deepEqual([...session.writes, ...session.effects], []);
  });

  it('fires no end-of-turn work', () => {
    for (const column of ['model', 'approval', 'backoff'] as const) {
      const session = during(column);
      session.stop();
      assert.deepEqual(session.did('finalize'), []);
    }
  });
});

describe('tools that ignore a stop', () => {
  it('are given up after two seconds, and the turn ends', () => {
    const session = during('tool');
    session.stop();
    assert.deepEqual(
      session.did('abandonAfter').map(({ ms }) => ms),
      [2000],
    );
    assert.equal(ABANDON_AFTER, 2000);
    session.abandon();
    assert.deepEqual(session.rows.slice(2), ['result c1 abandoned', 'closing']);
    assert.equal(session.phase, 'idle');
  });

  it('bring their late result to nobody', () => {
    const session = during('stopping');
    const { turnId } = session.attempt;
    session.abandon();
    session.feed({ type: 'result', turnId, callId: 'c1', status: 'success' });
    assert.deepEqual([...session.writes, ...session.effects], []);
  });

  it('are not waited for when none runs', () => {
    const session = during('approval');
    session.stop();
    assert.deepEqual(session.did('abandonAfter'), []);
  });
});

describe('a second stop', () => {
  it('within 300 ms is the same press', () => {
    assert.equal(SAME_PRESS, 300);
    const session = during('stopping');
    session.pause = 100;
    session.queue('q1');
    assert.equal(session.stop().outcome, 'stopping');
    assert.equal(session.effects.length, 0);
    assert.equal(session.stateOf('q1'), 'pending');
  });

  it('from 300 ms on kills what still runs, and only that', () => {
    const session = withEveryCallState();
    session.stop();
    assert.equal(session.stop({ after: 299 }).outcome, 'stopping');
    assert.equal(session.effects.length, 0);
    session.stop({ after: 1 });
    assert.deepEqual(
      session.effects.map((effect) => [effect.do, 'callId' in effect && effect.callId]),
      [['killCall', 'runs']],
    );
    assert.deepEqual(session.ends, []);
  });

  it('kills also when the clock was put back after the first one', () => {
    const session = withEveryCallState();
    session.stop();
    session.stop({ after: -86_400_000 });
    assert.deepEqual(
      session.effects.map((effect) => effect.do),
      ['killCall'],
    );
  });

  it('holds what was queued since the first one: it is older than this stop', () => {
    const session = during('stopping');
    session.queue('q1');
    session.steer('s1');
    session.stop();
    assert.deepEqual([session.stateOf('q1'), session.stateOf('s1')], ['held', 'returned']);
    session.result('c1', 'stopped');
    assert.equal(session.phase, 'idle');
  });
});

describe('what waits when a stop comes', () => {
  it('steers and redirects are returned, queue entries are held', () => {
    const session = during('tool');
    session.steer('s1');
    session.redirect('r1');
    session.queue('q1');
    session.stop();
    assert.deepEqual(
      ['s1', 'r1', 'q1'].map((id) => session.stateOf(id)),
      ['returned', 'returned', 'held'],
    );
  });

  it('queue entries are returned too when the setting says so', () => {
    const session = during('model');
    session.queue('q1');
    session.stop({ onQueue: 'return' });
    assert.deepEqual(session.item('q1')?.state, { is: 'returned', why: 'stopped', acknowledged: false });
  });

  it('texts on their way through prompt hooks are returned', () => {
    const session = during('hook');
    session.stop();
    assert.equal(session.stateOf('early'), 'returned');
  });

  it('nothing of it starts by itself, however often the session is used afterwards', () => {
    const session = during('model');
    session.queue('q1');
    session.stop();
    assert.equal(session.phase, 'idle');
    session.send('next');
    session.answer();
    session.endWork();
    assert.equal(session.phase, 'idle');
    assert.equal(session.stateOf('q1'), 'held');
  });

  it('what is newer than the stop runs after the turn has ended', () => {
    const session = during('tool');
    session.queue('older');
    session.stop();
    session.queue('newer');
    session.result('c1', 'stopped');
    assert.equal(session.lastUserRow, 'newer');
    assert.equal(session.stateOf('older'), 'held');
  });
});

describe('the note about a stop', () => {
  it('goes with the next user row, once', () => {
    const session = during('tool');
    session.stop();
    session.result('c1', 'stopped');
    session.send('next');
    assert.deepEqual(session.userRows.at(-1)?.untoldStop, { phase: 'tool', by: 'user' });
    session.steer('s1');
    session.answer('c2');
    session.result('c2', 'blocked');
    assert.equal(session.lastUserRow, 's1');
    assert.equal(session.userRows.at(-1)?.untoldStop, undefined);
    assert.equal(session.state.untoldStop, undefined);
  });

  it('names the card that was open', () => {
    const session = during('approval');
    session.stop({ by: 'liveness' });
    assert.deepEqual(session.state.untoldStop, { phase: 'approval', by: 'liveness' });
  });

  it('stays for the next text when the first one is given back unread', () => {
    const session = during('model');
    session.stop();
    const again = new Driver({ hooks: true, state: session.state });
    again.send('next');
    again.hooks('next');
    assert.deepEqual(again.state.untoldStop, { phase: 'model', by: 'user' });
    again.send('other');
    again.hooks();
    assert.deepEqual(again.userRows.at(-1)?.untoldStop, { phase: 'model', by: 'user' });
  });

  it('is not made for a turn that never ran, nor for one that ended by itself', () => {
    const starting = during('starting');
    starting.stop();
    assert.equal(starting.state.untoldStop, undefined);
    const finished = during('finalizing');
    finished.endWork();
    assert.equal(finished.state.untoldStop, undefined);
  });

  it('goes with the text of stop and send', () => {
    const session = during('model');
    session.stopAndSend('new');
    assert.deepEqual(session.userRows.at(-1)?.untoldStop, { phase: 'model', by: 'user' });
  });
});

describe('stop after step, once it commits', () => {
  it('returns steers and holds the queue, and nothing starts', () => {
    const session = during('tool');
    session.queue('q1');
    session.stopAfterStep();
    session.steer('s1');
    session.result('c1');
    assert.deepEqual([session.stateOf('s1'), session.stateOf('q1')], ['returned', 'held']);
    assert.equal(session.phase, 'idle');
    assert.deepEqual(session.did('request'), []);
  });

  it('has the exit reason, the cause and the note of a stop', () => {
    const session = during('tool');
    session.stopAfterStep();
    session.result('c1');
    assert.deepEqual(
      session.ends.map(({ exit, cause }) => [exit, cause?.reason]),
      [['interrupted_by_user', 'stop_key']],
    );
    assert.deepEqual(session.state.untoldStop, { phase: 'tool', by: 'user' });
  });

  it('keeps an answer that came to its end once, as a whole one', () => {
    const session = during('model');
    session.stopAfterStep();
    session.answer();
    assert.deepEqual(session.rows, ['user first', 'answer']);
    assert.deepEqual(session.state.untoldStop, { phase: 'finalizing', by: 'user' });
  });

  it('keeps what a failed last word said once', () => {
    const session = new Driver({ stepBudget: 1, wrapsUp: true });
    session.send('a');
    session.answer('c1');
    session.run('c1');
    session.result('c1');
    session.stopAfterStep();
    session.fail();
    assert.deepEqual(
      session.rows.filter((row) => row.startsWith('partial')),
      ['partial stop'],
    );
  });

  it('returns the queue when the setting said so', () => {
    const session = during('tool');
    session.queue('q1');
    session.stopAfterStep('return');
    session.result('c1');
    assert.equal(session.stateOf('q1'), 'returned');
  });

  it('closes a card that opens before it commits', () => {
    const session = during('model');
    session.answer('c1');
    session.stopAfterStep();
    session.approval('c1');
    assert.deepEqual(session.rows.slice(2), ['result c1 withdrawn', 'closing']);
    assert.equal(session.phase, 'idle');
  });

  it('withdraws open cards at once and waits for what runs', () => {
    const session = withEveryCallState();
    session.stopAfterStep();
    assert.equal(session.phase, 'tool');
    assert.deepEqual(session.did('abortCall'), []);
    session.result('runs');
    assert.equal(session.phase, 'idle');
  });

  it('comes too when the answer is empty, so that the queue does not run on', () => {
    const session = during('model');
    session.queue('q1');
    session.stopAfterStep();
    session.emptyAnswer();
    assert.equal(session.phase, 'idle');
    assert.equal(session.stateOf('q1'), 'held');
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['interrupted_by_user'],
    );
  });

  it('comes too when the request fails without an answer', () => {
    const session = during('model');
    session.queue('q1');
    session.stopAfterStep();
    session.fail('cost_budget');
    assert.equal(session.phase, 'idle');
    assert.equal(session.stateOf('q1'), 'held');
  });

  it('gives way to a stop', () => {
    const session = during('tool');
    session.stopAfterStep();
    session.stop();
    assert.equal(session.phase, 'stopping');
  });
});

describe('stop and send', () => {
  it('gives back what waited before it, and takes its own text on', () => {
    const session = during('model');
    session.steer('s1');
    session.queue('q1');
    session.stopAndSend('new');
    assert.deepEqual(
      ['s1', 'q1', 'new'].map((id) => session.stateOf(id)),
      ['returned', 'held', 'delivered'],
    );
    assert.equal(session.userRows.at(-1)?.kind, 'message');
  });

  it('carries its reason to the stop', () => {
    const session = during('model');
    session.stopAndSend('new');
    assert.equal(session.ends[0]?.cause?.reason, 'stop_and_send');
  });

  it('repeated is done once', () => {
    const session = during('model');
    const receipt = session.stopAndSend('new');
    assert.equal(session.stopAndSend('new'), receipt);
    assert.deepEqual(session.effects, []);
    assert.equal(session.ends.length, 1);
  });
});

describe('the end of a turn', () => {
  it('after an answer fires no stop, and comes after the end-of-turn work', () => {
    const session = during('model');
    session.answer();
    assert.equal(session.did('finalize').length, 1);
    session.endWork();
    assert.deepEqual(
      session.ends.map(({ exit, cause, requests }) => [exit, cause, requests]),
      [['answered', undefined, 1]],
    );
  });

  it('after an answer without text or calls is no_answer, and the queue runs on', () => {
    const session = during('model');
    session.queue('q1');
    session.emptyAnswer();
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['no_answer'],
    );
    assert.equal(session.lastUserRow, 'q1');
  });

  for (const exit of ['model_error', 'context_exhausted'] as const) {
    it(`by ${exit}, after a compaction that did not help, keeps the visible text and holds what waits`, () => {
      const session = during('model');
      session.compacting();
      session.compacted(false);
      session.steer('s1');
      session.queue('q1');
      session.fail(exit);
      assert.deepEqual(session.rows, ['user first', 'partial stream_cut']);
      assert.deepEqual([session.stateOf('s1'), session.stateOf('q1')], ['held', 'held']);
      assert.deepEqual(
        session.ends.map((end) => end.exit),
        [exit],
      );
      assert.equal(session.phase, 'idle');
    });
  }

  it('is not reached twice: late events of the turn change nothing', () => {
    const session = during('finalizing');
    const { turnId } = session.attempt;
    session.endWork();
    const goOn = { kind: 'stop', text: 'go on', by: 'a hook' } as const;
    for (const goOns of [[goOn], []]) session.feed({ type: 'finalized', turnId, goOns });
    session.feed({ type: 'abandon', turnId });
    session.feed({ type: 'storageFailed', turnId, callsUnstored: false });
    assert.deepEqual([...session.writes, ...session.effects], []);
    assert.equal(session.ends.length, 1);
  });
});

describe('a failed write', () => {
  it('ends the turn, holds what waits and starts nothing', () => {
    for (const column of ['hook', 'model', 'backoff', 'compaction', 'tool', 'approval', 'finalizing'] as const) {
      const session = during(column);
      session.queue('q1');
      session.storageFails();
      assert.deepEqual(
        session.ends.map(({ exit, phase }) => [exit, phase]),
        [['storage_failed', column]],
      );
      assert.equal(session.stateOf('q1'), 'held');
      assert.equal(session.phase, 'idle');
    }
  });

  it('leaves each call of the batch with one true result', () => {
    const session = withEveryCallState();
    session.storageFails();
    assert.deepEqual(session.rows.slice(2), [
      'result done success',
      'result runs abandoned',
      'result asks withdrawn',
      'result question withdrawn',
      'result begins not_run',
      'result waits not_run',
      'closing',
    ]);
    assert.deepEqual(
      session.did('abortCall').map(({ callId }) => callId),
      ['runs'],
    );
  });

  it('says when it was the calls that could not be stored', () => {
    const session = during('model');
    session.storageFails(true);
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['tool_persistence_failed'],
    );
  });

  it('keeps the visible text', () => {
    const session = during('model');
    session.storageFails();
    assert.deepEqual(session.rows, ['user first', 'partial stream_cut']);
  });

  it('gives the first text back when it is not in the history yet', () => {
    const session = during('starting');
    session.storageFails();
    assert.deepEqual(session.item('first')?.state, { is: 'returned', why: 'storage_failed', acknowledged: false });
  });

  it('while a turn is being stopped still tells the model of the stop', () => {
    const session = during('stopping');
    session.storageFails();
    assert.deepEqual(session.state.untoldStop, { phase: 'tool', by: 'user' });
    assert.equal(session.ends[0]?.cause?.by, 'user');
  });
});
