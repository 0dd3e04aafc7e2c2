import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { skillTool } from '../../src/agent/customisations/skill-tool.ts';
import type { Diagnostic, DiagnosticsAnswer } from '../../src/agent/tools/index.ts';
import { PlainEditorPort } from '../../src/agent/tools/index.ts';
import { Workspace } from '../unit/tools/tool-context.ts';
import { anyRipgrep } from './ripgrep.ts';

const SECRET = 's3cr3t-Zq8Rt2Lm5Vx9';

/** A model that was led astray asks the tools for what is in files with secrets, and never asks the person. */
describe('files with secrets', function () {
  this.timeout(30_000);

  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
    await put('.env', `TOKEN=${SECRET}\n`);
    await put('.kube/config', `token: ${SECRET}\n`);
    await put('src/a.ts', 'export const TOKEN = 1;\n');
  });
  afterEach(() => workspace.close());

  async function put(path: string, content: string): Promise<void> {
    await mkdir(dirname(workspace.path(path)), { recursive: true });
    await writeFile(workspace.path(path), content);
  }

  /** The call runs as if nobody had been asked: the answer to its card is not there. */
  async function unasked(name: string, input: object): Promise<string> {
    const tool = workspace.registry.find(name);
    assert.ok(tool);
    return (await tool.run(tool.input.parse(input), workspace.context())).text;
  }

  for (const engine of ['own walk', 'ripgrep'] as const) {
    describe(`searched by ${engine}`, () => {
      const path = process.env.PATH;
      let settings: { terminalTimeout: number; ripgrep?: string } = { terminalTimeout: 1 };

      before(async () => {
        const ripgrep = engine === 'ripgrep' ? await anyRipgrep() : undefined;
        if (engine === 'ripgrep') assert.ok(ripgrep, 'there is no ripgrep to test with');
        settings = { terminalTimeout: 1, ...(ripgrep ? { ripgrep } : {}) };
        if (engine === 'own walk') process.env.PATH = '/nonexistent';
      });
      after(() => {
        process.env.PATH = path;
      });

      const search = (input: object) => workspace.run('search_files', input, { settings });
      const need = (input: object) => workspace.permission('search_files', input, { settings });

      it(`B3. ${engine}: a search below .kube asks or leaves out what it holds`, async () => {
        const input = { pattern: '.', path: '.kube', include_ignored: true };
        const { text } = await search(input);
        assert.ok(!text.includes(SECRET), text);
        assert.equal(text, 'No matches.\n[1 file with secrets was not searched.]');
      });

      it(`B3a. ${engine}: a guess at the letters of .env asks first, and tells nothing unasked`, async () => {
        const answers = new Set<string>();
        for (const guess of ['^TOKEN=s3', '^TOKEN=zz', '^TOKEN=(s+)+$']) {
          const input = { pattern: guess, path: '.env' };
          assert.equal((await need(input))?.kind, 'read_secret');
          assert.equal((await need(input))?.rule?.key, `read:${workspace.path('.env')}`);
          answers.add(await unasked('search_files', input));
        }
        assert.equal(answers.size, 1, [...answers].join('\n'));
        assert.match((await search({ pattern: '^TOKEN=s3', path: '.env' })).text, /^\.env:1:TOKEN=s3cr3t/);
      });

      it(`B3b. ${engine}: a search of everything gives one answer, whatever the guess`, async () => {
        const answers = await Promise.all(
          ['^TOKEN=s3', '^TOKEN=zz', 'token: s', 'token: z'].map(async (pattern) => {
            const one = await search({ pattern, limit: 1, context: 3, include_ignored: true });
            return `${one.text} ${one.detail}`;
          }),
        );
        assert.deepEqual(
          new Set(answers),
          new Set(['No matches.\n[2 files with secrets were not searched.] 0 matches']),
        );
      });

      it(`B3c. ${engine}: other spellings and names of the same file are the same file`, async () => {
        await symlink(workspace.path('.env'), workspace.path('notes.txt'));
        await symlink(workspace.path('.kube'), workspace.path('cluster'));
        await link(workspace.path('.env'), workspace.path('hard.txt'));
        await put('upper/.ENV', `TOKEN=${SECRET}\n`);
        await put('dots/.env.', `TOKEN=${SECRET}\n`);
        await put('odd [name]*/.env', `TOKEN=${SECRET}\n`);
        await put('!odd/#.env', `TOKEN=${SECRET}\n`);
        for (const path of [
          'notes.txt',
          './src/../.env',
          'hard.txt',
          'upper/.ENV',
          'dots/.env.',
          workspace.path('.env'),
        ]) {
          assert.equal((await need({ pattern: 'x', path }))?.kind, 'read_secret', path);
        }
        for (const path of ['.', 'cluster', 'upper', 'dots', 'odd [name]*', '!odd']) {
          const { text } = await search({ pattern: 's3cr3t', path, include_ignored: true });
          assert.match(text, /^No matches\.\n\[\d files? with secrets (was|were) not searched\.\]$/, path);
        }
      });

      it(`B3d. ${engine}: a glob names secret files and still does not open them`, async () => {
        for (const glob of ['.env', '**/.env', '.kube/**', '*']) {
          const { text } = await search({ pattern: 's3cr3t', glob, include_ignored: true });
          assert.match(text, /^No matches\.\n\[\d files? with secrets/, glob);
        }
      });

      it(`B3e. ${engine}: an edit of the same batch cannot move the question to another file`, async () => {
        await put('plain.txt', 'nothing\n');
        const input = { pattern: 'TOKEN', path: 'plain.txt' };
        assert.equal(await workspace.permission('search_files', input, { callId: 'swapped', settings }), undefined);
        await rm(workspace.path('plain.txt'));
        await symlink(workspace.path('.env'), workspace.path('plain.txt'));
        const { status, text } = await workspace.run('search_files', input, { callId: 'swapped', settings });
        assert.equal(status, 'error');
        assert.ok(!text.includes('s3'), text);
      });
    });
  }

  it('B3f. read_file asks whatever the lines, the link or the case, and reads nothing unasked', async () => {
    await symlink('.kube', workspace.path('cluster'));
    await link(workspace.path('.kube/config'), workspace.path('src/b.ts'));
    for (const path of ['.env', 'cluster/config', 'src/b.ts', `${workspace.folder}/src/../.env`]) {
      for (const lines of [{}, { offset: 400 }, { offset: 1, limit: 1 }]) {
        const input = { path, ...lines };
        assert.equal((await workspace.permission('read_file', input))?.kind, 'read_secret', path);
        const text = await unasked('read_file', input);
        assert.match(text, /not allowed for it\. Nothing was read/, path);
      }
    }
  });

  it('B3k. a copy that was left beside a secret file is one, and so are files with logins of further programs', async () => {
    const copies = ['.env~', '#.env#', 'id_rsa.bak', 'server.pem.old', 'server.key.1', 'secrets.yml.bak', '.netrc~'];
    const others = ['kubeconfig.yaml', '.dockercfg', '.vault-token', '.dev.vars'];
    for (const path of [...copies, ...others]) {
      await put(path, `TOKEN=${SECRET}\n`);
      assert.equal((await workspace.permission('read_file', { path }))?.kind, 'read_secret', path);
      assert.match(await unasked('read_file', { path }), /not allowed for it\. Nothing was read/, path);
    }
    for (const path of ['.env.example~', 'notes.txt~', 'CHANGELOG.1', 'tokens.css', 'auth.ts.orig']) {
      await put(path, 'text\n');
      assert.equal(await workspace.permission('read_file', { path }), undefined, path);
    }
  });

  it('B3g. a workspace that is opened inside a secret folder has secret files', async () => {
    const folders = [await realpath(workspace.path('.kube'))];
    const need = await workspace.permission('read_file', { path: 'config' }, { folders });
    assert.equal(need?.kind, 'read_secret');
    const { text } = await workspace.run('search_files', { pattern: 'token' }, { folders });
    assert.equal(text, 'No matches.\n[1 file with secrets was not searched.]');
  });

  it('B3h. a patch or a write that guesses at a secret asks before it answers', async () => {
    const guesses = [
      ['patch', { path: '.env', old_string: 'TOKEN=s3cr3t-Zq8Rt2Lm5Vx8', new_string: 'x' }],
      ['patch', { path: '.env', old_string: 'TOKEN=nothing like it', new_string: 'x' }],
      ['patch', { path: '.env', old_string: 'TOKEN=gone', new_string: `TOKEN=${SECRET}` }],
      ['write_file', { path: '.env', content: `TOKEN=${SECRET}\n` }],
    ] as const;
    for (const [tool, input] of guesses) {
      const need = await workspace.permission(tool, input);
      assert.equal(need?.kind, 'read_secret', tool);
      const text = await unasked(tool, input);
      assert.match(text, /not allowed for it\. Nothing was read/);
    }
    const text = await unasked('patch', { path: '.env', old_string: `TOKEN=${SECRET}`, new_string: 'x' });
    assert.ok(!text.includes('s3'), text);
    assert.equal(await readFile(workspace.path('.env'), 'utf8'), `TOKEN=${SECRET}\n`);
  });

  it('B3i. an edit of a secret file says nothing of what stood beside it', async () => {
    const editor = new (class extends PlainEditorPort {
      override async diagnostics(paths: readonly string[]): Promise<DiagnosticsAnswer> {
        const of = paths.length > 0 ? paths : [workspace.path('.env')];
        const diagnostics = of.map((path): Diagnostic => {
          return { path, line: 1, column: 1, severity: 'warning', message: `Duplicate value ${SECRET}` };
        });
        return { checked: true, diagnostics };
      }
    })();
    const edit = await workspace.run('patch', { path: '.env', old_string: 'TOKEN', new_string: 'TOKEN_1' }, { editor });
    assert.equal(edit.status, 'success');
    assert.ok(!edit.text.includes(SECRET), edit.text);
    const all = await workspace.run('diagnostics', {}, { editor });
    assert.ok(!all.text.includes(SECRET), all.text);
    const need = await workspace.permission('diagnostics', { paths: ['src/a.ts', '.env'] }, { editor });
    assert.equal(need?.kind, 'read_secret');
  });

  it('B3j. a skill’s own folder does not hand out its secrets', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'midcourse-skill-')));
    try {
      await writeFile(join(root, 'SKILL.md'), 'text');
      await writeFile(join(root, '.env'), `TOKEN=${SECRET}`);
      await symlink('.env', join(root, 'help.txt'));
      const source = { is: 'workspace' } as const;
      const known = { modelMayUse: true, userMayUse: true, body: 'text', path: join(root, 'SKILL.md') };
      const skill = { is: 'skill', name: 's', description: 'd', source, ...known } as const;
      for (const file of ['.env', 'help.txt']) {
        const result = await skillTool({ skills: [skill] }).run({ name: 's', file }, workspace.context());
        assert.equal(result.status, 'error');
        assert.ok(!result.text.includes(SECRET), result.text);
      }
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
