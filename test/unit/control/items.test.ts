import assert from 'node:assert/strict';
import { MAX_ITEM_CHARACTERS, MAX_ITEMS, restore } from '../../../src/agent/control/index.ts';
import { Driver, during } from '../../sim/driver.ts';

describe('an item', () => {
  it('leaves the list in the step that writes it into the transcript', () => {
    const session = during('tool');
    session.steer('s1');
    assert.deepEqual(session.waiting, ['s1']);
    session.result('c1');
    const written = session.writes.map((write) => (write.write === 'item' ? write.item.state.is : write.write));
    assert.deepEqual(written, ['result', 'delivered', 'user']);
    assert.deepEqual(session.waiting, []);
  });

  it('names the turn, request and row that it went into, and is read when that request’s head arrives', () => {
    const session = during('tool');
    session.steer('s1');
    session.result('c1');
    const rowId = session.userRows.at(-1)?.rowId;
    const { turnId } = session;
    assert.deepEqual(session.item('s1')?.state, { is: 'delivered', turnId, request: 2, rowId, read: false });
    session.head();
    assert.deepEqual(session.item('s1')?.state, { is: 'delivered', turnId, request: 2, rowId, read: true });
    session.head();
    assert.deepEqual(session.writes, []);
  });

  it('is appended after the last tool result as a row of its own', () => {
    const session = during('tool');
    session.steer('s1');
    session.result('c1');
    assert.deepEqual(session.rows, ['user first', 'answer', 'result c1 success', 'user s1']);
  });

  it('shares its row with those that wait together, in the order of their numbers', () => {
    const session = during('tool');
    session.steer('s1');
    session.redirect('r1');
    session.steer('s2');
    session.result('c1');
    assert.equal(session.lastUserRow, 's1+r1+s2');
    assert.equal(session.userRows.length, 2);
  });

  it('is matched by id: two with the same text are two', () => {
    const session = during('model');
    session.steer('s1', { text: 'same' });
    session.steer('s2', { text: 'same' });
    session.withdraw('s1');
    assert.deepEqual(session.waiting, ['s2']);
  });

  it('that is queued does not turn later steers into queue entries', () => {
    const session = during('tool');
    session.queue('q1');
    session.steer('s1');
    assert.deepEqual(session.waiting, ['s1', 'q1']);
    session.result('c1');
    assert.equal(session.lastUserRow, 's1');
  });

  it('is in the stored state before any effect of it: accepted means written', () => {
    for (const column of ['starting', 'model', 'tool', 'finalizing', 'stopping'] as const) {
      const session = during(column);
      session.steer('s1');
      const first = session.writes.find((write) => write.write === 'item');
      assert.equal(first?.item.id, 's1');
      assert.equal(first?.item.state.is, 'pending');
    }
  });

  it('keeps what it came with', () => {
    const session = during('model');
    const attachments = [{ kind: 'file', name: 'a', ref: 'a' }] as const;
    const { seq } = session.steer('s1', { attachments });
    const { state: _state, ...item } = session.item('s1') ?? assert.fail();
    const expected = { id: 's1', sentAs: 'steer', kind: 'steer', text: 'text s1', attachments, seq, revision: 1 };
    assert.deepEqual(item, { ...expected, origin: 'view' });
  });
});

describe('texts are taken in', () => {
  it('after each batch', () => {
    const session = during('tool');
    session.steer('s1');
    session.result('c1');
    session.answer('c2');
    session.steer('s2');
    session.result('c2', 'blocked');
    assert.deepEqual(
      session.userRows.map(({ items }) => items.map(({ id }) => id)),
      [['first'], ['s1'], ['s2']],
    );
  });

  it('before the first request, when they came while the turn started', () => {
    const session = during('starting');
    session.steer('s1');
    session.hooks();
    session.hooks();
    assert.deepEqual(session.rows, ['user first', 'user s1']);
    assert.deepEqual(session.attempt.request, 1);
  });

  it('at turn end, also those that came while the end hooks ran', () => {
    const session = during('model');
    session.steer('s1');
    session.answer();
    session.steer('s2');
    session.endWork();
    assert.equal(session.lastUserRow, 's1+s2');
  });

  it('one queue entry a turn, in order', () => {
    const session = during('model');
    session.queue('q1');
    session.queue('q2');
    for (const id of ['q1', 'q2']) {
      session.answer();
      session.endWork();
      assert.equal(session.lastUserRow, id);
    }
    assert.equal(session.ends.length, 2);
  });
});

