import assert from 'node:assert/strict';
import { Driver, during } from '../../sim/driver.ts';

describe('a compaction', () => {
  it('of an overflow is tried once, and the request is asked again behind the summary', () => {
    const session = during('model');
    session.fail('context_exhausted');
    assert.equal(session.phase, 'compaction');
    assert.equal(session.did('compact').length, 1);
    session.compacted();
    assert.deepEqual(session.rows, ['user first', 'summary']);
    assert.deepEqual(
      session.did('request').map(({ request, attempt, mayCompact }) => [request, attempt, mayCompact]),
      [[1, 2, false]],
    );
    session.fail('context_exhausted');
    assert.deepEqual(
      session.ends.map(({ exit }) => exit),
      ['context_exhausted'],
    );
  });

  it('of an overflow that fails ends the turn without another request', () => {
    const session = during('model');
    session.fail('context_exhausted');
    session.compacted(false);
    assert.deepEqual(session.did('request'), []);
    assert.deepEqual(session.rows, ['user first']);
    assert.deepEqual(
      session.ends.map(({ exit, phase }) => [exit, phase]),
      [['context_exhausted', 'compaction']],
    );
  });

  it('that fails before a request was too long lets the request be asked', () => {
    const session = during('model');
    session.compacting();
    session.compacted(false);
    assert.equal(session.phase, 'model');
    assert.equal(session.did('request').length, 1);
  });

  it('lets what the user sent meanwhile in behind the summary, in the same turn', () => {
    const session = during('compaction');
    const { turnId } = session.attempt;
    session.steer('s1');
    session.redirect('r1');
    assert.deepEqual(session.effects, []);
    session.compacted();
    assert.deepEqual(session.rows, ['user first', 'summary', 'user s1+r1']);
    assert.equal(session.turnId, turnId);
  });

  it('is dropped by a stop that came before its end: no half of it is stored', () => {
    const session = during('compaction');
    const { turnId } = session.attempt;
    session.stop();
    assert.equal(session.phase, 'idle');
    assert.equal(session.did('cancelCompaction').length, 1);
    session.feed({ type: 'compacted', turnId, ok: true });
    assert.deepEqual(session.writes, []);
  });

  it('stays when the stop comes after it', () => {
    const session = during('compaction');
    session.compacted();
    session.stop();
    assert.ok(session.rows.includes('summary'));
  });

  it('asked for while a turn runs comes before the next request', () => {
    const session = during('tool');
    session.feed({ type: 'compact', id: 'c' });
    assert.equal(session.phase, 'tool');
    session.result('c1');
    assert.equal(session.phase, 'compaction');
    session.compacted();
    assert.deepEqual(
      session.did('request').map(({ request }) => request),
      [2],
    );
  });

  it('asked for when idle is a turn without a user row, a request and hooks', () => {
    const session = new Driver();
    session.send('first');
    session.answer();
    session.endWork();
    session.feed({ type: 'compact', id: 'c' });
    assert.equal(session.phase, 'compaction');
    session.compacted();
    assert.equal(session.phase, 'idle');
    assert.deepEqual(session.rows, ['user first', 'answer', 'summary']);
    assert.deepEqual(session.ends.map(({ exit, running, requests }) => [exit, running, requests]).at(-1), [
      'answered',
      false,
      0,
    ]);
  });
});
