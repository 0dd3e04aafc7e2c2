import assert from 'node:assert/strict';
import { Driver, during } from '../../sim/driver.ts';

describe('a redirect', () => {
  it('stores the cut answer, then the user’s row, and asks the same request again with the next attempt', () => {
    const session = during('model');
    const { turnId } = session;
    session.redirect('r1');
    assert.deepEqual(session.rows, ['user first', 'partial redirect', 'user r1']);
    const row = session.userRows.at(-1);
    assert.deepEqual([row?.kind, row?.cut, row?.request, row?.turnId], ['redirect', true, 1, turnId]);
    assert.deepEqual(session.attempt, { turnId, request: 1, attempt: 2 });
  });

  it('is not charged to the step budget', () => {
    const session = new Driver({ stepBudget: 1 });
    session.send('first');
    session.redirect('r1');
    session.redirect('r2');
    assert.equal(session.state.turn?.stepsUsed, 1);
    assert.equal(session.phase, 'model');
  });

  it('takes along the steers that wait, in order, in one row', () => {
    const session = during('model');
    session.steer('s1');
    session.redirect('r1');
    assert.equal(session.lastUserRow, 's1+r1');
  });

  it('leaves the queue alone', () => {
    const session = during('model');
    session.queue('q1');
    session.redirect('r1');
    assert.equal(session.lastUserRow, 'r1');
    assert.equal(session.stateOf('q1'), 'pending');
  });

  it('drops what the cut attempt still sends', () => {
    const session = during('model');
    const cut = session.attempt;
    session.redirect('r1');
    const { state } = session;
    session.feed({ type: 'head', ...cut });
    session.feed({ type: 'answered', ...cut, calls: [{ id: 'late', segment: 0 }], substance: true });
    session.feed({ type: 'failed', ...cut, retry: undefined, exit: 'model_error' });
    session.feed({ type: 'compacting', ...cut });
    session.feed({ type: 'waited', ...cut });
    assert.deepEqual(session.state.turn, state.turn);
    assert.deepEqual(session.state.items, state.items);
    assert.deepEqual(session.rows, ['user first', 'partial redirect', 'user r1']);
  });

  it('marks its text as read by the head of the new attempt only', () => {
    const session = during('model');
    session.redirect('r1');
    assert.equal(isRead(session, 'r1'), false);
    session.head();
    assert.equal(isRead(session, 'r1'), true);
  });

  it('of smaller number than the completion drops the answer that crossed it', () => {
    const session = new Driver({ hooks: true });
    session.send('first');
    session.hooks();
    const crossing = session.attempt;
    session.redirect('r1');
    session.feed({ type: 'answered', ...crossing, calls: [{ id: 'c1', segment: 0 }], substance: true });
    assert.deepEqual(session.writes, []);
    session.hooks();
    assert.deepEqual(session.rows, ['user first', 'partial redirect', 'user r1']);
  });

  it('of greater number than a completion with calls becomes a steer', () => {
    const session = during('model');
    session.answer('c1');
    const receipt = session.redirect('r1');
    assert.deepEqual([receipt.outcome, 'reason' in receipt && receipt.reason], ['steering', 'tools_running']);
    session.result('c1', 'blocked');
    assert.deepEqual(session.rows, ['user first', 'answer', 'result c1 blocked', 'user r1']);
  });

  it('of greater number than a completion without calls leads the next turn', () => {
    const session = during('model');
    session.answer();
    assert.equal(session.redirect('r1').outcome, 'queued');
    session.endWork();
    assert.deepEqual(session.rows, ['user first', 'answer', 'user r1']);
    assert.equal(session.ends.length, 1);
  });

  it('that comes before the first was applied joins it in one row, and both count as one restart', () => {
    const session = new Driver({ hooks: true });
    session.send('first');
    session.hooks();
    session.redirect('r1');
    assert.equal(session.redirect('r2').outcome, 'redirecting');
    assert.deepEqual(session.did('abortRequest'), []);
    session.hooks();
    session.hooks();
    assert.equal(session.lastUserRow, 'r1+r2');
    assert.equal(session.state.turn?.restarts, 1);
    assert.deepEqual(session.attempt.attempt, 2);
  });

  it('that a hook blocks still asks again, without the text', () => {
    const session = new Driver({ hooks: true });
    session.send('first');
    session.hooks();
    session.redirect('r1');
    session.hooks('r1');
    assert.equal(session.stateOf('r1'), 'returned');
    assert.deepEqual(session.rows, ['user first']);
    assert.equal(session.attempt.attempt, 2);
  });
});