describe('a repeated id', () => {
  it('gets the first receipt again and is accepted once, whatever became of the item', () => {
    const session = during('tool');
    const receipt = session.steer('s1');
    assert.equal(session.redirect('s1'), receipt);
    assert.deepEqual([...session.writes, ...session.effects], []);
    session.result('c1');
    assert.equal(session.steer('s1'), receipt);
    session.stop();
    assert.equal(session.send('s1'), receipt);
    assert.equal(session.phase, 'idle');
    assert.equal(session.rows.filter((row) => row.includes('s1')).length, 1);
  });

  it('gets the first receipt for a withdrawn item too', () => {
    const session = during('model');
    const receipt = session.queue('q1');
    session.withdraw('q1');
    assert.equal(session.queue('q1'), receipt);
    assert.equal(session.stateOf('q1'), 'withdrawn');
  });
});

describe('edit', () => {
  it('changes the text and counts the revision', () => {
    const session = during('model');
    session.steer('s1');
    assert.equal(session.edit('s1', 'better', 1).outcome, 'changed');
    assert.deepEqual([session.item('s1')?.text, session.item('s1')?.revision], ['better', 2]);
  });

  it('that saw an older revision is refused and changes nothing', () => {
    const session = during('model');
    session.steer('s1');
    session.edit('s1', 'better', 1);
    assert.equal(refusal(session.edit('s1', 'other', 1)), 'stale_revision');
    assert.equal(session.item('s1')?.text, 'better');
  });

  it('does not hold the item: one that was delivered meanwhile is said to be', () => {
    const session = during('tool');
    session.steer('s1');
    session.result('c1');
    assert.equal(refusal(session.edit('s1', 'late', 1)), 'already_delivered');
  });

  it('is refused while prompt hooks read the text', () => {
    const session = during('hook');
    assert.equal(refusal(session.edit('early', 'late', 1)), 'already_delivered');
  });

  it('to nothing is refused', () => {
    const session = during('model');
    session.queue('q1');
    assert.equal(refusal(session.edit('q1', '  ')), 'empty');
  });

  it('of an unknown id is refused', () => {
    assert.equal(refusal(during('model').edit('nobody', 'x', 1)), 'unknown_item');
  });

  it('beyond the limit of characters is refused; shortening is not', () => {
    const session = during('model');
    session.queue('q1', { text: 'x'.repeat(MAX_ITEM_CHARACTERS) });
    session.queue('q2', { text: '' });
    assert.equal(refusal(session.edit('q1', 'x'.repeat(MAX_ITEM_CHARACTERS + 1))), 'full');
    assert.equal(session.edit('q1', 'short').outcome, 'changed');
  });
});

describe('move', () => {
  function withBothGroups(): Driver {
    const session = during('model');
    for (const id of ['s1', 's2', 's3']) session.steer(id);
    for (const id of ['q1', 'q2', 'q3']) session.queue(id);
    return session;
  }

  it('puts an item before another of its group, or at the end of it', () => {
    const session = withBothGroups();
    session.move('s3', 's1');
    session.move('q1');
    session.move('q3', 'q2');
    assert.deepEqual(session.waiting, ['s3', 's1', 's2', 'q3', 'q2', 'q1']);
  });

  it('never takes an item out of its group', () => {
    const session = withBothGroups();
    session.move('q3', 's1');
    assert.deepEqual(session.waiting, ['s1', 's2', 's3', 'q3', 'q1', 'q2']);
    session.move('s1', 'q2');
    assert.deepEqual(session.waiting, ['s2', 's3', 's1', 'q3', 'q1', 'q2']);
    session.move('s2');
    assert.deepEqual(session.waiting, ['s3', 's1', 's2', 'q3', 'q1', 'q2']);
  });

  it('never takes the only entry of the queue before the texts that lead', () => {
    const session = during('model');
    session.steer('s1');
    session.queue('q1');
    session.move('q1', 's1');
    assert.deepEqual(session.waiting, ['s1', 'q1']);
  });

  it('decides the order of delivery', () => {
    const session = withBothGroups();
    session.move('s3', 's1');
    session.answer();
    session.endWork();
    assert.equal(session.lastUserRow, 's3+s1+s2');
  });

  it('before an item that does not wait any more is refused', () => {
    const session = withBothGroups();
    session.withdraw('q1');
    assert.equal(refusal(session.move('q3', 'q1')), 'unknown_item');
  });
});

describe('send now', () => {
  it('leaves a steer that already waits in its place', () => {
    const session = during('model');
    session.steer('s1');
    session.steer('s2');
    assert.equal(session.sendNow('s1').outcome, 'steering');
    assert.deepEqual(session.waiting, ['s1', 's2']);
  });

  it('of a held entry makes it pending', () => {
    const session = during('tool');
    session.queue('q1');
    session.stop();
    assert.equal(session.stateOf('q1'), 'held');
    session.sendNow('q1');
    assert.equal(session.stateOf('q1'), 'pending');
    assert.equal(session.item('q1')?.kind, 'steer');
    session.result('c1', 'stopped');
    assert.equal(session.lastUserRow, 'q1');
  });

  it('of a delivered or unknown item is refused', () => {
    const session = during('model');
    assert.equal(refusal(session.sendNow('first')), 'already_delivered');
    assert.equal(refusal(session.sendNow('nobody')), 'unknown_item');
  });
});

