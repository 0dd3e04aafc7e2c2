import assert from 'node:assert/strict';
import { MAX_GO_ONS } from '../../../src/agent/control/index.ts';
import { Driver } from '../../sim/driver.ts';

/** A turn whose model has just given a whole answer. */
function finalizing(options: ConstructorParameters<typeof Driver>[0] = {}): Driver {
  const session = new Driver(options);
  session.send('first');
  session.answer();
  return session;
}

describe('hooks before the end of a turn', () => {
  it('are asked by kind, with how often each has had the turn go on', () => {
    const session = finalizing();
    assert.deepEqual(session.did('finalize'), [
      { do: 'finalize', turnId: session.turnId, ask: ['verify', 'stop'], goneOn: { verify: 0, stop: 0 } },
    ]);
    session.endWork('stop', 'verify');
    assert.deepEqual(session.rows, ['user first', 'answer', 'goOn', 'goOn']);
    session.answer();
    assert.deepEqual(
      session.did('finalize').map(({ goneOn }) => goneOn),
      [{ verify: 1, stop: 1 }],
    );
  });

  it('that look at changed files are not asked any more after three times, and that is told', () => {
    const session = finalizing({ stepBudget: 50 });
    for (let times = 0; times < MAX_GO_ONS.verify; times++) {
      assert.deepEqual(session.did('goOnsUsedUp'), []);
      session.endWork('verify');
      session.answer();
    }
    assert.deepEqual(
      session.did('finalize').map(({ ask }) => ask),
      [['stop']],
    );
    assert.deepEqual(session.did('goOnsUsedUp'), [{ do: 'goOnsUsedUp', turnId: session.turnId, kind: 'verify' }]);
  });

  it('of other systems are asked to the last, and followed eight times in a row', () => {
    const session = finalizing({ stepBudget: 50 });
    for (let times = 0; times < MAX_GO_ONS.stop; times++) {
      session.endWork('stop');
      session.answer();
    }
    assert.deepEqual(
      session.did('finalize').map(({ ask }) => ask.includes('stop')),
      [true],
    );
    session.endWork('stop');
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['answered'],
    );
    assert.deepEqual(
      session.did('goOnsUsedUp').map(({ kind }) => kind),
      ['stop'],
    );
  });

  it('that follow a word of the user begin a new row', () => {
    const session = finalizing();
    session.endWork('stop');
    session.steer('s1');
    session.answer(['c1']);
    session.run('c1');
    session.result('c1');
    session.answer();
    assert.deepEqual(
      session.did('finalize').map(({ goneOn }) => goneOn.stop),
      [0],
    );
  });

  it('do not go beyond what the turn may ask', () => {
    const session = finalizing({ stepBudget: 1 });
    session.endWork('stop');
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['step_budget'],
    );
    assert.deepEqual(session.did('request'), []);
  });

  it('are cut by a stop, and count for nothing afterwards', () => {
    const session = finalizing();
    const { turnId } = session;
    session.stop();
    assert.deepEqual(session.did('cancelFinalize').length, 1);
    session.feed({ type: 'finalized', turnId: turnId ?? '', goOns: [{ kind: 'stop', text: 'go on', by: 'a hook' }] });
    assert.deepEqual([...session.writes, ...session.effects], []);
  });
});

describe('a call that waits for hooks', () => {
  it('is the phase of its turn while nothing else of the batch moves', () => {
    const session = new Driver();
    session.send('first');
    session.answer(['c1', 'c2']);
    const wait = (callId: string, waits: boolean) =>
      session.feed({ type: 'hooks', turnId: session.turnId ?? '', callId, wait: waits });
    wait('c1', true);
    assert.equal(session.phase, 'tool');
    wait('c2', true);
    assert.equal(session.phase, 'hook');
    session.approval('c1');
    assert.equal(session.phase, 'approval');
    wait('c2', false);
    session.allow('c1');
    assert.equal(session.phase, 'tool');
  });

  it('says so only as long as its batch runs', () => {
    const session = new Driver();
    session.send('first');
    session.answer(['c1']);
    const { turnId = '' } = session;
    session.feed({ type: 'hooks', turnId, callId: 'c1', wait: true });
    session.stop();
    assert.equal(session.ends[0]?.phase, 'hook');
    session.feed({ type: 'hooks', turnId, callId: 'c1', wait: false });
    assert.deepEqual([...session.writes, ...session.effects], []);
  });
});
