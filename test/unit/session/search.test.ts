import assert from 'node:assert/strict';
import { openStore, type SessionStore } from '../../../src/agent/session/index.ts';
import { row, session, temporaryFolder } from './builders.ts';

describe('search of conversations', () => {
  const folder = temporaryFolder();
  let store: SessionStore;

  beforeEach(() => {
    store = openStore(folder.path).store;
    for (const id of ['a', 'b']) store.create(session(id, { title: `Title ${id}` }));
    store.commit({
      sessionId: 'a',
      rows: [row(1, 'Please fix the foo-bar parser'), row(2, 'Größe ändern; 100% sure')],
    });
    store.commit({ sessionId: 'b', rows: [row(1, 'A parser of another kind'), row(2, '修复解析器的错误')] });
  });
  afterEach(() => store.close());

  const found = (query: string, limit = 10) => store.search(query, limit).map((hit) => `${hit.sessionId}/${hit.rowId}`);

  it('finds every word in any order, the newest first, and tells session, title and a snippet', () => {
    assert.deepEqual(found('parser'), ['b/row-1', 'a/row-1']);
    assert.deepEqual(found('PARSER fix'), ['a/row-1']);
    assert.deepEqual(store.search('another', 5), [
      { sessionId: 'b', title: 'Title b', rowId: 'row-1', snippet: 'A parser of another kind' },
    ]);
  });

  it('completes the last word, ignores accents and honours the limit', () => {
    assert.deepEqual(found('pars'), ['b/row-1', 'a/row-1']);
    assert.deepEqual(found('grosse andern').concat(found('große andern')), ['a/row-2']);
    assert.deepEqual(found('parser', 1), ['b/row-1']);
  });

  it('finds text of a script without spaces', () => {
    assert.deepEqual(found('解析器'), ['b/row-2']);
  });

  it('takes any query for words, never for syntax', () => {
    assert.deepEqual(found('foo-bar'), ['a/row-1']);
    assert.deepEqual(found('100%'), ['a/row-2']);
    assert.deepEqual(found('%'), ['a/row-2']);
    for (const query of ['"unclosed', 'AND', 'a OR', 'NEAR(', '*', 'text:x', "'", '(', '\\', '', '   ']) {
      assert.doesNotThrow(() => found(query), query);
    }
  });

  it('sees rows that came after an earlier search, and none of a deleted session', () => {
    assert.deepEqual(found('zebra'), []);
    store.commit({ sessionId: 'a', rows: [row(3, 'a zebra')] });
    assert.deepEqual(found('zebra'), ['a/row-3']);
    store.commit({ sessionId: 'a', rows: [row(4, 'not indexed zebra')] });
    store.delete('a');
    assert.deepEqual(found('zebra'), []);
    assert.deepEqual(found('parser'), ['b/row-1']);
    store.commit({ sessionId: 'b', rows: [row(5, 'zebra of b')] });
    assert.deepEqual(found('zebra'), ['b/row-5']);
  });

  it('shows the place of the word in a long text on one line', () => {
    store.commit({ sessionId: 'a', rows: [row(3, `${'x '.repeat(500)}\nneedle\n${'y '.repeat(500)}`)] });
    const snippet = store.search('needle', 1)[0]?.snippet ?? '';
    assert.match(snippet, /^….*needle.*…$/);
    assert.ok(snippet.length < 130);
  });

  it('leaves out rows that only the model sees', () => {
    store.commit({ sessionId: 'a', rows: [row(3, 'hidden thing', { displayText: null })] });
    assert.deepEqual(found('hidden'), []);
  });
});
