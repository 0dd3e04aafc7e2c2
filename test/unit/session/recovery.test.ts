import assert from 'node:assert/strict';
import { recover, type Unfinished } from '../../../src/agent/session/index.ts';
import { answer, calls, item, result, row, toolResult, turn } from './builders.ts';

describe('recovery of a session whose host died', () => {
  const recovered = (session: Partial<Unfinished>) => {
    let made = 0;
    const rows = session.rows ?? [];
    return recover(
      {
        sessionId: 's',
        items: [],
        turns: [turn('turn-1', 1)],
        partial: undefined,
        lastSeq: rows.at(-1)?.seq ?? 0,
        ...session,
        rows,
      },
      9_000,
      () => `new-${++made}`,
    );
  };

  it('does nothing when the last turn has ended and no text waits', () => {
    const ended = turn('turn-1', 1, { endedAt: 2, result: result('turn-1') });
    const delivered = item('i', 1, { is: 'delivered', turnId: 'turn-1', request: 1, rowId: 'r', read: true });
    assert.equal(recovered({ rows: [row(1, 'hi'), answer(2, 'ho')], turns: [ended], items: [delivered] }), undefined);
    assert.equal(recovered({ turns: [] }), undefined);
  });

  it('holds waiting texts, also when no turn was running, and leaves others as they are', () => {
    const returned = item('r', 2, { is: 'returned', why: 'stopped', acknowledged: false });
    const waiting = { ...item('w', 1), waitsFor: { what: 'model', label: 'the model' } as const };
    const recovery = recovered({ turns: [], items: [waiting, returned] });
    assert.deepEqual(recovery?.commit.items, [item('w', 1, { is: 'held' })]);
    assert.equal(recovery?.closed, undefined);
  });

  it('keeps the text of the answer that was being written, marked as cut by the reload', () => {
    const partial = { turnId: 'turn-1', request: 2, attempt: 3, text: 'The bug is' };
    const recovery = recovered({ rows: [row(1, 'find it'), calls(2, 'a'), toolResult(3, 'a')], partial });
    assert.deepEqual(recovery?.commit.rows, [
      {
        ...answer(4, 'The bug is', { id: 'new-1', request: 2 }),
        interrupted: 'reload',
      },
    ]);
    assert.equal(recovery?.closed?.partial, true);
    assert.equal(recovery?.closed?.finalText, 'The bug is');
    assert.equal(recovery?.closed?.requests, 2);
    assert.equal(recovery?.closed?.attempts, 3);
    assert.equal(recovery?.closed?.phase, 'model');
  });

  it('ignores partial text of another turn', () => {
    const partial = { turnId: 'turn-0', request: 1, attempt: 1, text: 'old' };
    assert.deepEqual(recovered({ rows: [row(1, 'hi')], partial })?.commit.rows, []);
  });

  it('gives every call exactly one result in call order, then a closing row that is not shown', () => {
    const rows = [row(1, 'go'), calls(2, 'a', 'b', 'c'), toolResult(3, 'a')];
    const recovery = recovered({ rows, turns: [turn('turn-1', 1, { startedCalls: ['call-a', 'call-b'] })] });
    assert.deepEqual(
      recovery?.commit.rows?.map((one) => [one.seq, one.role, one.callId, one.status, one.displayText === null]),
      [
        [4, 'tool', 'call-b', 'abandoned', false],
        [5, 'tool', 'call-c', 'not_run', false],
        [6, 'assistant', undefined, undefined, true],
      ],
    );
    assert.equal(recovery?.commit.rows?.at(-1)?.kind, 'closing');
    assert.equal(recovery?.closed?.phase, 'tool');
  });

  it('calls nothing not run when it is not known which calls had started', () => {
    const recovery = recovered({ rows: [row(1, 'go'), calls(2, 'a', 'b')] });
    assert.deepEqual(
      recovery?.commit.rows?.map((one) => one.status),
      ['abandoned', 'abandoned', undefined],
    );
  });

  it('closes the turn as interrupted by the reload', () => {
    const recovery = recovered({ rows: [row(1, 'go')] });
    const closed = recovery?.closed;
    assert.equal(closed?.exitReason, 'interrupted_by_reload');
    assert.deepEqual(
      [closed?.completed, closed?.interrupted, closed?.failed, closed?.partial],
      [false, true, false, false],
    );
    assert.equal('costUsd' in (closed?.usage ?? {}), false);
    assert.deepEqual(recovery?.commit.turn, { id: 'turn-1', startedAt: 1, endedAt: 9_000, result: closed });
  });

  it('closes a turn that was already stopped as stopped, by whoever stopped it', () => {
    const partial = { turnId: 'turn-1', request: 1, attempt: 1, text: 'half' };
    const stopped = (by: string) =>
      recovered({
        rows: [row(1, 'go')],
        partial,
        turns: [turn('turn-1', 1, { stopped: { by, reason: 'r', seq: 2 } })],
      });
    assert.equal(stopped('user')?.closed?.exitReason, 'interrupted_by_user');
    assert.equal(stopped('user')?.closed?.stoppedBy, 'user');
    assert.equal(stopped('liveness')?.closed?.exitReason, 'interrupted_by_system(liveness)');
    assert.equal(stopped('user')?.commit.rows?.[0]?.interrupted, 'stop');
  });

  it('needs no second recovery', () => {
    const rows = [row(1, 'go'), calls(2, 'a'), toolResult(3, 'a')];
    const first = recovered({ rows, items: [item('w', 4)], lastSeq: 4 });
    assert.ok(first?.commit.turn && first.commit.rows && first.commit.items);
    assert.equal(first.commit.rows[0]?.seq, 5);
    const again = recovered({
      rows: [...rows, ...first.commit.rows],
      items: first.commit.items,
      turns: [first.commit.turn],
    });
    assert.equal(again, undefined);
  });
});
