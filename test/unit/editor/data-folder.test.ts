import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedFolder } from '../../../src/editor/data-folder.ts';

const ids = ['0123456789abcdef0123456789abcdef', '31df2bce', '-5d2f1a07'];

describe('the folder of a workspace’s sessions', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'midcourse-storage-'));
    for (const id of ids) await mkdir(join(root, id));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('is the same for every window on the workspace', () => {
    for (const id of ids) {
      const first = join(root, id, 'midcourse.midcourse');
      assert.equal(sharedFolder(first), first);
      assert.equal(sharedFolder(join(root, `${id}-1`, 'midcourse.midcourse')), first);
    }
  });

  it('is left as it is where it is not known to be that of a second window', async () => {
    for (const name of ['31df2bcf-1', 'a-project-1', '1700000000000', '31df2bce-12', '31df2bce-1-2']) {
      const storage = join(root, name, 'midcourse.midcourse');
      assert.equal(sharedFolder(storage), storage);
    }
  });
});
