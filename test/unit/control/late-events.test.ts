import assert from 'node:assert/strict';
import type { LoopEvent } from '../../../src/agent/control/index.ts';
import { type Column, type Driver, during } from '../../sim/driver.ts';

const COLUMNS: readonly Column[] = [
  'starting',
  'hook',
  'compaction',
  'model',
  'backoff',
  'tool',
  'approval',
  'question',
  'finalizing',
  'stopping',
];

/** Every event that names a turn, all of the given one. */
function everything(of: Driver['attempt']): readonly LoopEvent[] {
  const { turnId } = of;
  const call = { turnId, callId: 'c1' };
  return [
    { type: 'prepared', turnId, itemIds: ['first', 'early', 'next'], blocked: [] },
    { type: 'head', ...of },
    { type: 'answered', ...of, calls: [{ id: 'late', segment: 0 }], substance: true },
    { type: 'failed', ...of, retry: { ms: 1, retryAfter: false }, exit: 'model_error' },
    { type: 'failed', ...of, retry: undefined, exit: 'model_error' },
    { type: 'waited', ...of },
    { type: 'compacting', ...of },
    { type: 'compacted', turnId, ok: true },
    { type: 'cleared', ...call },
    { type: 'approval', ...call },
    { type: 'question', ...call, freeText: true },
    { type: 'allowed', ...call },
    { type: 'result', ...call, status: 'success' },
    { type: 'finalized', turnId, goOns: [{ kind: 'stop', text: 'go on', by: 'a hook' }] },
    { type: 'abandon', turnId },
    { type: 'storageFailed', turnId, callsUnstored: true },
  ];
}

function assertNothingChanges(session: Driver, events: readonly LoopEvent[]): void {
  const { turn, items } = session.state;
  for (const event of events) {
    session.feed(event);
    assert.equal(session.state.turn, turn, `${event.type} changed the turn`);
    assert.equal(session.state.items, items, `${event.type} changed the items`);
    assert.equal(session.writes.length + session.effects.length, 0, `${event.type} did something`);
  }
}

describe('late events', () => {
  for (const column of COLUMNS) {
    it(`of a turn that was stopped during ${column} change nothing in an idle session`, () => {
      const session = during(column);
      const of = session.attempt;
      session.stop();
      if (session.phase === 'stopping') session.abandon();
      assert.equal(session.phase, 'idle');
      assertNothingChanges(session, everything(of));
    });

    it(`of a turn that was stopped during ${column} change nothing in the next turn`, () => {
      const session = during(column);
      const of = session.attempt;
      session.stop();
      if (session.phase === 'stopping') session.abandon();
      session.send('next');
      assert.notEqual(session.phase, 'idle');
      assertNothingChanges(session, everything(of));
    });
  }

  it('of calls whose batch is over change nothing in the next batch', () => {
    const session = during('tool');
    session.result('c1');
    session.answer('c2');
    const { turnId } = session.attempt;
    const call = { turnId, callId: 'c1' };
    assertNothingChanges(session, [
      { type: 'cleared', ...call },
      { type: 'approval', ...call },
      { type: 'allowed', ...call },
      { type: 'result', ...call, status: 'error' },
    ]);
  });

  it('that do not fit what the turn does change nothing', () => {
    const session = during('model');
    const { turnId } = session.attempt;
    assertNothingChanges(session, [
      { type: 'abandon', turnId },
      { type: 'finalized', turnId, goOns: [] },
      { type: 'compacted', turnId, ok: true },
      { type: 'result', turnId, callId: 'c1', status: 'success' },
      { type: 'prepared', turnId, itemIds: ['first'], blocked: [] },
    ]);
  });

  it('of a request that has been answered change nothing', () => {
    const session = during('model');
    const of = session.attempt;
    session.answer('c1');
    assertNothingChanges(session, [
      { type: 'answered', ...of, calls: [], substance: true },
      { type: 'failed', ...of, retry: undefined, exit: 'model_error' },
      { type: 'head', ...of },
    ]);
  });
});
