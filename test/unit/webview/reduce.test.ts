import assert from 'node:assert/strict';
import type { TranscriptRow } from '../../../src/api.ts';
import { answer, events, item, snapshot, toolResult, turnResult, user } from '../../../webview/dev/script.ts';
import { type ChatState, initialState } from '../../../webview/state/chat-state.ts';
import { addOlder, reduce } from '../../../webview/state/reduce.ts';
import { sectionRows } from '../../../webview/state/sections.ts';

const opened = (overrides: Parameters<typeof snapshot>[0] = {}): ChatState => reduce(initialState, snapshot(overrides));
const rowsOf = (state: ChatState): readonly TranscriptRow[] => state.sections.flatMap((section) => section.rows);
const delta = (text: string, attempt = 1, request = 1) =>
  ({ type: 'delta', turnId: 't1', request, attempt, part: 'text', text }) as const;

describe('numbered messages', () => {
  it('are applied when they follow what the page has', () => {
    const state = reduce(opened(), events(0, { type: 'turn.started', turnId: 't1' }, delta('Hel'), delta('lo')));
    assert.equal(state.live?.text, 'Hello');
    assert.equal(state.seq, 3);
  });

  it('that leave a gap change nothing but the wish for a snapshot', () => {
    const state = opened();
    const after = reduce(state, events(5, delta('late')));
    assert.equal(after.outOfStep, true);
    assert.equal(after.live, null);
    assert.equal(reduce(after, snapshot({ seq: 9 })).outOfStep, false);
  });

  it('that come twice count once', () => {
    const message = events(0, delta('once'));
    const state = reduce(opened(), message);
    assert.equal(reduce(state, message), state);
  });

  it('before the first snapshot are dropped', () => {
    assert.equal(reduce(initialState, events(0, delta('early'))), initialState);
  });
});

describe('streamed text', () => {
  it('of an attempt that is over is dropped by its number', () => {
    const state = reduce(opened(), events(0, delta('first', 1), delta('second', 2), delta('late', 1)));
    assert.equal(state.live?.text, 'second');
  });

  it('gives way to the stored row of its answer', () => {
    const state = reduce(
      opened(),
      events(0, { type: 'turn.started', turnId: 't1' }, delta('Hi'), {
        type: 'row',
        turnId: 't1',
        row: answer('t1', 1, 'Hi'),
      }),
    );
    assert.equal(state.live?.text, '');
    assert.equal(rowsOf(state).length, 1);
  });

  it('wakes nobody who shows finished sections', () => {
    const before = opened({ rows: [user('t1', 'Hello')] });
    const after = reduce(before, events(0, delta('word')));
    assert.equal(after.sections, before.sections);
    assert.equal(after.turnResults, before.turnResults);
  });

  it('ends with its turn', () => {
    const state = reduce(
      opened(),
      events(0, delta('cut'), { type: 'turn.ended', turnId: 't1', result: turnResult('t1') }),
    );
    assert.equal(state.live, null);
    assert.equal(state.turnResults.get('t1')?.exitReason, 'answered');
  });
});

describe('a running tool', () => {
  const running = (output?: string) =>
    ({
      type: 'tool',
      turnId: 't1',
      callId: 'c1',
      name: 'terminal',
      state: 'running',
      label: 'Ran npm test',
      ...(output !== undefined && { output }),
    }) as const;

  it('gathers its output, the newest 4,000 characters', () => {
    const state = reduce(opened(), events(0, running('a'.repeat(3_000)), running('b'.repeat(3_000))));
    assert.equal(state.live?.tools[0]?.output, 'a'.repeat(1_000) + 'b'.repeat(3_000));
  });

  it('makes place for its stored result', () => {
    const result = toolResult('t1', 'c1', 'out', { label: 'Ran npm test', durationMs: 5 });
    const state = reduce(opened(), events(0, running(), { type: 'row', turnId: 't1', row: result }));
    assert.deepEqual(state.live?.tools, []);
  });
});

describe('items', () => {
  it('wait until they are delivered, and then say whether they were read', () => {
    const waiting = item('steer', 'Look here');
    const told = (read: boolean) =>
      ({
        type: 'item',
        item: { ...waiting, state: { is: 'delivered', turnId: 't1', request: 2, rowId: 'r', read } },
      }) as const;
    const first = reduce(opened(), events(0, { type: 'item', item: waiting }));
    assert.deepEqual(first.items, [waiting]);
    const second = reduce(first, events(1, told(false)));
    assert.deepEqual(second.items, []);
    assert.equal(second.reads.get(waiting.id), false);
    assert.equal(reduce(second, events(2, told(true))).reads.get(waiting.id), true);
  });

  it('keep their place when they change', () => {
    const [a, b] = [item('queue', 'a'), item('queue', 'b')];
    const state = reduce(
      opened({ items: [a, b] }),
      events(0, { type: 'item', item: { ...a, text: 'A', revision: 2 } }),
    );
    assert.deepEqual(
      state.items.map((one) => one.text),
      ['A', 'b'],
    );
  });

  it('take the order that the host gives', () => {
    const [a, b] = [item('queue', 'a'), item('queue', 'b')];
    const state = reduce(opened({ items: [a, b] }), { ...events(0, { type: 'item', item: a }), items: [b, a] });
    assert.deepEqual(state.items, [b, a]);
  });
});

