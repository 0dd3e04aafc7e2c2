import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlink, truncate, writeFile } from 'node:fs/promises';
import { PlainEditorPort } from '../../../src/agent/tools/index.ts';
import { onLinux, Workspace } from './tool-context.ts';

describe('read_file', function () {
  this.timeout(15_000);

  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
  });
  afterEach(() => workspace.close());

  const read = (path: string, more: object = {}) => workspace.run('read_file', { path, ...more });
  const write = (path: string, content: string | Uint8Array) => writeFile(workspace.path(path), content);

  it('gives numbered lines from the offset on, and says how to go on', async () => {
    await write('a.txt', Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join(''));
    const result = await read('a.txt', { offset: 3, limit: 2 });
    assert.equal(result.text, '3|line 3\n4|line 4\n[Lines 3–4 of 10. Go on with offset 5.]');
    assert.equal(result.detail, '2 lines');
  });

  it('gives 500 lines without a limit', async () => {
    await write('a.txt', 'x\n'.repeat(600));
    const result = await read('a.txt');
    assert.equal(result.detail, '500 lines');
    assert.match(result.text, /Go on with offset 501/);
  });

  it('cuts a long line and says by how much', async () => {
    await write('a.txt', 'x'.repeat(2100));
    assert.match((await read('a.txt')).text, /^1\|x{2000}… \[100 more characters\]$/);
  });

  it('refuses more than 100,000 characters with a limit that fits', async () => {
    await write('a.txt', `${'x'.repeat(1000)}\n`.repeat(400));
    const result = await read('a.txt');
    assert.equal(result.status, 'error');
    const limit = Number(/limit (\d+)/.exec(result.text)?.[1]);
    assert.equal((await read('a.txt', { limit })).status, 'success');
  });

  it('names similar files when there is none', async () => {
    await write('server.ts', '');
    await write('other.md', '');
    const result = await read('servr.ts');
    assert.equal(result.status, 'error');
    assert.match(result.text, /does not exist\. Similar names there: server\.ts\./);
  });

  it('refuses folders, binary files and files outside, each with its reason', async () => {
    await write('a.bin', new Uint8Array([1, 0, 2]));
    assert.match((await read('a.bin')).text, /binary/);
    assert.match((await read('.')).text, /folder/);
    assert.match((await read('../x')).text, /outside/);
  });

  it('refuses a huge file without loading it', async () => {
    await write('huge.log', 'x');
    await truncate(workspace.path('huge.log'), 21 * 1024 * 1024);
    assert.match((await read('huge.log')).text, /21 MB/);
  });

  onLinux('refuses a pipe instead of waiting for it', async () => {
    execFileSync('mkfifo', [workspace.path('pipe')]);
    assert.match((await read('pipe')).text, /pipe/);
  });

  it('case 103: does not follow a link out of the workspace', async () => {
    await symlink('/etc/hostname', workspace.path('link'));
    assert.match((await read('link')).text, /symbolic link/);
  });

  it('leaves a byte-order mark out and reads UTF-16 both ways', async () => {
    await write('a.txt', '\ufeffhello');
    await write('le.txt', Buffer.from('\ufeffhéllo', 'utf16le'));
    await write('be.txt', Buffer.from('\ufeffhéllo', 'utf16le').swap16());
    assert.equal((await read('a.txt')).text, '1|hello');
    assert.equal((await read('le.txt')).text, '1|héllo');
    assert.equal((await read('be.txt')).text, '1|héllo');
  });

  it('says when a file is not valid UTF-8', async () => {
    await write('latin.txt', new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
    assert.match((await read('latin.txt')).text, /not valid UTF-8/);
  });

  it('an empty file is said to be empty, an offset behind the end is an error', async () => {
    await write('a.txt', '');
    assert.match((await read('a.txt')).text, /empty/);
    assert.equal((await read('a.txt', { offset: 5 })).status, 'error');
  });

  it('reads the unsaved text of an open editor and says so', async () => {
    await write('a.txt', 'on disk');
    class Dirty extends PlainEditorPort {
      override unsaved(): string {
        return 'in the editor';
      }
    }
    const result = await workspace.run('read_file', { path: 'a.txt' }, { editor: new Dirty() });
    assert.match(result.text, /^1\|in the editor\n\[This is the text of an open editor/);
  });

  it('asks for files with secrets, also through a link, and for no others', async () => {
    await write('.env', 'KEY=1');
    await write('a.ts', '');
    await symlink(workspace.path('.env'), workspace.path('harmless.txt'));
    assert.equal((await workspace.permission('read_file', { path: '.env' }))?.kind, 'read_secret');
    assert.equal((await workspace.permission('read_file', { path: 'harmless.txt' }))?.kind, 'read_secret');
    assert.equal(await workspace.permission('read_file', { path: 'a.ts' }), undefined);
  });
});