describe('a returned item', () => {
  function withReturned(): Driver {
    const session = during('model');
    session.steer('s1');
    session.stop();
    assert.deepEqual(session.item('s1')?.state, { is: 'returned', why: 'stopped', acknowledged: false });
    return session;
  }

  it('stays listed until a view takes it', () => {
    const session = withReturned();
    session.send('next');
    assert.deepEqual(session.waiting, ['s1']);
    session.acknowledge('s1');
    assert.deepEqual(session.waiting, []);
    assert.deepEqual(session.item('s1')?.state, { is: 'returned', why: 'stopped', acknowledged: true });
  });

  it('never waits again: it is the user’s', () => {
    const session = withReturned();
    assert.equal(refusal(session.sendNow('s1')), 'unknown_item');
    assert.equal(refusal(session.redirectNow('s1')), 'unknown_item');
    assert.equal(refusal(session.edit('s1', 'x', 1)), 'unknown_item');
    assert.equal(refusal(session.move('s1')), 'unknown_item');
    session.resumeQueue();
    session.clearQueue();
    assert.equal(session.stateOf('s1'), 'returned');
    assert.equal(session.phase, 'idle');
  });

  it('is taken off the list by a withdrawal, and stays what it is', () => {
    const session = withReturned();
    assert.equal(session.withdraw('s1').outcome, 'changed');
    assert.deepEqual(session.waiting, []);
    assert.deepEqual(session.item('s1')?.state, { is: 'returned', why: 'stopped', acknowledged: true });
  });

  it('is not touched by an acknowledgement when it is something else', () => {
    const session = during('model');
    session.steer('s1');
    session.acknowledge('s1');
    assert.equal(session.stateOf('s1'), 'pending');
  });
});

describe('clear queue', () => {
  it('withdraws queue entries and held texts, and leaves steers and what is on its way', () => {
    const session = new Driver();
    session.send('first');
    session.queue('q1');
    session.stop();
    const held = new Driver({ hooks: true, state: session.state });
    held.queue('q2');
    held.queue('q3');
    held.steer('s1');
    held.clearQueue();
    assert.deepEqual(
      ['q1', 'q2', 'q3', 's1'].map((id) => held.stateOf(id)),
      ['withdrawn', 'pending', 'withdrawn', 'pending'],
    );
  });
});

describe('the limits of a session', () => {
  it('refuse the 1,025th undelivered item, and nothing changes', () => {
    const session = during('model');
    for (let count = 0; count < MAX_ITEMS; count += 1) session.queue(`q${count}`);
    const before = session.state;
    assert.equal(refusal(session.queue('one more')), 'full');
    assert.deepEqual(session.state.items, before.items);
    assert.deepEqual([...session.writes, ...session.effects], []);
    session.withdraw('q0');
    assert.equal(session.queue('one more').outcome, 'queued');
  }).timeout(20_000);

  it('refuse more than 4 Mi characters together', () => {
    assert.equal(MAX_ITEM_CHARACTERS, 4_194_304);
    const session = during('model');
    assert.equal(session.steer('s1', { text: 'x'.repeat(MAX_ITEM_CHARACTERS) }).outcome, 'steering');
    assert.equal(refusal(session.queue('q1', { text: 'x' })), 'full');
  });

  it('say for a queued item which place it has, not counting what is on its way into the history', () => {
    const session = during('starting');
    assert.equal(session.queue('q1').position, 1);
    assert.equal(session.queue('q2').position, 2);
  });
});

function refusal(receipt: ReturnType<Driver['send']>): string | undefined {
  return receipt.outcome === 'refused' ? receipt.reason : undefined;
}

describe('what a reload finds', () => {
  it('is the order that the user chose', () => {
    const session = during('model');
    for (const id of ['q1', 'q2', 'q3']) session.queue(id);
    session.move('q3', 'q1');
    assert.deepEqual(
      session.writes.filter(({ write }) => write === 'order'),
      [{ write: 'order', ids: ['q3', 'q1', 'q2'] }],
    );
  });

  it('is the first receipt of each id', () => {
    const session = during('tool');
    const receipt = session.redirect('r1');
    assert.equal(receipt.outcome === 'steering' && receipt.downgradedFrom, 'redirect');
    const stored = session.writes.flatMap((write) => (write.write === 'receipt' ? [write.receipt] : []));
    assert.deepEqual(stored, [receipt]);
    const items = session.state.items.map((item) => ({ ...item, state: { is: 'held' as const } }));
    const { state } = restore({
      sessionId: 's',
      lastSeq: session.state.seq,
      stepBudget: 20,
      items,
      receipts: stored,
      untoldStop: undefined,
    });
    assert.deepEqual(new Driver({ state }).redirect('r1'), receipt);
  });
});