describe('cards', () => {
  const approval = {
    ...{
      id: 'a1',
      turnId: 't1',
      callId: 'c1',
      sessionId: 's1',
      tool: 'terminal',
      summary: 'Run npm test',
      why: 'Asks.',
    },
    choices: ['once', 'deny'],
  } as const;

  it('open with what the host sends beside the event, and close by id', () => {
    const open = reduce(opened(), { ...events(0, { type: 'approval.opened', id: 'a1' }), approvals: [approval] });
    assert.deepEqual(open.approvals, [approval]);
    assert.deepEqual(reduce(open, events(1, { type: 'approval.closed', id: 'a1' })).approvals, []);
  });
});

describe('the state line', () => {
  it('counts from the beginning of a phase, not from each new label of it', () => {
    const at = (label: string, when: number) =>
      ({ type: 'state', state: 'running', phase: 'model', label, at: when }) as const;
    const message = events(0, at('patch 10', 0), at('patch 20', 0));
    const timed = { ...message, events: message.events.map((event, index) => ({ ...event, at: 1_000 * (index + 1) })) };
    assert.equal(reduce(opened(), timed).state.since, 1_000);
  });

  it('knows in a back-off when the request is repeated', () => {
    const backoff = { type: 'state', state: 'running', phase: 'backoff', label: 'Overloaded', until: 12_345 } as const;
    assert.equal(reduce(opened(), events(0, backoff)).state.until, 12_345);
  });
});

describe('a notice', () => {
  const notice = (kind: string) => ({ type: 'notice', turnId: 't1', kind, text: 'Something happened.' }) as const;

  it('of how an answer came about stands at its place in the transcript', () => {
    for (const kind of ['reconnecting', 'model_switched']) {
      const before = opened({ rows: [user('t1', 'Go')] });
      const state = reduce(before, events(0, notice(kind), { type: 'row', row: answer('t1', 1, 'Done') }));
      assert.deepEqual(
        rowsOf(state).map((row) => row.displayText),
        ['Go', 'Something happened.', 'Done'],
      );
      assert.equal(state.quietLine, null);
    }
  });

  it('of anything else is said once near the composer', () => {
    const state = reduce(opened(), events(0, notice('budget_warning')));
    assert.deepEqual(rowsOf(state), []);
    assert.equal(state.quietLine?.text, 'Something happened.');
  });
});

describe('sections', () => {
  it('change only at the end', () => {
    const before = opened({ rows: [user('t1', 'one'), user('t2', 'two')] });
    const after = reduce(before, events(0, { type: 'row', row: answer('t2', 1, 'answer') }));
    assert.equal(after.sections[0], before.sections[0]);
    assert.equal(after.sections[1]?.rows.length, 2);
    assert.equal(after.sections[1]?.key, before.sections[1]?.key);
  });

  it('keep a call and its result together however long the turn is', () => {
    const rows = Array.from({ length: sectionRows }, (_, n) => [
      answer('t1', n + 1, '', [{ callId: `c${n}`, name: 'read_file', input: { path: 'a.ts' } }]),
      toolResult('t1', `c${n}`, '', { label: 'Read', durationMs: 1 }),
    ]).flat();
    const { sections } = opened({ rows });
    assert.ok(sections.length > 1);
    for (const section of sections) {
      const calls = section.rows.flatMap((row) =>
        row.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : [])),
      );
      const results = section.rows.flatMap((row) => (row.callId ? [row.callId] : []));
      assert.deepEqual(calls, results);
    }
    assert.equal(new Set(sections.map((section) => section.key)).size, sections.length);
  });

  it('take older rows in front, also of a turn that they cut', () => {
    const rows = Array.from({ length: 10 }, (_, n) => user('t1', String(n)));
    const state = opened({ rows: rows.slice(6), hasOlder: true });
    const after = addOlder(state, { rows: rows.slice(0, 6), hasOlder: false, turnResults: [] });
    assert.deepEqual(
      rowsOf(after).map((row) => row.displayText),
      ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
    );
    assert.equal(after.hasOlder, false);
    assert.equal(after.sections.at(-1), state.sections.at(-1));
  });

  it('hold a row once, also when it comes in both an event and a snapshot', () => {
    const row = user('t1', 'once');
    const state = reduce(opened({ rows: [row] }), events(0, { type: 'row', row }));
    assert.equal(rowsOf(state).length, 1);
  });
});
