import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** What the linter says of files with these texts, with the rules of this repository. */
async function lint(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lint-'));
  try {
    await cp(join(root, 'biome.json'), join(folder, 'biome.json'));
    await cp(join(root, 'lint'), join(folder, 'lint'), { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const { stdout, stderr } = spawnSync(process.execPath, [biome, 'lint', '--max-diagnostics=200', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout + stderr;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const bad = [
  'export const made = (source: string) => new RegExp(source);\n',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a program.
  "export const made = (source: string) => new RegExp(`^${source}$`, 'u');\n",
  'export const made = (source: string) => RegExp(source);\n',
  "import picomatch from 'picomatch';\nexport const fits = picomatch('*');\n",
  "import ignore, { type Ignore } from 'ignore';\nexport const of = (): Ignore => ignore();\n",
  "import path from 'node:path';\nexport const fits = (glob: string) => path.matchesGlob('a', glob);\n",
];

describe('the lint rule about patterns of others', function () {
  this.timeout(30_000);

  it('refuses an expression made at run time and a glob library, in the host and in the page', async () => {
    const paths = ['src/agent/tools', 'src/editor', 'webview'].flatMap((folder) =>
      bad.map((_, at) => `${folder}/x${at}.ts`),
    );
    const said = await lint(Object.fromEntries(paths.map((path, at) => [path, bad[at % bad.length] ?? ''])));
    const named = [...said.matchAll(/^(\S+?):\d+:\d+ plugin/gm)].map(([, path]) => path);
    assert.deepEqual([...new Set(named)].sort(), paths.sort());
  });

  it('takes a literal, and the module itself', async () => {
    const said = await lint({
      'src/agent/tools/x.ts': 'export const made = /^a+$/u;\n',
      'src/agent/kernel/patterns/x.ts': bad[0] ?? '',
    });
    assert.doesNotMatch(said, /may never end/);
  });
});
