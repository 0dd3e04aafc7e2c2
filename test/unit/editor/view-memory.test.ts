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
    memory.setDraft('a', { text: 'half a thought' });
    memory.setDraft('b', { text: 'another' });
    memory.setDraft('b', { text: '' });
    const next = new ViewMemory(join(folder, 'not there yet'), log);
    assert.equal(next.lastSession, 'a');
    assert.deepEqual([next.draft('a').text, next.draft('b').text], ['half a thought', '']);
  });

  it('keeps what another window has typed meanwhile', () => {
    const [one, two] = [new ViewMemory(folder, log), new ViewMemory(folder, log)];
    one.setDraft('a', { text: 'from the first window' });
    two.setDraft('b', { text: 'from the second window' });
    one.setDraft('a', { text: '' });
    two.setDraft('c', { text: 'and more' });
    const next = new ViewMemory(folder, log);
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => next.draft(id).text),
      ['', 'from the second window', 'and more'],
    );
  });

  it('keeps what stands in the composer of one page when another page of the session has sent its own', () => {
    const [view, tab] = [{}, {}];
    const memory = new ViewMemory(folder, log);
    const stored = () => new ViewMemory(folder, log).draft('a').text;
    memory.setDraft('a', { text: 'in the view' }, view);
    memory.setDraft('a', { text: 'in the tab' }, tab);
    assert.equal(stored(), 'in the tab');
    memory.setDraft('a', { text: '' }, tab);
    assert.equal(stored(), 'in the view');
    memory.setDraft('a', { text: 'again in the tab' }, tab);
    memory.leaveComposer('a', tab);
    assert.equal(stored(), 'again in the tab', 'a page that is closed leaves its text');
    memory.setDraft('a', { text: '' }, view);
    assert.equal(stored(), '');
  });

  it('keeps the images of a draft, and a draft of images alone', () => {
    const image = { kind: 'image', name: 'a.png', mime: 'image/png', ref: 'r1' } as const;
    const memory = new ViewMemory(folder, log);
    memory.setDraft('a', { text: 'look', images: [image] });
    memory.setDraft('b', { text: '', images: [image] });
    memory.setDraft('c', { text: '', images: [image] });
    memory.setDraft('c', { text: '' });
    const next = new ViewMemory(folder, log);
    assert.deepEqual(next.draft('a'), { text: 'look', images: [image] });
    assert.deepEqual(next.draft('b').images, [image]);
    assert.deepEqual(next.draft('c'), { text: '', images: [] });
  });

  it('reads drafts of versions that kept none but texts', async () => {
    await writeFile(join(folder, 'view.json'), '{"drafts":{"a":"as ever"}}');
    assert.deepEqual(new ViewMemory(folder, log).draft('a'), { text: 'as ever', images: [] });
  });

  it('is empty where its file is damaged, and works on', async () => {
    await writeFile(join(folder, 'view.json'), '{"drafts": 3');
    const memory = new ViewMemory(folder, log);
    assert.equal(memory.lastSession, undefined);
    memory.setDraft('a', { text: 'text' });
    assert.equal(new ViewMemory(folder, log).draft('a').text, 'text');
  });
});
