import assert from 'node:assert/strict';
import { restore } from '../../../src/agent/control/index.ts';
import type { Item, ItemState } from '../../../src/api.ts';
import { Driver } from '../../sim/driver.ts';

const DELIVERED = { is: 'delivered', turnId: 's-t2', request: 1, rowId: 's.3', read: true } as const;

function item(id: string, seq: number, state: ItemState, kind: Item['kind'] = 'queue'): Item {
  return { id, sentAs: kind, kind, text: id, attachments: [], seq, revision: 1, origin: 'view', state };
}

function restored(...items: readonly Item[]) {
  return restore({ sessionId: 's', lastSeq: 20, stepBudget: 5, items, untoldStop: undefined });
}

describe('a restored session', () => {
  it('is idle: what waited is held, stored so, and not run', () => {
    const { state, writes, effects } = restored(
      item('s1', 4, { is: 'pending' }, 'steer'),
      item('q1', 5, { is: 'pending' }),
      item('q2', 6, { is: 'held' }),
    );
    assert.equal(state.turn, undefined);
    assert.deepEqual(effects, []);
    assert.deepEqual(
      state.items.map(({ id, state: { is } }) => [id, is]),
      [
        ['s1', 'held'],
        ['q1', 'held'],
        ['q2', 'held'],
      ],
    );
    assert.deepEqual(
      writes.map((write) => write.write === 'item' && [write.item.id, write.item.state.is]),
      [
        ['s1', 'held'],
        ['q1', 'held'],
      ],
    );
  });

  it('lists returned texts until a view has taken them, and nothing that is over', () => {
    const { state } = restored(
      item('r1', 1, { is: 'returned', why: 'stopped', acknowledged: false }),
      item('r2', 2, { is: 'returned', why: 'stopped', acknowledged: true }),
      item('d1', 3, DELIVERED),
      item('w1', 4, { is: 'withdrawn' }),
    );
    assert.deepEqual(
      state.items.map(({ id }) => id),
      ['r1'],
    );
  });

  it('lists texts that lead before queue entries, whatever order they were stored in', () => {
    const { state } = restored(
      item('q1', 1, { is: 'held' }),
      item('s1', 2, { is: 'pending' }, 'steer'),
      item('q2', 3, { is: 'pending' }),
      item('r1', 4, { is: 'pending' }, 'redirect'),
    );
    assert.deepEqual(
      state.items.map(({ id }) => id),
      ['s1', 'r1', 'q1', 'q2'],
    );
  });

  it('goes on counting after the last stored number', () => {
    const session = new Driver({ state: restored().state });
    const { seq } = session.send('new');
    assert.equal(seq, 21);
    assert.ok((session.userRows[0]?.seq ?? 0) > seq);
  });

  it('accepts no id a second time that it accepted before, in whatever state its item is', () => {
    const session = new Driver({
      state: restored(item('d1', 3, DELIVERED, 'steer'), item('w1', 4, { is: 'withdrawn' })).state,
    });
    for (const [id, seq, verb] of [
      ['d1', 3, 'steer'],
      ['w1', 4, 'queue'],
    ] as const) {
      const receipt = session.send(id);
      assert.deepEqual([receipt.id, receipt.seq, receipt.verb, receipt.outcome], [id, seq, verb, 'queued']);
      assert.equal(session.phase, 'idle');
      assert.equal(session.writes.length + session.effects.length, 0);
    }
  });

  it('runs what was held only when the user asks: by resume queue, or one by send now', () => {
    const stored = [item('s1', 4, { is: 'pending' }, 'steer'), item('q1', 5, { is: 'pending' })];
    const resumed = new Driver({ state: restored(...stored).state });
    assert.equal(resumed.resumeQueue().outcome, 'started');
    assert.equal(resumed.lastUserRow, 's1');
    const one = new Driver({ state: restored(...stored).state });
    assert.equal(one.sendNow('q1').outcome, 'started');
    assert.equal(one.lastUserRow, 'q1');
    assert.equal(one.stateOf('s1'), 'held');
  });

  it('tells the model of the last stop with the next user row', () => {
    const untoldStop = { phase: 'tool', by: 'user' } as const;
    const { state } = restore({ sessionId: 's', lastSeq: 9, stepBudget: 5, items: [], untoldStop });
    const session = new Driver({ state });
    session.send('new');
    assert.deepEqual(session.userRows[0]?.untoldStop, untoldStop);
  });
});
