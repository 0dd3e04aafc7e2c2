import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, chown, link, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import type { Diagnostic, DiagnosticsAnswer, EditorPort } from '../../../src/agent/tools/index.ts';
import { onLinux, Workspace } from './tool-context.ts';

/** A small editor: a buffer with unsaved changes, and problems that appear after an edit. */
class SmallEditor implements EditorPort {
  dirty: string | undefined;
  snapshots: string[] = [];
  problems: readonly Diagnostic[] = [];
  isLate = false;

  unsaved(path: string): string | undefined {
    return path === this.dirty ? 'unsaved' : undefined;
  }
  async snapshotDiagnostics(paths: readonly string[]): Promise<void> {
    this.snapshots.push(...paths);
  }
  late: ((problems: readonly Diagnostic[]) => void) | undefined;

  async diagnostics(
    _paths: readonly string[],
    _signal: AbortSignal,
    late?: (problems: readonly Diagnostic[]) => void,
  ): Promise<DiagnosticsAnswer> {
    this.late = late;
    if (this.isLate) return { checked: false, why: 'no language service reported on it in time', mayCome: true };
    return { checked: true, diagnostics: this.problems };
  }
}

describe('edits', function () {
  this.timeout(15_000);

  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
  });
  afterEach(() => workspace.close());

  const bytes = (path: string) => readFile(workspace.path(path), 'latin1');
  const put = (path: string, content: string) => writeFile(workspace.path(path), content, 'latin1');
  const write = (path: string, content: string) => workspace.run('write_file', { path, content });
  const patch = (path: string, old_string: string, new_string: string, more: object = {}) =>
    workspace.run('patch', { path, old_string, new_string, ...more });

  describe('write_file', () => {
    it('creates a file with its folders', async () => {
      const result = await write('a/b/c.txt', 'one\ntwo\n');
      assert.equal(await bytes('a/b/c.txt'), 'one\ntwo\n');
      assert.equal(result.status, 'success');
      assert.equal(result.detail, '+2 −0');
      assert.deepEqual(result.changed, [workspace.path('a/b/c.txt')]);
    });

    it('keeps CRLF and byte-order mark of the file that was there', async () => {
      await put('a.txt', '\xef\xbb\xbfone\r\ntwo\r\n');
      await workspace.read('a.txt');
      await write('a.txt', 'one\n2\n');
      assert.equal(await bytes('a.txt'), '\xef\xbb\xbfone\r\n2\r\n');
    });

    it('case 69: refuses what read_file printed', async () => {
      await put('a.txt', 'one\ntwo\n');
      const printed = (await workspace.run('read_file', { path: 'a.txt' })).text;
      assert.equal((await write('a.txt', printed)).status, 'error');
      assert.equal(await bytes('a.txt'), 'one\ntwo\n');
      assert.equal((await write('table.txt', '1|a\n7|b\n')).status, 'success');
    });

    it('E1. refuses to replace a file that changed since it was read, and nothing of the change is lost', async () => {
      await put('a.txt', 'one');
      await workspace.read('a.txt');
      await put('a.txt', 'two');
      const result = await write('a.txt', 'mine');
      assert.equal(result.status, 'error');
      assert.match(result.text, /a\.txt changed since you read it.*Read it again/);
      assert.equal(await bytes('a.txt'), 'two');
      await workspace.read('a.txt');
      assert.equal((await write('a.txt', 'mine')).status, 'success');
      assert.equal((await write('a.txt', 'and again')).status, 'success', 'its own text is known');
    });

    it('E1a. refuses to replace a file that was never read, of which another session or a name beside was read', async () => {
      await put('a.txt', 'one');
      await put('A.txt.bak', 'one');
      await workspace.read('A.txt.bak');
      await workspace.run('read_file', { path: 'a.txt' }, { sessionId: 'other' });
      const result = await write('a.txt', 'mine');
      assert.match(result.text, /a\.txt exists, and you have not read it.*Read it with read_file/);
      assert.equal(await bytes('a.txt'), 'one');
      assert.equal(await workspace.permission('write_file', { path: 'a.txt', content: 'mine' }), undefined);
    });

    it('E1b. replaces what it knows: by a link’s name, touched only, empty, new', async () => {
      await put('a.txt', 'one');
      await symlink('a.txt', workspace.path('alias.txt'));
      await workspace.read('alias.txt');
      await utimes(workspace.path('a.txt'), 1, 1);
      assert.equal((await write('a.txt', 'two')).status, 'success');
      await put('empty.txt', '');
      assert.equal((await write('empty.txt', 'x')).status, 'success');
      assert.equal((await write('new.txt', 'x')).status, 'success');
    });

    it('E1c. what changes while the person is asked is not overwritten', async () => {
      await put('a.txt', 'one');
      await workspace.read('a.txt');
      const call = { callId: 'asked' };
      assert.ok(await workspace.permission('write_file', { path: 'a.txt', content: 'mine' }, call));
      await put('a.txt', 'theirs');
      const result = await workspace.run('write_file', { path: 'a.txt', content: 'mine' }, call);
      assert.equal(result.status, 'error');
      assert.equal(await bytes('a.txt'), 'theirs');
    });

    it('E1d. a command that changed the file is somebody else, too', async () => {
      await put('a.txt', 'one');
      await workspace.read('a.txt');
      await workspace.run('terminal', { command: 'echo formatted > a.txt' }, { seen: true });
      assert.match((await write('a.txt', 'mine')).text, /changed since you read it/);
    });

    it('keeps access rights and leaves no other file behind', async () => {
      await put('run.sh', 'one');
      await workspace.read('run.sh');
      await chmod(workspace.path('run.sh'), 0o755);
      await write('run.sh', 'two');
      assert.equal((await stat(workspace.path('run.sh'))).mode & 0o777, 0o755);
      assert.deepEqual(await readdir(workspace.folder), ['run.sh']);
    });

    onLinux(
      'E3. writes in place where a new file cannot take its place: a file that is mounted by itself',
      async function () {
        if (process.getuid?.() !== 0) this.skip();
        await put('mounted.txt', 'one');
        await put('source.txt', 'one');
        const mounted = spawnSync('mount', ['--bind', workspace.path('source.txt'), workspace.path('mounted.txt')]);
        // A container may not be allowed to mount.
        if (mounted.status !== 0) this.skip();
        try {
          await workspace.read('mounted.txt');
          assert.equal((await write('mounted.txt', 'two, and longer')).status, 'success');
          assert.equal(await bytes('source.txt'), 'two, and longer');
          await workspace.read('mounted.txt');
          assert.equal((await patch('mounted.txt', 'two, and longer', '3')).status, 'success');
          assert.equal(await bytes('source.txt'), '3');
        } finally {
          spawnSync('umount', [workspace.path('mounted.txt')]);
        }
      },
    );

    onLinux('E3a. leaves owner and rights of a file as they are', async function () {
      // Only root may give a file away.
      if (process.getuid?.() !== 0) this.skip();
      await put('theirs.txt', 'one');
      await chown(workspace.path('theirs.txt'), 65_534, 65_534);
      await chmod(workspace.path('theirs.txt'), 0o640);
      const before = await stat(workspace.path('theirs.txt'));
      await workspace.read('theirs.txt');
      assert.equal((await write('theirs.txt', 'two')).status, 'success');
      const after = await stat(workspace.path('theirs.txt'));
      assert.deepEqual([after.uid, after.gid, after.mode, after.ino], [65_534, 65_534, before.mode, before.ino]);
      assert.equal(await bytes('theirs.txt'), 'two');
      assert.deepEqual(await readdir(workspace.folder), ['theirs.txt']);
    });

    it('keeps the other names of a file', async () => {
      await put('a.txt', 'one');
      await link(workspace.path('a.txt'), workspace.path('b.txt'));
      await workspace.read('a.txt');
      await write('a.txt', 'two');
      assert.equal(await bytes('b.txt'), 'two');
    });

    it('writes through a link inside, and keeps the link', async () => {
      await put('a.txt', 'one');
      await symlink('a.txt', workspace.path('alias.txt'));
      await workspace.read('alias.txt');
      await write('alias.txt', 'two');
      assert.equal(await bytes('a.txt'), 'two');
    });

    it('the same content again is a success that touches nothing', async () => {
      await put('a.txt', 'one');
      const before = (await stat(workspace.path('a.txt'))).mtimeMs;
      assert.equal((await write('a.txt', 'one')).status, 'success');
      assert.equal((await stat(workspace.path('a.txt'))).mtimeMs, before);
      assert.equal(await workspace.permission('write_file', { path: 'a.txt', content: 'one' }), undefined);
    });

    it('a folder, a path outside and a part that is a file are errors with the reason', async () => {
      await mkdir(workspace.path('folder'));
      await put('file', '');
      assert.match((await write('folder', 'x')).text, /folder/);
      assert.match((await write('../x', 'x')).text, /outside/);
      assert.match((await write('file/x', 'x')).text, /part of its path is a file/);
    });

    it('after a stop nothing is written', async () => {
      workspace.stop.abort();
      assert.equal((await write('a.txt', 'x')).status, 'stopped');
      assert.deepEqual(await readdir(workspace.folder), []);
    });
  });

  describe('both', () => {
    it('never overwrite unsaved changes of the user', async () => {
      await put('a.txt', 'one');
      const editor = new SmallEditor();
      editor.dirty = workspace.path('a.txt');
      for (const [name, args] of [
        ['write_file', { path: 'a.txt', content: 'two' }],
        ['patch', { path: 'a.txt', old_string: 'one', new_string: 'two' }],
      ] as const) {
        const result = await workspace.run(name, args, { editor });
        assert.equal(result.status, 'error');
        assert.match(result.text, /unsaved changes/);
        assert.equal(await workspace.permission(name, args, { editor }), undefined);
      }
      assert.equal(await bytes('a.txt'), 'one');
    });

    it('tell the new problems, and that nobody looked', async () => {
      const editor = new SmallEditor();
      const path = workspace.path('a.ts');
      editor.problems = [{ path, line: 2, column: 5, severity: 'error', message: 'no such name', source: 'ts' }];
      const result = await workspace.run('write_file', { path: 'a.ts', content: 'x' }, { editor });
      assert.match(result.text, /New problems:\na\.ts:2:5 error: no such name \(ts\)/);
      assert.deepEqual(editor.snapshots, [path]);
      assert.match((await write('b.ts', 'x')).text, /not checked/);
    });

    it('J2a. tell the problems of a service that is late with the next request, secrets left out', async () => {
      const editor = new SmallEditor();
      editor.isLate = true;
      const result = await workspace.run('write_file', { path: 'a.ts', content: 'x' }, { editor });
      assert.match(result.text, /not checked \(.*; you are told if new ones come up later\)/);
      assert.deepEqual(workspace.told, []);
      const problem = { line: 1, column: 1, severity: 'error', message: 'no such name' } as const;
      editor.late?.([{ ...problem, path: workspace.path('.env') }]);
      assert.deepEqual(workspace.told, []);
      editor.late?.([{ ...problem, path: workspace.path('a.ts') }]);
      assert.deepEqual(workspace.told, ['Problems that an earlier edit brought:\na.ts:1:1 error: no such name']);
    });

    it('ask with the whole change, and every time for protected files and secrets', async () => {
      await put('a.txt', 'one\n');
      const need = await workspace.permission('patch', { path: 'a.txt', old_string: 'one', new_string: 'two' });
      assert.deepEqual(need?.diff, { path: workspace.path('a.txt'), before: 'one\n', after: 'two\n' });
      assert.equal(need?.rule?.key, 'write');
      for (const path of ['AGENTS.md', '.vscode/settings.json', '.env']) {
        const special = await workspace.permission('write_file', { path, content: 'x' });
        assert.equal(special?.always, true, path);
        assert.equal(special?.rule, undefined, path);
      }
    });

    it('do not write when the file changed while the user was asked', async () => {
      await put('a.txt', 'one');
      const args = { path: 'a.txt', content: 'two' };
      await workspace.permission('write_file', args, { callId: 'asked' });
      await put('a.txt', 'mine');
      const result = await workspace.run('write_file', args, { callId: 'asked' });
      assert.equal(result.status, 'error');
      assert.equal(await bytes('a.txt'), 'mine');
    });

    onLinux('a name that the file system does not take is an error that says so', async () => {
      const result = await write('x'.repeat(300), 'x');
      assert.equal(result.status, 'error');
      assert.match(result.text, /its name is too long/);
    });
  });

  describe('patch', () => {
    it('E1e. replaces text that stands there to the byte, also in a file that changed; the rest stays theirs', async () => {
      await put('a.txt', 'one\ntwo\nthree\n');
      await workspace.read('a.txt');
      await put('a.txt', 'zero\none\ntwo\nthree\n');
      const result = await patch('a.txt', 'two', '2');
      assert.equal(result.status, 'success');
      assert.match(result.text, /had changed on disk since you last read it/);
      assert.equal(await bytes('a.txt'), 'zero\none\n2\nthree\n');
    });

    it('E1f. refuses what is only like it, and all places, in a file that changed or was never read', async () => {
      await put('a.txt', '  one();\n  one();\n\tother();\n');
      for (const [old, more] of [
        ['    other();', {}],
        ['one();', { replace_all: true }],
      ] as const) {
        const never = await patch('a.txt', old, 'mine();', more);
        assert.match(never.text, /you have not read it/, old);
      }
      await workspace.read('a.txt');
      await put('a.txt', '  one();\n  one();\n\tother();\none();\n');
      assert.match(
        (await patch('a.txt', 'one();', 'mine();', { replace_all: true })).text,
        /changed since you read it/,
      );
      assert.match((await patch('a.txt', '    other();', 'mine();')).text, /changed since you read it/);
      await workspace.read('a.txt');
      assert.equal((await patch('a.txt', '    other();', 'mine();')).status, 'success');
    });

    it('L1. one that finds nothing names the lines that differ where the others stand, and that the file changed', async () => {
      await put('a.ts', 'a();\nb();\nc(1);\nd();\ne();\n');
      await workspace.read('a.ts');
      const old = 'a();\nb();\nc(2);\nd();\ne();';
      const result = await patch('a.ts', old, 'x');
      assert.match(result.text, /4 of its 5 lines stand at lines 1–5/);
      assert.match(result.text, /line 3: the file has c\(1\);, old_string has c\(2\);/);
      assert.doesNotMatch(result.text, /somebody else/);
      await put('a.ts', 'new();\na();\nb();\nc(1);\nd();\ne();\n');
      assert.match(
        (await patch('a.ts', old, 'x')).text,
        /another file than the one you read.*4 of its 5 lines stand at lines 2–6/s,
      );
    });

    it('replaces the one place that matches', async () => {
      await put('a.txt', 'one\ntwo\nthree\n');
      const result = await patch('a.txt', 'two', '2');
      assert.equal(await bytes('a.txt'), 'one\n2\nthree\n');
      assert.equal(result.detail, '+1 −1');
    });

    it('case 68: CRLF, byte-order mark and a missing final line end stay', async () => {
      await put('a.txt', '\xef\xbb\xbfone\r\ntwo\r\nthree');
      await patch('a.txt', 'one\ntwo', 'one\nnew\n2');
      assert.equal(await bytes('a.txt'), '\xef\xbb\xbfone\r\nnew\r\n2\r\nthree');
    });

    it('a file that does not exist is an error that points to write_file', async () => {
      assert.match((await patch('a.txt', 'x', 'y')).text, /write_file/);
    });

    it('a file in another encoding is not damaged', async () => {
      await put('latin.txt', 'caf\xe9 one');
      assert.equal((await patch('latin.txt', 'one', 'two')).status, 'error');
      assert.equal(await bytes('latin.txt'), 'caf\xe9 one');
    });
  });
});
