import assert from 'node:assert/strict';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { findRipgrep } from '../../../src/agent/tools/ripgrep.ts';
import { anyRipgrep } from '../../security/ripgrep.ts';
import { Workspace } from './tool-context.ts';

describe('list_files and search_files', function () {
  this.timeout(15_000);

  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
    await files({
      '.gitignore': 'build/\n*.log\n!keep.log\n',
      'a.ts': 'const one = 1;\nconst two = 2;\nconst three = one + two;\n',
      'src/b.ts': 'export const One = 1;\n',
      'src/deep/c.md': 'one (and) two\n',
      'src/.gitignore': 'local.txt\n',
      'src/local.txt': 'one\n',
      'build/out.js': 'one\n',
      'x.log': 'one\n',
      'keep.log': 'one\n',
      '.env': 'TOKEN=one\n',
      '.git/config': 'one\n',
      '.hidden/d.ts': 'one\n',
    });
  });
  afterEach(() => workspace.close());

  async function files(contents: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    for (const [path, content] of Object.entries(contents)) {
      await mkdir(dirname(workspace.path(path)), { recursive: true });
      await writeFile(workspace.path(path), content);
    }
  }

  describe('list_files', () => {
    const list = async (args: object = {}) => (await workspace.run('list_files', args)).text.split('\n');

    it('lists two levels without what git ignores, folders marked', async () => {
      assert.deepEqual(await list(), [
        '.env',
        '.gitignore',
        '.hidden/',
        '.hidden/d.ts',
        'a.ts',
        'keep.log',
        'src/',
        'src/.gitignore',
        'src/b.ts',
        'src/deep/',
      ]);
    });

    it('lists ignored files when asked, but never what is in .git', async () => {
      const all = await list({ include_ignored: true, depth: 5 });
      assert.ok(all.includes('build/out.js') && all.includes('src/local.txt'));
      assert.ok(!all.some((line) => line.startsWith('.git/')));
    });

    it('rules of the folders above count for a folder of the repository', async () => {
      await files({ 'src/y.log': '' });
      assert.ok(!(await list({ path: 'src' })).includes('y.log'));
    });

    it('is bounded and says so', async () => {
      const lines = await list({ limit: 3 });
      assert.equal(lines.length, 4);
      assert.match(lines.at(-1) ?? '', /More than 3/);
    });

    it('shows links but does not follow them', async () => {
      await symlink('/', workspace.path('root'));
      const lines = await list({ depth: 3 });
      assert.ok(lines.includes('root@'));
      assert.ok(!lines.some((line) => line.startsWith('root/')));
    });

    it('a missing folder and a file are errors', async () => {
      assert.match((await list({ path: 'nope' })).join(), /does not exist/);
      assert.match((await list({ path: 'a.ts' })).join(), /not a folder/);
    });
  });

  for (const engine of ['own walk', 'ripgrep'] as const) {
    describe(`search_files by ${engine}`, () => {
      let settings: { terminalTimeout: number; ripgrep?: string } = { terminalTimeout: 1 };
      const path = process.env.PATH;

      before(async function () {
        this.timeout(20_000);
        const ripgrep = engine === 'ripgrep' ? await anyRipgrep() : undefined;
        if (engine === 'ripgrep' && !ripgrep) this.skip();
        settings = { terminalTimeout: 1, ...(ripgrep ? { ripgrep } : {}) };
        if (engine === 'own walk') process.env.PATH = '/nonexistent';
      });
      after(() => {
        process.env.PATH = path;
      });

      const search = (args: object) => workspace.run('search_files', args, { settings });
      const lines = async (args: object) => (await search(args)).text.split('\n');

      it('finds lines, not in ignored files, and counts files with secrets, which it does not open (case 77)', async () => {
        assert.deepEqual(await lines({ pattern: '\\bone\\b' }), [
          '.hidden/d.ts:1:one',
          'a.ts:1:const one = 1;',
          'a.ts:3:const three = one + two;',
          'keep.log:1:one',
          'src/deep/c.md:1:one (and) two',
          '[1 file with secrets was not searched.]',
        ]);
      });

      it('searches ignored files when asked', async () => {
        assert.ok((await lines({ pattern: 'one', include_ignored: true })).includes('build/out.js:1:one'));
      });

      it('a folder, a file, a glob and case narrow or widen it', async () => {
        assert.deepEqual(await lines({ pattern: 'one', path: 'src' }), ['src/deep/c.md:1:one (and) two']);
        assert.deepEqual(await lines({ pattern: 'two', path: 'a.ts' }), [
          'a.ts:2:const two = 2;',
          'a.ts:3:const three = one + two;',
        ]);
        assert.deepEqual(await lines({ pattern: 'One', path: 'src', glob: '*.ts' }), [
          'src/b.ts:1:export const One = 1;',
        ]);
        assert.equal((await lines({ pattern: 'one', path: 'src', ignore_case: true })).length, 2);
      });

      it('shows lines around a match', async () => {
        assert.deepEqual(await lines({ pattern: 'two = ', context: 1 }), [
          'a.ts-1-const one = 1;',
          'a.ts:2:const two = 2;',
          'a.ts-3-const three = one + two;',
          '[1 file with secrets was not searched.]',
        ]);
      });

      it('is bounded, and goes on at an offset', async () => {
        const first = await lines({ pattern: 'const', path: 'a.ts', limit: 2 });
        assert.equal(first.length, 3);
        assert.match(first[2] ?? '', /Go on with offset 2/);
        assert.deepEqual(await lines({ pattern: 'const', path: 'a.ts', limit: 2, offset: 2 }), [
          'a.ts:3:const three = one + two;',
        ]);
      });

      it('nothing found is a success that says so', async () => {
        const result = await search({ pattern: 'nothing-of-it' });
        assert.equal(result.status, 'success');
        assert.equal(
          result.text,
          'No matches.\n[Not searched: 3 files that git ignores (include_ignored searches them).]\n[1 file with secrets was not searched.]',
        );
      });

      it('F1. `$` stands before the line end, whichever it is', async () => {
        await files({ 'crlf.txt': 'a;\r\nb;\r\n', 'lf.txt': 'b;\n' });
        assert.deepEqual((await lines({ pattern: 'b;$', glob: '*.txt' })).slice(0, 2), [
          'crlf.txt:2:b;',
          'lf.txt:1:b;',
        ]);
      });

      it('F2. a file of 5.4 MB is searched; what is larger, no text or unreadable is named where nothing was found', async () => {
        await files({ 'large.txt': `${`${'x'.repeat(99)}\n`.repeat(54_000)}needle\n` });
        assert.deepEqual((await lines({ pattern: 'needle' })).slice(0, 1), ['large.txt:54001:needle']);
        await files({
          'huge.txt': `${`${'x'.repeat(99)}\n`.repeat(220_000)}straw\n`,
          'bin.dat': new Uint8Array([115, 116, 114, 97, 119, 0]),
          'wide.txt': Buffer.from('\ufeffhay\n', 'utf16le'),
        });
        const [said, why = ''] = await lines({ pattern: 'straw' });
        assert.equal(said, 'No matches.');
        assert.match(
          why,
          /1 file of more than 20 MB: huge\.txt; 1 file that are no text: bin\.dat; 3 files that git ignores/,
        );
        assert.deepEqual((await lines({ pattern: 'hay' })).slice(0, 1), ['wide.txt:1:hay']);
        assert.deepEqual(await lines({ pattern: 'straw', path: 'huge.txt' }), [
          'No matches.',
          '[Not searched: 1 file of more than 20 MB: huge.txt.]',
        ]);
      });

      it('F3. globs as models write them: ./, lists, braces, Windows’ separators, the searched folder in front', async () => {
        await files({ 'src/ui/x.tsx': 'one\n', 'src/ui/y.css': 'one\n' });
        for (const [args, found] of [
          [{ glob: './src/**/*.tsx' }, ['src/ui/x.tsx']],
          [{ glob: '*.tsx,*.css' }, ['src/ui/x.tsx', 'src/ui/y.css']],
          [{ glob: '*.{tsx,css}' }, ['src/ui/x.tsx', 'src/ui/y.css']],
          [{ glob: 'src\\ui\\*.tsx' }, ['src/ui/x.tsx']],
          [{ glob: 'src/ui/*.tsx', path: 'src' }, ['src/ui/x.tsx']],
          [{ glob: 'ui/*.tsx', path: 'src' }, ['src/ui/x.tsx']],
          [{ glob: '*.css, !x.*', path: 'src/ui' }, ['src/ui/y.css']],
          [{ glob: '!*.css', path: 'src/ui' }, ['src/ui/x.tsx']],
        ] as const) {
          const matches = await lines({ pattern: 'one', ...args });
          assert.deepEqual(
            matches.filter((line) => !line.startsWith('[')),
            found.map((path) => `${path}:1:one`),
            JSON.stringify(args),
          );
        }
        assert.deepEqual(await lines({ pattern: './src/**/*.tsx,*.css', target: 'files' }), [
          'src/ui/x.tsx',
          'src/ui/y.css',
        ]);
        assert.deepEqual(await lines({ pattern: 'src\\ui\\x', target: 'files' }), ['src/ui/x.tsx']);
        assert.deepEqual(await lines({ pattern: './src/ui/x', target: 'files' }), ['src/ui/x.tsx']);
      });

      it('F4. look-around is searched for, a pattern over several lines is refused with what to do', async () => {
        assert.deepEqual((await lines({ pattern: 'const (?=two)', path: 'a.ts' })).slice(0, 1), [
          'a.ts:2:const two = 2;',
        ]);
        for (const pattern of ['one\\n', 'one\ntwo']) {
          const result = await search({ pattern });
          assert.equal(result.status, 'error');
          assert.match(result.text, /one by one.*context/);
        }
        assert.equal((await search({ pattern: 'a\\\\n' })).status, 'success');
      });

      it('finds files by glob and by a part of the path', async () => {
        assert.deepEqual((await lines({ pattern: '*.ts', target: 'files' })).sort(), [
          '.hidden/d.ts',
          'a.ts',
          'src/b.ts',
        ]);
        assert.deepEqual(await lines({ pattern: 'DEEP/', target: 'files' }), ['src/deep/c.md']);
      });

      it('a pattern that is none is an error with the reason', async () => {
        const result = await search({ pattern: '(' });
        assert.equal(result.status, 'error');
        assert.match(result.text, /regex|regular expression/i);
      });

      it('passes over binary files', async () => {
        await files({ 'bin.dat': new Uint8Array([111, 110, 101, 0, 1]) });
        assert.ok(!(await search({ pattern: 'one' })).text.includes('bin.dat:'));
      });

      it('a stop ends it', async () => {
        workspace.stop.abort();
        assert.equal((await search({ pattern: 'one' })).status, 'stopped');
      });
    });
  }

  it('a pattern that would backtrack for ever is ended', async () => {
    await files({ 'evil.txt': `${'a'.repeat(60)}!\n` });
    const path = process.env.PATH;
    process.env.PATH = '/nonexistent';
    try {
      const linear = await workspace.run('search_files', { pattern: '^(a+)+$', path: 'evil.txt' });
      assert.equal(linear.text, 'No matches.');
      const result = await workspace.run('search_files', { pattern: '^(?=(a+)+$)', path: 'evil.txt' });
      assert.equal(result.status, 'error');
      assert.match(result.text, /takes too long/);
    } finally {
      process.env.PATH = path;
    }
  });

  it('a ripgrep that cannot be run is passed over', async () => {
    await files({ rg: '' });
    await chmod(workspace.path('rg'), 0o644);
    assert.notEqual(await findRipgrep(workspace.path('rg')), workspace.path('rg'));
  });
});