describe('redirects of one tick', () => {
  function inOneTick(): Driver {
    const session = new Driver({ oneTick: true });
    session.send('first');
    return session;
  }

  it('K5a. are one restart and one row with parts, in order, however many they are', () => {
    const session = inOneTick();
    const ids = ['r1', 'r2', 'r3', 'r4', 'r5'];
    for (const id of ids) assert.equal(session.redirect(id).outcome, 'redirecting');
    assert.deepEqual(session.rows, ['user first']);
    assert.deepEqual(
      ids.map((id) => session.stateOf(id)),
      Array(5).fill('pending'),
    );
    session.tickEnds();
    // Those that came after the first are asked about by their hooks, and only then is the tick over.
    session.tickEnds();
    assert.deepEqual(session.rows, ['user first', 'partial redirect', 'user r1+r2+r3+r4+r5']);
    assert.deepEqual([session.state.turn?.restarts, session.attempt.attempt, session.ends.length], [1, 2, 0]);
    assert.equal(session.did('request').length, 1);
  });

  it('K5b. are taken back by a stop of the same tick: no row holds them, and nothing is asked', () => {
    const session = inOneTick();
    session.redirect('r1');
    session.redirect('r2');
    session.stop();
    assert.deepEqual(
      ['r1', 'r2'].map((id) => session.stateOf(id)),
      ['returned', 'returned'],
    );
    assert.deepEqual(session.rows, ['user first', 'partial stop']);
    assert.equal(session.phase, 'idle');
    assert.deepEqual(session.did('request'), []);
  });

  it('K5c. count for the limit only once they are applied', () => {
    const session = inOneTick();
    for (const id of ['a', 'b', 'c']) {
      session.redirect(id);
      session.tickEnds();
    }
    assert.equal(session.state.turn?.restarts, 3);
    assert.equal(session.redirect('d').outcome, 'queued');
    assert.equal(session.ends.at(-1)?.exit, 'redirect_limit');
  });
});

describe('the limit of redirects', () => {
  function restarted(times: number): Driver {
    const session = during('model');
    for (let count = 1; count <= times; count += 1) session.redirect(`r${count}`);
    return session;
  }

  it('lets three redirects restart one request', () => {
    const session = restarted(3);
    assert.equal(session.attempt.attempt, 4);
    assert.equal(session.ends.length, 0);
  });

  it('ends the turn at the fourth, neither completed nor interrupted, and all waiting texts lead the next turn', () => {
    const session = restarted(3);
    session.queue('q1');
    session.steer('s1');
    const { turnId } = session;
    const receipt = session.redirect('r4');
    assert.equal(receipt.outcome, 'queued');
    assert.equal(receipt.turnId, turnId);
    assert.deepEqual([receipt.downgradedFrom, receipt.reason], ['redirect', 'redirect_limit']);
    assert.deepEqual(
      session.ends.map(({ exit, cause }) => [exit, cause]),
      [['redirect_limit', undefined]],
    );
    assert.equal(session.did('abortRequest').length, 1);
    assert.equal(session.lastUserRow, 's1+r4');
    assert.equal(session.userRows.at(-1)?.untoldStop, undefined);
    assert.equal(session.stateOf('q1'), 'pending');
    assert.notEqual(session.turnId, turnId);
  });

  it('counts each request by itself', () => {
    const session = restarted(3);
    session.answer('c1');
    session.result('c1', 'blocked');
    assert.equal(session.redirect('r4').outcome, 'redirecting');
  });

  it('holds the queue when the turn was to stop after this step', () => {
    const session = restarted(3);
    session.queue('q1');
    session.stopAfterStep();
    session.redirect('r4');
    assert.equal(session.lastUserRow, 'r4');
    assert.equal(session.stateOf('q1'), 'held');
  });
});

