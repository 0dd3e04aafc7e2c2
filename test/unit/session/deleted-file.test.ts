import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { openStore } from '../../../src/agent/session/index.ts';
import { answer, row, session, temporaryFolder, texts } from './builders.ts';

describe('a database that is deleted while windows have it open', () => {
  const folder = temporaryFolder();
  const told: string[] = [];
  const open = () => openStore(folder.path, { restored: (words) => told.push(words) }).store;
  beforeEach(() => {
    told.length = 0;
  });

  for (const [what, remove] of [
    [
      'with its side files',
      () => {
        for (const name of readdirSync(folder.path)) rmSync(`${folder.path}/${name}`);
      },
    ],
    ['with its folder', () => rmSync(folder.path, { recursive: true })],
  ] as const) {
    it(`K6a. ${what} is noticed at the next write, said, and written anew with all that was in it`, () => {
      const [first, second] = [open(), open()];
      first.create(session('a', { title: 'Kept' }));
      first.commit({ sessionId: 'a', rows: [row(1, 'before'), answer(2, 'said')] });
      second.create(session('b', { title: 'Of another window' }));
      remove();
      first.commit({ sessionId: 'a', rows: [row(3, 'behind it')] });
      assert.equal(told.length, 1);
      assert.match(told[0] ?? '', /deleted while this window was open.*sessions\.db$/);
      // The other window finds the new file, and nobody is told twice.
      second.rename('b', 'Goes on', 'user');
      assert.equal(told.length, 1);
      for (const store of [first, second]) {
        assert.deepEqual(texts(store, 'a'), ['before', 'said', 'behind it']);
        assert.equal(store.get('b')?.title, 'Goes on');
        store.close();
      }
      const later = open();
      assert.deepEqual(texts(later, 'a'), ['before', 'said', 'behind it']);
      assert.deepEqual(
        later.search('behind', 10).map(({ sessionId }) => sessionId),
        ['a'],
      );
      assert.deepEqual(
        readdirSync(folder.path).filter((name) => name.endsWith('.tmp')),
        [],
      );
      later.close();
    });
  }
});
