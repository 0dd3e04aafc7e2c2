import assert from 'node:assert/strict';
import { openStore, type SessionStore, StorageError } from '../../../src/agent/session/index.ts';
import { answer, calls, item, result, row, session, temporaryFolder, texts, toolResult, turn } from './builders.ts';

describe('session store', () => {
  const folder = temporaryFolder();
  let store: SessionStore;
  let now = 0;

  const reopen = (): void => {
    store.close();
    store = openStore(folder.path, { now: () => now }).store;
  };

  beforeEach(() => {
    now = 5_000;
    store = openStore(folder.path, { now: () => now }).store;
    store.create(session('a', { title: 'First' }));
  });
  afterEach(() => store.close());

  it('gives back rows, items, turns, partial text, todos and model as they were, after closing and opening', () => {
    const rows = [
      row(1, 'do it', { itemIds: ['i1'], providerText: 'note\n\ndo it' }),
      calls(2, 'read', 'write'),
      toolResult(3, 'read', {
        card: {
          label: 'Read a.ts',
          detail: '+1 −1',
          diff: { path: '/a.ts', before: 'a', after: 'b' },
          durationMs: 12,
          childId: 'child',
        },
      }),
      answer(4, 'half', {
        keepsFrom: 3,
        interrupted: 'stop',
        parts: [
          { type: 'thinking', text: 'hm', signed: true, signature: 'sig' },
          { type: 'image', mime: 'image/png', ref: 'r' },
          { type: 'text', text: 'half', itemId: 'i1' },
        ],
      }),
    ];
    const waiting = item('i2', 6);
    const delivered = item('i1', 5, { is: 'delivered', turnId: 'turn-1', request: 1, rowId: 'row-1', read: true });
    const record = turn('turn-1', 10, { endedAt: 20, result: result('turn-1', { durationMs: 10 }) });
    store.commit({ sessionId: 'a', rows, items: [waiting, delivered], turn: record });
    store.savePartial('a', { turnId: 'turn-1', request: 2, attempt: 1, text: 'so far' });
    store.setTodos('a', [{ id: '1', content: 'x' }]);
    store.setModel('a', 'practice/guide');
    reopen();

    assert.deepEqual(store.rows('a'), rows);
    assert.deepEqual(store.items('a'), [delivered, waiting]);
    assert.deepEqual(store.item('a', 'i2'), waiting);
    assert.deepEqual(store.turns('a'), [record]);
    assert.deepEqual(store.partial('a'), { turnId: 'turn-1', request: 2, attempt: 1, text: 'so far' });
    assert.deepEqual(store.todos('a'), [{ id: '1', content: 'x' }]);
    assert.equal(store.get('a')?.model, 'practice/guide');
    assert.equal(store.rowCount('a'), 4);
    assert.equal(store.lastSeq('a'), 6);
  });

  it('stores nothing of a commit of which one part fails', () => {
    store.commit({ sessionId: 'a', rows: [row(1, 'one')] });

    const commit = { sessionId: 'a', rows: [row(2, 'two'), row(1, 'one again')], items: [item('i', 3)] };
    assert.throws(() => store.commit(commit), StorageError);

    assert.deepEqual(texts(store, 'a'), ['one']);
    assert.deepEqual(store.items('a'), []);
  });

  it('never replaces a row', () => {
    store.commit({ sessionId: 'a', rows: [row(1, 'one')] });
    assert.throws(() => store.commit({ sessionId: 'a', rows: [row(9, 'other', { id: 'row-1' })] }), StorageError);
    assert.deepEqual(texts(store, 'a'), ['one']);
  });

  it('refuses a commit to a session that does not exist', () => {
    assert.throws(() => store.commit({ sessionId: 'gone', rows: [row(1, 'one')] }), StorageError);
  });

  it('replaces items and turns by id', () => {
    store.commit({ sessionId: 'a', items: [item('i', 1)], turn: turn('turn-1', 1) });
    store.commit({
      sessionId: 'a',
      items: [item('i', 1, { is: 'withdrawn' })],
      turn: turn('turn-1', 1, { stopped: { by: 'user', reason: '', seq: 4 } }),
    });
    assert.deepEqual(
      store.items('a').map((one) => one.state.is),
      ['withdrawn'],
    );
    assert.deepEqual(
      store.turns('a').map((one) => one.stopped?.by),
      ['user'],
    );
  });

  it('gives back turns in the order in which they were begun, also when the clock was put back between them', () => {
    store.commit({ sessionId: 'a', turn: turn('t-2', 9_000, { seq: 2 }) });
    store.commit({ sessionId: 'a', turn: turn('t-10', 1_000, { seq: 10 }) });
    store.commit({ sessionId: 'a', turn: turn('t-7', 1_000, { seq: 7 }) });
    assert.deepEqual(
      store.turns('a').map(({ id }) => id),
      ['t-2', 't-7', 't-10'],
    );
  });

  it('counts the sequence number of a stop, which no row carries', () => {
    store.commit({
      sessionId: 'a',
      rows: [row(3, 'x')],
      turn: turn('t', 1, { stopped: { by: 'user', reason: '', seq: 7 } }),
    });
    assert.equal(store.lastSeq('a'), 7);
    assert.equal(store.lastSeq('nothing here'), 0);
  });

  it('drops the partial text in the commit that stores the answer, and in the one that ends the turn', () => {
    const partial = { turnId: 'turn-1', request: 1, attempt: 1, text: 'so far' };
    store.savePartial('a', partial);
    store.commit({ sessionId: 'a', rows: [row(1, 'a steer')] });
    assert.deepEqual(store.partial('a'), partial);
    store.commit({ sessionId: 'a', rows: [answer(2, 'so far and the end')] });
    assert.equal(store.partial('a'), undefined);

    store.savePartial('a', partial);
    store.commit({ sessionId: 'a', turn: turn('turn-1', 1, { endedAt: 2 }) });
    assert.equal(store.partial('a'), undefined);

    store.savePartial('a', partial);
    store.savePartial('a', undefined);
    assert.equal(store.partial('a'), undefined);
  });

  it('reads the last rows, or those before a sequence number, in order', () => {
    store.commit({ sessionId: 'a', rows: [1, 2, 3, 4, 5].map((seq) => row(seq, `${seq}`)) });
    const read = (options: { before?: number; limit?: number }) => store.rows('a', options).map((one) => one.seq);
    assert.deepEqual(read({ limit: 2 }), [4, 5]);
    assert.deepEqual(read({ before: 4, limit: 2 }), [2, 3]);
    assert.deepEqual(read({ before: 2 }), [1]);
    assert.deepEqual(
      store.rows('a', { after: 3 }).map((one) => one.seq),
      [4, 5],
    );
    assert.deepEqual(read({ limit: 0 }), []);
  });

  it('lists the session that changed last first, with its number of turns', () => {
    store.create(session('b', { title: 'Second', updatedAt: 2_000 }));
    now = 9_000;
    store.commit({ sessionId: 'a', turn: turn('t1', 1) });
    store.commit({ sessionId: 'a', turn: turn('t2', 2) });
    assert.deepEqual(store.list(), [
      { id: 'a', title: 'First', createdAt: 1_000, updatedAt: 9_000, turns: 2 },
      { id: 'b', title: 'Second', createdAt: 1_000, updatedAt: 2_000, turns: 0 },
    ]);
  });

  it('deletes a session with all that belongs to it, and nothing of another', () => {
    store.create(session('b'));
    for (const id of ['a', 'b']) {
      store.commit({ sessionId: id, rows: [row(1, `kept for ${id}`)], items: [item('i', 2)], turn: turn('t', 1) });
      store.setTodos(id, ['x']);
      store.savePartial(id, { turnId: 't', request: 1, attempt: 1, text: 'p' });
    }
    store.delete('a');
    assert.equal(store.get('a'), undefined);
    assert.deepEqual([store.rows('a'), store.items('a'), store.turns('a')], [[], [], []]);
    assert.deepEqual([store.partial('a'), store.todos('a')], [undefined, undefined]);
    assert.deepEqual(texts(store, 'b'), ['kept for b']);
    assert.equal(store.items('b').length + store.turns('b').length, 2);
  });

  it('lists the sessions of delegated agents with the one that started them only, and deletes them with it', () => {
    store.create(session('child-2', { parent: 'a', createdAt: 3_000 }));
    store.create(session('child-1', { parent: 'a', createdAt: 2_000 }));
    store.commit({ sessionId: 'child-1', rows: [row(1, 'delegated words')] });
    store.commit({ sessionId: 'a', rows: [row(1, 'words of the user')] });
    reopen();

    const ids = (sessions: readonly { readonly id: string }[]) => sessions.map(({ id }) => id);
    assert.deepEqual(ids(store.list()), ['a']);
    assert.deepEqual(ids(store.children('a')), ['child-1', 'child-2']);
    assert.equal(store.children('a')[0]?.parent, 'a');
    assert.deepEqual(
      store.search('words', 9).map((hit) => hit.sessionId),
      ['a'],
    );
    store.delete('a');
    assert.equal(store.get('child-1'), undefined);
    assert.deepEqual(store.rows('child-1'), []);
  });

  it('gives back waiting items in the order that was stored, and those that it does not name behind them', () => {
    const delivered = item('d', 4, { is: 'delivered', turnId: 't', request: 1, rowId: 'r', read: true });
    const items = [item('i1', 1), item('i2', 2), item('i3', 3, { is: 'held' }), delivered, item('i5', 5)];
    store.commit({ sessionId: 'a', items, order: ['i3', 'i2', 'gone', 'i1'] });
    reopen();
    const ids = () => store.items('a').map(({ id }) => id);
    assert.deepEqual(ids(), ['d', 'i3', 'i2', 'i1', 'i5']);
    store.commit({ sessionId: 'a', items: [item('i2', 2, { is: 'withdrawn' })] });
    assert.deepEqual(ids(), ['i2', 'd', 'i3', 'i1', 'i5']);
    store.commit({ sessionId: 'a', order: ['i5'] });
    assert.deepEqual(ids(), ['i2', 'd', 'i5', 'i1', 'i3']);
  });

  it('lets only a window that knows the newest state of a session write to it', () => {
    const other = openStore(folder.path).store;
    for (const window of [store, other]) window.know('a');
    store.commit({ sessionId: 'a', rows: [row(1, 'one')] });
    store.commit({ sessionId: 'a', items: [item('i', 2)] });
    assert.equal(store.isChanged('a'), false);
    assert.equal(other.isChanged('a'), true);
    assert.throws(() => other.commit({ sessionId: 'a', rows: [row(3, 'unseen')] }), { kind: 'moved_on' });
    assert.deepEqual(texts(store, 'a'), ['one']);
    other.know('a');
    other.commit({ sessionId: 'a', rows: [row(3, 'seen')] });
    assert.equal(store.isChanged('a'), true);
    other.close();
  });

  it('does not take a failed commit for one that it knows', () => {
    store.know('a');
    assert.throws(() => store.commit({ sessionId: 'a', rows: [row(1, 'one'), row(1, 'twice')] }), StorageError);
    assert.equal(store.isChanged('a'), false);
    store.commit({ sessionId: 'a', rows: [row(1, 'one')] });
  });

  it('keeps the first receipt of an id, in the order in which they were given, and counts their numbers', () => {
    const first = { id: 'b', verb: 'send', seq: 7, turnId: 't', outcome: 'started' } as const;
    const downgraded = {
      id: 'a',
      verb: 'redirect',
      seq: 8,
      position: 1,
      outcome: 'steering',
      downgradedFrom: 'redirect',
      reason: 'tools_running',
    } as const;
    const refused = { id: 'c', verb: 'edit', seq: 9, outcome: 'refused', reason: 'empty', message: 'No.' } as const;
    store.commit({ sessionId: 'a', receipts: [first] });
    store.commit({ sessionId: 'a', receipts: [downgraded, { ...first, seq: 9 }, refused] });
    reopen();
    assert.deepEqual(store.receipts('a'), [first, downgraded, refused]);
    assert.equal(store.lastSeq('a'), 9);
  });

  it('keeps background processes until they are forgotten, also when their session is deleted', () => {
    const window = { pid: 1, processStart: '12' };
    const one = { mark: 'm1', pid: 10, startTime: '34', command: 'npm run dev', sessionId: 'a', window };
    const other = { mark: 'm2', pid: 11, command: 'x', sessionId: 'a', window };
    store.recordProcess(one);
    store.recordProcess(other);
    store.delete('a');
    reopen();
    assert.deepEqual(store.processes(), [one, other]);
    store.forgetProcess('m1');
    assert.deepEqual(store.processes(), [other]);
  });

  it('keeps the title of the first text; a user title wins over a model title, and that one over it', () => {
    store.create(session('c'));
    const title = () => store.get('c')?.title;
    store.commit({ sessionId: 'c', derivedTitle: 'derived' });
    assert.equal(title(), 'derived');
    store.commit({ sessionId: 'c', derivedTitle: 'from a later turn' });
    assert.equal(title(), 'derived');
    store.rename('c', 'by the model', 'model');
    store.commit({ sessionId: 'c', derivedTitle: 'derived again' });
    assert.equal(title(), 'by the model');
    store.rename('c', 'by the model again', 'model');
    assert.equal(title(), 'by the model');
    store.rename('c', 'mine', 'user');
    store.rename('c', 'by the model', 'model');
    assert.equal(title(), 'mine');
    store.rename('c', 'mine too', 'user');
    assert.equal(title(), 'mine too');
  });

  it('stores half characters as U+FFFD and whole ones unchanged', () => {
    store.commit({ sessionId: 'a', rows: [row(1, 'cut \ud83d here, whole 😀, literal \\ud83d')] });
    reopen();
    assert.deepEqual(texts(store, 'a'), ['cut \ufffd here, whole 😀, literal \\ud83d']);
  });

  it('says that it is closed', () => {
    store.close();
    assert.throws(() => store.list(), { name: 'StorageError', kind: 'closed' });
    store.close();
  });
});