describe('a redirect during back-off', () => {
  it('cuts the wait and asks again at once', () => {
    const session = during('model');
    session.backOff(false);
    assert.equal(session.redirect('r1').outcome, 'redirecting');
    assert.equal(session.did('cancelWait').length, 1);
    assert.deepEqual(
      session.did('request').map(({ attempt }) => attempt),
      [2],
    );
    assert.equal(session.lastUserRow, 'r1');
  });

  it('waits for the end of a server’s Retry-After, then goes in without counting as a restart', () => {
    const session = during('model');
    session.backOff(true);
    assert.equal(session.redirect('r1').outcome, 'redirecting');
    assert.deepEqual(session.effects, []);
    assert.equal(session.phase, 'backoff');
    session.waited();
    assert.equal(session.lastUserRow, 'r1');
    assert.deepEqual(
      session.did('request').map(({ request, attempt }) => [request, attempt]),
      [[1, 2]],
    );
    assert.equal(session.state.turn?.restarts, 0);
  });

  it('is not disturbed by the end of the wait it has cut', () => {
    const session = during('model');
    session.backOff();
    const cut = session.attempt;
    session.redirect('r1');
    session.feed({ type: 'waited', ...cut });
    assert.deepEqual(session.effects, []);
  });
});

describe('stop and redirect together', () => {
  it('the stop wins and the text is returned, when the redirect came first', () => {
    const session = new Driver({ hooks: true });
    session.send('first');
    session.hooks();
    session.redirect('r1');
    session.stop();
    assert.equal(session.phase, 'idle');
    assert.equal(session.stateOf('r1'), 'returned');
    assert.deepEqual(session.rows, ['user first', 'partial stop']);
    assert.deepEqual(session.did('request'), []);
  });

  it('the stop wins and nothing runs, when the redirect waits for tools', () => {
    const session = during('tool');
    session.redirect('r1');
    session.stop();
    assert.equal(session.stateOf('r1'), 'returned');
    session.result('c1', 'yielded');
    assert.equal(session.phase, 'idle');
    assert.deepEqual(session.did('request'), []);
  });
});

describe('a retry', () => {
  it('keeps the number of its request, counts its attempt and is not charged', () => {
    const session = during('model');
    session.backOff();
    assert.deepEqual(
      session.did('wait').map(({ ms, attempt }) => [ms, attempt]),
      [[500, 1]],
    );
    session.waited();
    assert.deepEqual([session.attempt.request, session.attempt.attempt], [1, 2]);
    assert.equal(session.state.turn?.stepsUsed, 1);
  });

  it('takes along the steers that wait', () => {
    const session = during('backoff');
    session.steer('s1');
    session.waited();
    assert.deepEqual(session.rows, ['user first', 'user s1']);
    assert.equal(session.userRows.at(-1)?.cut, false);
  });
});

describe('compaction', () => {
  it('lets steers and redirects wait and takes them in after the swap, in the same turn', () => {
    const session = during('compaction');
    const { turnId } = session;
    session.steer('s1');
    session.redirect('r1');
    assert.deepEqual(session.effects, []);
    session.compacted();
    assert.equal(session.lastUserRow, 's1+r1');
    assert.equal(session.turnId, turnId);
    assert.deepEqual(
      session.did('request').map(({ request, attempt }) => [request, attempt]),
      [[1, 2]],
    );
  });

  it('is over at once for a stop, and what it still brings is dropped', () => {
    const session = during('compaction');
    const { turnId } = session.attempt;
    session.stop();
    assert.equal(session.did('cancelCompaction').length, 1);
    session.feed({ type: 'compacted', turnId, ok: true });
    assert.deepEqual([...session.effects, ...session.writes], []);
  });
});

function isRead(session: Driver, id: string): boolean | undefined {
  const state = session.item(id)?.state;
  return state?.is === 'delivered' ? state.read : undefined;
}
