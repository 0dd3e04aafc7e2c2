import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ViewMemory } from '../../../src/editor/view-memory.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };

describe('what the chat remembers of itself', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'midcourse-view-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is there for the next window at once: the shown session and every draft', () => {
    const memory = new ViewMemory(join(folder, 'not there yet'), log);
    memory.lastSession = 'a';
    memory.setDraft('a', 'half a thought');
    memory.setDraft('b', 'another');
    memory.setDraft('b', '');
    const next = new ViewMemory(join(folder, 'not there yet'), log);
    assert.equal(next.lastSession, 'a');
    assert.deepEqual([next.draft('a'), next.draft('b')], ['half a thought', '']);
  });

  it('keeps what another window has typed meanwhile', () => {
    const [one, two] = [new ViewMemory(folder, log), new ViewMemory(folder, log)];
    one.setDraft('a', 'from the first window');
    two.setDraft('b', 'from the second window');
    one.setDraft('a', '');
    two.setDraft('c', 'and more');
    const next = new ViewMemory(folder, log);
    assert.deepEqual([next.draft('a'), next.draft('b'), next.draft('c')], ['', 'from the second window', 'and more']);
  });

  it('is empty where its file is damaged, and works on', async () => {
    await writeFile(join(folder, 'view.json'), '{"drafts": 3');
    const memory = new ViewMemory(folder, log);
    assert.equal(memory.lastSession, undefined);
    memory.setDraft('a', 'text');
    assert.equal(new ViewMemory(folder, log).draft('a'), 'text');
  });
});
