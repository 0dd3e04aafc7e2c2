import assert from 'node:assert/strict';
import { existsSync, renameSync, symlinkSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type EditorPort, PlainEditorPort } from '../../src/agent/tools/index.ts';
import { findRipgrep } from '../../src/agent/tools/ripgrep.ts';
import { Workspace } from '../unit/tools/tool-context.ts';

/** Something else that runs (a background command, a build) changes the place between the answer and the write. */
describe('what was allowed', function () {
  this.timeout(20_000);

  let workspace: Workspace;
  let outside: string;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
    outside = await realpath(await mkdtemp(join(tmpdir(), 'midcourse-outside-')));
    await writeFile(join(outside, 'a.txt'), 'one\n');
    await put('src/a.txt', 'one\n');
  });
  afterEach(async () => {
    await workspace.close();
    await rm(outside, { recursive: true, force: true });
  });

  async function put(path: string, content: string): Promise<void> {
    await mkdir(dirname(workspace.path(path)), { recursive: true });
    await writeFile(workspace.path(path), content);
  }
  const text = (path: string) => readFile(path, 'utf8');

  const edits = [
    ['write_file', { path: 'src/a.txt', content: 'two\n' }],
    ['patch', { path: 'src/a.txt', old_string: 'one', new_string: 'two' }],
  ] as const;

  /** Asked, then `change` happens, then the call runs. */
  async function after(
    change: () => Promise<unknown>,
    [tool, input]: readonly [string, { readonly path: string }],
    editor?: EditorPort,
  ) {
    await workspace.read(input.path);
    const context = { callId: 'asked', ...(editor ? { editor } : {}) };
    assert.ok(await workspace.permission(tool, input, context));
    await change();
    return await workspace.run(tool, input, context);
  }

  for (const edit of edits) {
    const [tool] = edit;

    it(`P2. ${tool}: a file that became a link is not written through`, async () => {
      for (const target of [join(outside, 'a.txt'), workspace.path('AGENTS.md')]) {
        await put('AGENTS.md', 'one\n');
        const result = await after(async () => {
          await rm(workspace.path('src/a.txt'), { force: true });
          await symlink(target, workspace.path('src/a.txt'));
        }, edit);
        assert.equal(result.status, 'error', result.text);
        assert.equal(await text(target), 'one\n');
        await rm(workspace.path('src/a.txt'));
        await put('src/a.txt', 'one\n');
      }
    });

    it(`P2a. ${tool}: a folder that became a link, to the same names, is not written through`, async () => {
      await put('other/a.txt', 'one\n');
      for (const target of [outside, workspace.path('other')]) {
        const result = await after(async () => {
          await rename(workspace.path('src'), workspace.path('moved'));
          await symlink(target, workspace.path('src'));
        }, edit);
        assert.equal(result.status, 'error', result.text);
        assert.equal(await text(join(target, 'a.txt')), 'one\n');
        await rm(workspace.path('src'));
        await rename(workspace.path('moved'), workspace.path('src'));
      }
    });

    it(`P2b. ${tool}: at the very moment of the write a swapped folder leads nowhere else`, async () => {
      const editor = new (class extends PlainEditorPort {
        override async snapshotDiagnostics(): Promise<void> {
          renameSync(workspace.path('src'), workspace.path('moved'));
          symlinkSync(outside, workspace.path('src'));
        }
      })();
      const result = await after(async () => undefined, edit, editor);
      assert.equal(result.status, 'error', result.text);
      assert.match(result.text, /changed since this edit was allowed|could not be written/);
      assert.equal(await text(join(outside, 'a.txt')), 'one\n');
      assert.equal(await text(workspace.path('moved/a.txt')), 'one\n');
      assert.deepEqual(await readdir(outside), ['a.txt']);
      assert.deepEqual(await readdir(workspace.path('moved')), ['a.txt']);
    });

    it(`P2c. ${tool}: at the very moment of the write another text is not overwritten`, async () => {
      const editor = new (class extends PlainEditorPort {
        override async snapshotDiagnostics(): Promise<void> {
          renameSync(join(outside, 'theirs.txt'), workspace.path('src/a.txt'));
        }
      })();
      await writeFile(join(outside, 'theirs.txt'), 'one\nand more\n');
      const result = await after(async () => undefined, edit, editor);
      assert.match(result.text, /^Not run: src\/a\.txt changed since this edit was allowed/);
      assert.equal(await text(workspace.path('src/a.txt')), 'one\nand more\n');
    });
  }

  it('P2d. the bytes that are written are those that were shown, also where a patch was repaired', async () => {
    await put('src/a.txt', '\tif (a) {\n\t\tone();\n\t}\n');
    const input = { path: 'src/a.txt', old_string: 'if (a) {\n  one();\n}', new_string: 'if (a) {\n  two();\n}' };
    await workspace.read(input.path);
    const need = await workspace.permission('patch', input, { callId: 'repaired' });
    await workspace.run('patch', input, { callId: 'repaired' });
    assert.equal(await text(workspace.path('src/a.txt')), need?.diff?.after);
    assert.equal(need?.diff?.after, '\tif (a) {\n\t\ttwo();\n\t}\n');
    // The same repair would now fit another place.
    const again = { path: 'src/a.txt', old_string: 'two();', new_string: 'three();' };
    await workspace.permission('patch', again, { callId: 'moved' });
    await put('src/a.txt', 'other();\ntwo();\n');
    const result = await workspace.run('patch', again, { callId: 'moved' });
    assert.match(result.text, /^Not run/);
  });

  it('P2e. a call that nobody was asked about, or that ran already, changes nothing', async () => {
    const [[tool, input]] = edits;
    const context = { callId: 'never-asked' };
    await workspace.read(input.path);
    assert.equal((await workspace.run(tool, input, context)).status, 'error');
    await workspace.permission(tool, input, context);
    assert.equal((await workspace.run(tool, input, context)).status, 'success');
    await put('src/a.txt', 'one\n');
    assert.equal((await workspace.run(tool, input, context)).status, 'error');
    assert.equal((await workspace.run(tool, input, { ...context, sessionId: 'other' })).status, 'error');
    assert.equal(await text(workspace.path('src/a.txt')), 'one\n');
  });

  it('P2f. arguments that changed after the question do not run', async () => {
    const context = { callId: 'changed-input' };
    await workspace.read('src/a.txt');
    await workspace.permission('write_file', { path: 'src/a.txt', content: 'shown\n' }, context);
    assert.equal(
      (await workspace.run('write_file', { path: 'src/a.txt', content: 'other\n' }, context)).status,
      'error',
    );
    await workspace.permission('write_file', { path: 'src/a.txt', content: 'shown\n' }, context);
    assert.equal(
      (await workspace.run('write_file', { path: 'src/b.txt', content: 'shown\n' }, context)).status,
      'error',
    );
    assert.ok(!existsSync(workspace.path('src/b.txt')));
  });

  it('P2g. a new file is not written over one that came in between', async () => {
    const edit = ['write_file', { path: 'new/b.txt', content: 'mine\n' }] as const;
    const result = await after(() => put('new/b.txt', 'theirs\n'), edit);
    assert.match(result.text, /^new\/b\.txt exists, and you have not read it/);
    assert.equal(await text(workspace.path('new/b.txt')), 'theirs\n');
  });

  it('P2h. a command runs as it was shown, in the folder that it was shown for', async () => {
    const input = { command: 'touch MARK', cwd: 'src' };
    assert.ok(await workspace.permission('terminal', input, { callId: 'cwd' }));
    await rename(workspace.path('src'), workspace.path('moved'));
    await mkdir(workspace.path('elsewhere'));
    await symlink('elsewhere', workspace.path('src'));
    const swapped = await workspace.run('terminal', input, { callId: 'cwd' });
    assert.match(swapped.text, /^Not run: the command or its folder changed/);
    assert.ok(!existsSync(workspace.path('elsewhere/MARK')) && !existsSync(workspace.path('moved/MARK')));

    await workspace.permission('terminal', { command: 'true' }, { callId: 'text' });
    const other = await workspace.run('terminal', { command: 'touch MARK' }, { callId: 'text' });
    assert.match(other.text, /^Not run/);
    assert.ok(!existsSync(workspace.path('MARK')));
  });

  it('P4a. a program of the repository is not taken for ripgrep, whatever PATH says', async () => {
    await put('rg', '#!/bin/sh\ntouch MARK\n');
    await chmod(workspace.path('rg'), 0o755);
    const [path, cwd] = [process.env.PATH, process.cwd()];
    process.chdir(workspace.folder);
    process.env.PATH = ['.', '', 'src/..', '..'].join(':');
    try {
      assert.equal(await findRipgrep(undefined), undefined);
      await workspace.run('search_files', { pattern: 'one' });
      assert.ok(!existsSync(workspace.path('MARK')));
    } finally {
      process.env.PATH = path;
      process.chdir(cwd);
    }
  });
});
