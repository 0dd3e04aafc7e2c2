import assert from 'node:assert/strict';
import { newestRow, type SessionStore } from '../../../src/agent/session/index.ts';
import { openMemoryStore } from '../../../src/agent/session/open-store.ts';
import type { TranscriptRow } from '../../../src/api.ts';
import { row, session } from './builders.ts';

describe('the newest row of its kind', () => {
  let store: SessionStore;
  /** How many rows were read at a time. */
  let read: number[];

  beforeEach(() => {
    store = openMemoryStore();
    store.create(session('s'));
    store.commit({ sessionId: 's', rows: Array.from({ length: 401 }, (_, index) => row(index + 1, `${index % 7}`)) });
    read = [];
  });
  afterEach(() => store.close());

  function newest(matches: (one: TranscriptRow) => boolean): number | undefined {
    const found = newestRow((range) => {
      const piece = store.rows('s', range);
      read.push(piece.length);
      return piece;
    }, matches);
    return found?.seq;
  }

  it('is found without reading what is older', () => {
    assert.equal(
      newest(({ displayText }) => displayText === '3'),
      396,
    );
    assert.deepEqual(read, [200]);
  });

  it('is found at the end of a piece and in an older one', () => {
    for (const seq of [202, 201, 2, 1])
      assert.equal(
        newest((one) => one.seq === seq),
        seq,
      );
  });

  it('is not found where there is none, and each row is looked at once', () => {
    let looks = 0;
    const never = () => {
      looks += 1;
      return false;
    };
    assert.equal(newest(never), undefined);
    assert.equal(looks, 401);
  });
});
