import assert from 'node:assert/strict';
import { join } from 'node:path';
import { imageFacts } from '../../../src/agent/session/image-facts.ts';
import { NotAnImage, openStore, type SessionStore, StorageError } from '../../../src/agent/session/index.ts';
import { Connection } from '../../../src/agent/session/sqlite.ts';
import { gif, jpeg, png, webp } from '../../fixtures/images.ts';
import { session, temporaryFolder } from './builders.ts';

describe('images of conversations', () => {
  const folder = temporaryFolder();
  let store: SessionStore;

  beforeEach(() => {
    store = openStore(folder.path).store;
    store.create(session('one'));
    store.create(session('two'));
  });
  afterEach(() => store.close());

  it('are kept once however many sessions have them, and read back as they were', () => {
    const first = store.images.save('one', png(3, 2).base64);
    assert.equal(store.images.save('one', png(3, 2).base64), first);
    assert.equal(store.images.save('two', png(3, 2).base64), first);
    assert.notEqual(store.images.save('two', png(2, 3).base64), first);
    assert.equal(store.images.read(first), png(3, 2).base64);
    assert.deepEqual({ ...store.images.facts(first) }, { mime: 'image/png', width: 3, height: 2 });
    assert.equal(countOf('images'), 2);
  });

  it('go with the last session that has them', () => {
    const shared = store.images.save('one', png(1, 1).base64);
    store.images.save('two', png(1, 1).base64);
    const own = store.images.save('two', gif(4, 5).base64);
    store.delete('two');
    assert.equal(store.images.read(own), undefined);
    assert.equal(store.images.read(shared), png(1, 1).base64);
    store.delete('one');
    assert.equal(store.images.facts(shared), undefined);
    assert.equal(countOf('images'), 0);
  });

  it('of a delegated agent go with the session that it worked for', () => {
    store.create({ ...session('agent'), parent: 'one' });
    const ref = store.images.save('agent', png(1, 1).base64);
    store.delete('one');
    assert.equal(store.images.read(ref), undefined);
  });

  it('are not kept for a session that is gone', () => {
    store.delete('one');
    assert.throws(() => store.images.save('one', png(1, 1).base64), StorageError);
    assert.equal(countOf('images'), 0);
  });

  it('are refused when they are none, whatever they call themselves', () => {
    assert.throws(() => store.images.save('one', Buffer.from('<svg/>').toString('base64')), NotAnImage);
    assert.throws(() => store.images.save('one', png(1, 1).bytes.subarray(0, 20).toString('base64')), NotAnImage);
    assert.throws(() => store.images.save('one', Buffer.alloc(10_000_001, 1).toString('base64')), /larger than 10 MB/);
  });

  it('tell their kind and size by their first bytes', () => {
    assert.deepEqual(imageFacts(jpeg(640, 480).bytes), { mime: 'image/jpeg', width: 640, height: 480 });
    assert.deepEqual(imageFacts(gif(7, 9).bytes), { mime: 'image/gif', width: 7, height: 9 });
    for (const kind of ['VP8 ', 'VP8L', 'VP8X'] as const) {
      assert.deepEqual(imageFacts(webp(kind, 300, 20).bytes), { mime: 'image/webp', width: 300, height: 20 }, kind);
    }
    assert.equal(imageFacts(png(0, 5).bytes), undefined);
    assert.equal(imageFacts(jpeg(640, 480).bytes.subarray(0, 12)), undefined);
  });

  function countOf(table: 'images' | 'image_uses'): number {
    const db = new Connection(join(folder.path, 'sessions.db'), { readOnly: true });
    try {
      return Number(db.get(`SELECT count(*) AS n FROM ${table}`)?.n);
    } finally {
      db.close();
    }
  }
});
