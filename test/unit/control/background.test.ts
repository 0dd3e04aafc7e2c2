import assert from 'node:assert/strict';
import { Driver, during } from '../../sim/driver.ts';

function withAgent(session: Driver, childId = 'k1'): Driver {
  const { turnId: startedBy } = session.attempt;
  session.feed({ type: 'childStarted', childId, startedBy });
  return session;
}

describe('a delegated agent', () => {
  it('is stopped with the turn, in whatever the turn does then', () => {
    const session = withAgent(during('tool'));
    session.result('c1');
    assert.equal(session.phase, 'model');
    session.stop();
    assert.deepEqual(session.did('stopChild'), [{ do: 'stopChild', childId: 'k1' }]);
  });

  it('is told of a second stop too, so that it can kill what it runs', () => {
    const session = withAgent(during('tool'));
    session.stop();
    session.stop({ after: 300 });
    assert.equal(session.did('stopChild').length, 1);
  });

  it('that goes on behind an idle session is stopped by a stop', () => {
    const session = withAgent(during('tool'));
    session.result('c1');
    session.answer();
    session.endWork();
    assert.equal(session.phase, 'idle');
    assert.equal(session.stop().outcome, 'stopping');
    assert.deepEqual(session.did('stopChild'), [{ do: 'stopChild', childId: 'k1' }]);
  });

  it('that attaches while its turn is being stopped, or after it, is stopped at once', () => {
    const session = during('tool');
    const { turnId: startedBy } = session.attempt;
    session.stop();
    session.feed({ type: 'childStarted', childId: 'k1', startedBy });
    assert.equal(session.did('stopChild').length, 1);
    session.result('c1', 'stopped');
    session.feed({ type: 'childStarted', childId: 'k2', startedBy });
    assert.deepEqual(session.did('stopChild'), [{ do: 'stopChild', childId: 'k2' }]);
  });

  it('that attaches to the turn that runs goes on', () => {
    assert.deepEqual(withAgent(during('tool')).did('stopChild'), []);
  });

  it('that has ended is not stopped any more, and starts nothing', () => {
    const session = withAgent(during('tool'));
    session.feed({ type: 'childEnded', childId: 'k1' });
    assert.deepEqual(session.effects, []);
    session.stop();
    assert.deepEqual(session.did('stopChild'), []);
  });

  it('is not touched by a redirect', () => {
    const session = withAgent(during('tool'));
    session.result('c1');
    session.redirect('r');
    assert.deepEqual(session.did('stopChild'), []);
  });
});

describe('a review', () => {
  function reviewing(): Driver {
    const session = new Driver();
    session.feed({ type: 'configured', stepBudget: 20, reviews: true, wrapsUp: false });
    session.send('first');
    session.answer();
    session.endWork();
    return session;
  }

  it('follows an answered turn, and the session is idle meanwhile', () => {
    const session = reviewing();
    assert.equal(session.did('review').length, 1);
    assert.equal(session.phase, 'idle');
  });

  it('follows no stopped turn, no failed one, and none when it is off', () => {
    for (const end of [(one: Driver) => one.stop(), (one: Driver) => one.fail()]) {
      const session = new Driver();
      session.feed({ type: 'configured', stepBudget: 20, reviews: true, wrapsUp: false });
      session.send('first');
      end(session);
      assert.deepEqual(session.did('review'), []);
    }
    const off = during('finalizing');
    off.endWork();
    assert.deepEqual(off.did('review'), []);
  });

  it('follows no turn behind which the next one starts at once', () => {
    const session = new Driver();
    session.feed({ type: 'configured', stepBudget: 20, reviews: true, wrapsUp: false });
    session.send('first');
    session.queue('q1');
    session.answer();
    session.endWork();
    assert.deepEqual(session.did('review'), []);
    assert.equal(session.phase, 'model');
  });

  it('is cancelled by the next turn, which starts once it has ended', () => {
    const session = reviewing();
    session.send('second');
    assert.equal(session.did('cancelReview').length, 1);
    assert.deepEqual(
      session.did('holdStart').map(({ ms }) => ms),
      [2000],
    );
    assert.equal(session.phase, 'starting');
    session.feed({ type: 'reviewEnded' });
    assert.equal(session.phase, 'model');
    assert.equal(session.lastUserRow, 'second');
  });

  it('that does not end holds the next turn no longer than its time', () => {
    const session = reviewing();
    session.send('second');
    session.feed({ type: 'startAnyway', turnId: session.attempt.turnId });
    assert.equal(session.phase, 'model');
    session.feed({ type: 'reviewEnded' });
    assert.equal(session.phase, 'model');
  });

  it('that is being cancelled does not delay a stop', () => {
    const session = reviewing();
    session.send('second');
    session.stop();
    assert.equal(session.phase, 'idle');
    assert.equal(session.stateOf('second'), 'returned');
    session.feed({ type: 'reviewEnded' });
    assert.equal(session.phase, 'idle');
  });

  it('does not start a turn whose text the user took back meanwhile', () => {
    const session = reviewing();
    session.send('second');
    session.withdraw('second');
    session.feed({ type: 'reviewEnded' });
    assert.equal(session.phase, 'idle');
  });

  it('is reached by a stop in an idle session', () => {
    const session = reviewing();
    assert.equal(session.stop().outcome, 'stopping');
    assert.equal(session.did('cancelReview').length, 1);
    assert.equal(session.stop({ after: 1000 }).outcome, 'nothing_running');
  });
});
