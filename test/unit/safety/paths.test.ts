import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathProblem, protectedKind, resolveInside, secretKind } from '../../../src/agent/safety/index.ts';

describe('paths', () => {
  let root: string;
  let folder: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'midcourse-paths-')));
    folder = join(root, 'work');
    await mkdir(join(folder, 'src'), { recursive: true });
    await writeFile(join(folder, 'src', 'a.ts'), '');
    await writeFile(join(root, 'secret'), '');
  });
  afterEach(() => rm(root, { recursive: true }));

  it('relative and absolute paths inside are resolved', async () => {
    const found = await resolveInside('src/../src/a.ts', [folder]);
    assert.deepEqual(found, {
      ok: true,
      path: join(folder, 'src/a.ts'),
      folder,
      relative: 'src/a.ts',
      shown: 'src/a.ts',
      exists: true,
    });
    assert.equal((await resolveInside(join(folder, 'src'), [folder])).ok, true);
  });

  it('a file to be is resolved by its nearest parent', async () => {
    const found = await resolveInside('new/deep/x.ts', [folder]);
    assert.ok(found.ok);
    assert.equal(found.path, join(folder, 'new/deep/x.ts'));
    assert.equal(found.exists, false);
  });

  it('case 104: what leads outside is refused', async () => {
    for (const path of [
      '../secret',
      join(root, 'secret'),
      '/etc/passwd',
      'src/../../secret',
      `${folder}x`,
      '~/x',
      '',
      'a\0b',
    ]) {
      assert.equal((await resolveInside(path, [folder])).ok, false, path);
    }
  });

  it('case 103: a symbolic link that leads outside is refused, whatever stands behind it', async () => {
    await symlink(join(root, 'secret'), join(folder, 'link'));
    await symlink(root, join(folder, 'up'));
    await symlink(join(root, 'nowhere'), join(folder, 'dangling'));
    for (const path of ['link', 'up/secret', 'up/new.txt', 'dangling']) {
      assert.equal((await resolveInside(path, [folder])).ok, false, path);
    }
  });

  it('a link inside stands for its target', async () => {
    await symlink(join(folder, 'src'), join(folder, 'alias'));
    const found = await resolveInside('alias/a.ts', [folder]);
    assert.ok(found.ok);
    assert.equal(found.relative, 'src/a.ts');
  });

  it('with several folders a relative path is looked for in each', async () => {
    const other = join(root, 'other');
    await mkdir(other);
    await writeFile(join(other, 'b.ts'), '');
    const found = await resolveInside('b.ts', [folder, other]);
    assert.ok(found.ok);
    assert.equal(found.folder, other);
    const fresh = await resolveInside('c.ts', [folder, other]);
    assert.ok(!fresh.ok);
    assert.match(fresh.why, /work\/c\.ts, other\/c\.ts/);
  });

  it('without a folder the reason says what to do', async () => {
    const found = await resolveInside('a', []);
    assert.ok(!found.ok);
    assert.match(found.why, /open a folder/);
  });

  it('case 104: on Windows streams, devices, short names and trailing dots are refused', () => {
    for (const path of [
      'a.txt:stream',
      'C:\\x\\nul',
      'con.txt',
      'sub\\LPT1',
      'x.',
      'x ',
      'PROGRA~1\\x',
      '\\\\?\\C:\\x',
      '\\\\.\\pipe\\x',
    ]) {
      assert.ok(pathProblem(path, 'win32'), path);
    }
    for (const path of ['C:\\x\\a.txt', '..\\a.ts', '.\\a.ts', 'console.ts', '.gitignore']) {
      assert.equal(pathProblem(path, 'win32'), undefined, path);
    }
    assert.equal(pathProblem('a:b', 'linux'), undefined);
  });
});

describe('special files', () => {
  it('secrets are told from their look-alikes', () => {
    for (const path of [
      '.env',
      'app/.env.production',
      '.envrc',
      'prod.env',
      'id_ed25519',
      'x/.ssh/config',
      '.aws/credentials',
      '.npmrc',
      'server.pem',
      'C:\\x\\.netrc',
      'secrets.yaml',
      'terraform.tfvars',
      '.env.local',
      '.env.test',
      '.env.local.bak',
      '.env.keys',
      '.env.local.php',
      '.pgpass',
      '.git-credentials',
      '.docker/config.json',
      '.kube/config',
      '/home/x/.config/gcloud/credentials.db',
      '.azure/msal_token_cache.json',
      '.azure/prod/.env',
      'terraform.tfstate',
      'terraform.tfstate.1700000000.backup',
      'prod.auto.tfvars.json',
      'Passwords.kdbx',
      'AuthKey_X.p8',
      'id_ed25519_work',
      'id_rsa.old',
      'secrets.prod.yaml',
      '.credentials.json',
      'x-firebase-adminsdk-1.json',
      '.bash_history',
      '/etc/shadow',
      '/proc/self/environ',
      '.mylogin.cnf',
      'wp-config.php',
    ]) {
      assert.ok(secretKind(path), path);
    }
    for (const path of [
      '.env.example',
      '.env.sample',
      '.env.d.ts',
      '.env.test.ts',
      'src/.env.spec.js',
      '.env.template',
      '.env.local.example',
      '.env.production.sample',
      'example.env',
      '.env.vault',
      'public.pem',
      'public_key.asc',
      'id_ed25519_work.pub',
      '.docker/Dockerfile',
      '.docker/php.ini',
      'deploy/gcloud/run.sh',
      '.azure/config',
      '.azure/pipelines.yml',
      'secrets.example.json',
      'secrets.test.ts',
      'environment.prod.ts',
      'dotenv.ts',
      'terraform.tfvars.example',
      'environment.ts',
      'src/env.ts',
      'id_rsa.pub',
      'auth.ts',
      'src/auth',
      'tokens.json',
      'secrets.ts',
      'keyboard.ts',
      'monkey.md',
    ]) {
      assert.equal(secretKind(path), undefined, path);
    }
  });

  it('case 102: instructions for agents, editor settings and what git runs are protected', () => {
    for (const path of [
      'AGENTS.md',
      'sub/CLAUDE.md',
      '.vscode/settings.json',
      '.midcourse/hooks.json',
      '.git/hooks/pre-commit',
      '.git/config',
      '.husky/pre-push',
      'x.code-workspace',
      '.mcp.json',
    ]) {
      assert.ok(protectedKind(path), path);
    }
    for (const path of ['README.md', 'src/agents.ts', '.gitignore', '.github/ISSUE_TEMPLATE/bug.md', 'vscode/x']) {
      assert.equal(protectedKind(path), undefined, path);
    }
  });
});
