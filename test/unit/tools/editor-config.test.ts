import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Workspace } from './tool-context.ts';

describe('files as .editorconfig has them', () => {
  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
  });
  afterEach(() => workspace.close());

  async function put(path: string, content: string, encoding: BufferEncoding = 'utf8'): Promise<void> {
    await mkdir(dirname(workspace.path(path)), { recursive: true });
    await writeFile(workspace.path(path), content, encoding);
  }

  async function written(path: string, content: string): Promise<string> {
    const { status, text } = await workspace.run('write_file', { path, content });
    assert.equal(status, 'success', text);
    return await readFile(workspace.path(path), 'latin1');
  }

  it('E4a. a new file gets the line end of its section, the nearest file first, up to the root', async () => {
    await put(
      '.editorconfig',
      'root = true\n\n[*]\nend_of_line = crlf\n[*.{sh,py}]\nend_of_line = lf\n[lib/**.js]\nEnd_Of_Line = LF\n',
    );
    await put('old/.editorconfig', '; the files of an old tool\n[*.sh]\nend_of_line = crlf\n');
    assert.equal(await written('a.txt', 'one\ntwo\n'), 'one\r\ntwo\r\n');
    assert.equal(await written('deep/down/a.sh', 'one\n'), 'one\n');
    assert.equal(await written('lib/x/a.js', 'one\n'), 'one\n');
    assert.equal(await written('other/a.js', 'one\n'), 'one\r\n');
    assert.equal(await written('old/a.sh', 'one\n'), 'one\r\n');
    assert.equal(await written('old/a.py', 'one\n'), 'one\n');
  });

  it('E4b. a file that is there keeps its own line ends', async () => {
    await put('.editorconfig', '[*]\nend_of_line = crlf\n');
    await put('a.txt', 'one\ntwo\n');
    await workspace.read('a.txt');
    assert.equal(await written('a.txt', 'one\n2\n'), 'one\n2\n');
  });

  it('E4c. its charset is read and written, also where the bytes are no UTF-8; other bytes stay', async () => {
    await put('.editorconfig', '[*.txt]\ncharset = latin1\n[*.csv]\ncharset = utf-8-bom\n');
    await put('a.txt', 'caf\xe9\nna\xefve \x81\n', 'latin1');
    assert.match((await workspace.run('read_file', { path: 'a.txt' })).text, /^1\|café\n2\|naïve/);
    await workspace.run('patch', { path: 'a.txt', old_string: 'café', new_string: 'thé' });
    assert.equal(await readFile(workspace.path('a.txt'), 'latin1'), 'th\xe9\nna\xefve \x81\n');
    assert.equal(await written('new.txt', 'é\n'), '\xe9\n');
    assert.equal(await written('new.csv', 'é\n'), '\xef\xbb\xbf\xc3\xa9\n');
  });

  it('E4d. what its charset does not have is not written, and named', async () => {
    await put('.editorconfig', '[*]\ncharset = latin1\n');
    await put('a.txt', 'one\n');
    const result = await workspace.run('patch', { path: 'a.txt', old_string: 'one', new_string: '1 → 2 ☃' });
    assert.equal(result.status, 'error');
    assert.match(result.text, /latin1.* has no → ☃\. Nothing was written/);
    assert.equal(await readFile(workspace.path('a.txt'), 'utf8'), 'one\n');
  });

  it('E4e. a file in no known encoding is read with replacement characters, and left alone', async () => {
    await put('a.txt', 'caf\xe9\n', 'latin1');
    assert.match((await workspace.run('read_file', { path: 'a.txt' })).text, /caf�/);
    const result = await workspace.run('patch', { path: 'a.txt', old_string: 'caf', new_string: 'th' });
    assert.match(result.text, /not valid UTF-8; .*files\.encoding/);
    assert.equal(await readFile(workspace.path('a.txt'), 'latin1'), 'caf\xe9\n');
  });
});
