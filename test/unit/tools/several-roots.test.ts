import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemPrompt } from '../../../src/agent/context/index.ts';
import { rootsOf, shownPath } from '../../../src/agent/safety/index.ts';
import { anyRipgrep } from '../../security/ripgrep.ts';
import { Workspace } from './tool-context.ts';

describe('several folders', function () {
  this.timeout(15_000);
  let workspace: Workspace;
  let root: string;
  let folders: readonly string[];

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'midcourse-roots-')));
    workspace = new Workspace();
    await workspace.open();
    await put('api/src/index.ts', 'export const of = "api";\n');
    await put('web/src/index.ts', 'export const of = "web";\n');
    await put('web/only.ts', 'export const only = "web";\n');
    folders = [join(root, 'api'), join(root, 'web')];
  });
  afterEach(async () => {
    await workspace.close();
    await rm(root, { recursive: true });
  });

  async function put(path: string, content: string): Promise<void> {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const text = (path: string) => readFile(join(root, path), 'utf8');
  const run = (tool: string, args: object) => workspace.run(tool, args, { folders });

  for (const how of ['ripgrep', 'own walk'] as const) {
    it(`D1. what a search prints leads back to the file that it was found in (${how})`, async () => {
      const ripgrep = how === 'ripgrep' ? await anyRipgrep() : undefined;
      const search = async (args: object) => {
        const settings = {
          terminalTimeout: 180,
          ...(ripgrep ? { ripgrep } : { ripgrep: join(root, 'no-such-program') }),
        };
        return (await workspace.run('search_files', args, { folders, settings })).text.split('\n');
      };
      assert.deepEqual((await search({ pattern: 'const of' })).sort(), [
        'api/src/index.ts:1:export const of = "api";',
        'web/src/index.ts:1:export const of = "web";',
      ]);
      assert.deepEqual(await search({ pattern: 'const of', path: 'web' }), [
        'web/src/index.ts:1:export const of = "web";',
      ]);
      assert.deepEqual((await search({ pattern: '*.ts', target: 'files' })).sort(), [
        'api/src/index.ts',
        'web/only.ts',
        'web/src/index.ts',
      ]);
      assert.deepEqual(await search({ pattern: 'only', path: 'web/only.ts' }), [
        'web/only.ts:1:export const only = "web";',
      ]);
    });
  }

  it('D2. a patch by the printed name changes that file, and its card and result say so', async () => {
    const patch = { path: 'web/src/index.ts', old_string: '"web"', new_string: '"changed"' };
    const need = await workspace.permission('patch', patch, { folders });
    assert.equal(need?.summary, 'Edit web/src/index.ts');
    assert.equal(need?.diff?.path, join(root, 'web/src/index.ts'));
    assert.match((await run('patch', patch)).text, /^Edited web\/src\/index\.ts/);
    assert.match(await text('api/src/index.ts'), /"api"/);
    assert.match(await text('web/src/index.ts'), /"changed"/);
  });

  it('D3. a path that two folders have is refused with both names, in every tool; nothing is read or written', async () => {
    for (const [tool, args] of [
      ['read_file', { path: 'src/index.ts' }],
      ['write_file', { path: 'src/index.ts', content: 'x' }],
      ['patch', { path: 'src/index.ts', old_string: 'of', new_string: 'x' }],
      ['list_files', { path: 'src' }],
      ['search_files', { path: 'src', pattern: 'of' }],
      ['diagnostics', { paths: ['src/index.ts'] }],
      ['terminal', { command: 'pwd', cwd: 'src' }],
    ] as const) {
      const result = await run(tool, args);
      assert.equal(result.status, 'error', tool);
      assert.match(result.text, /api\/src.*web\/src.*name of its folder first/, tool);
    }
  });

  it('D4. a new file goes to the folder that its path names, or has its folder; a doubt is refused with the names', async () => {
    assert.match(
      (await run('write_file', { path: 'web/src/new.ts', content: 'x' })).text,
      /^Created web\/src\/new\.ts/,
    );
    assert.equal(await text('web/src/new.ts'), 'x');
    await put('web/lib/a.ts', '');
    assert.match((await run('write_file', { path: 'lib/b.ts', content: 'x' })).text, /^Created web\/lib\/b\.ts/);
    for (const path of ['new.ts', 'src/new2.ts', 'deep/er/new.ts']) {
      assert.match(
        (await run('write_file', { path, content: 'x' })).text,
        /could be any of these: api\/.*, web\//,
        path,
      );
    }
  });

  it('D5. what one folder alone has needs no name, and a name of a root goes before a folder that is called like it', async () => {
    assert.match((await run('read_file', { path: 'only.ts' })).text, /only = "web"/);
    await put('api/web/src/index.ts', 'export const of = "api/web";\n');
    await put('api/web/deep.ts', 'export const of = "deep";\n');
    assert.match((await run('read_file', { path: 'web/src/index.ts' })).text, /of = "web"/);
    assert.match((await run('read_file', { path: 'api/web/src/index.ts' })).text, /api\/web/);
    assert.match((await run('read_file', { path: 'web/deep.ts' })).text, /of = "deep"/);
    assert.match((await run('read_file', { path: './api/src/index.ts' })).text, /of = "api"/);
    assert.match((await run('read_file', { path: join(root, 'web/src/index.ts') })).text, /of = "web"/);
  });

  it('D6. all folders are listed by default, each with its name; a listed path can be read', async () => {
    const lines = (await run('list_files', {})).text.split('\n');
    assert.deepEqual(lines, [
      'api/',
      'api/src/',
      'api/src/index.ts',
      'web/',
      'web/only.ts',
      'web/src/',
      'web/src/index.ts',
    ]);
    const below = (await run('list_files', { path: 'web/src' })).text.split('\n');
    assert.deepEqual(below, ['web/src/index.ts']);
  });

  it('D7. roots of one name, one inside of another, and links have one name for one file', async () => {
    const same = [join(root, 'a/web'), join(root, 'b/web'), join(root, 'c/app')];
    assert.deepEqual(
      rootsOf(same).map(({ name }) => name),
      ['a/web', 'b/web', 'app'],
    );
    await put('a/web/x.ts', 'a');
    await put('b/web/x.ts', 'b');
    assert.match((await workspace.run('read_file', { path: 'b/web/x.ts' }, { folders: same })).text, /1\|b/);
    const nested = [root, join(root, 'web')];
    assert.equal(shownPath(join(root, 'web/src/index.ts'), nested), 'web/src/index.ts');
    const read = await workspace.run('read_file', { path: 'web/src/index.ts' }, { folders: nested });
    assert.match(read.text, /of = "web"/);
    await symlink(join(root, 'web/only.ts'), join(root, 'api/link.ts'));
    const link = await run('patch', { path: 'api/link.ts', old_string: '"web"', new_string: '"linked"' });
    assert.match(link.text, /^Edited web\/only\.ts/);
  });

  it('D8. the prompt names the folders as paths begin with them', () => {
    const prompt = systemPrompt({ of: 'session', folders, platform: 'linux', shell: 'bash' } as Parameters<
      typeof systemPrompt
    >[0]);
    assert.match(prompt, new RegExp(`- api \\(${root}/api\\)\n- web \\(${root}/web\\)`));
    assert.match(prompt, /begin with the name of their folder, as in web\/README\.md/);
  });

  it('D9. one folder stays as it was: no name in front', async () => {
    const one = { folders: [join(root, 'web')] };
    assert.match((await workspace.run('search_files', { pattern: 'const of' }, one)).text, /^src\/index\.ts:1/);
    assert.equal(
      (await workspace.permission('patch', { path: 'only.ts', old_string: 'only', new_string: 'x' }, one))?.summary,
      'Edit only.ts',
    );
  });
});
