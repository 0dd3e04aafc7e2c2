import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { requirePackages } from './debian.ts';
import { LaunchScope } from './launch-scope.ts';
import { lock } from './lock.ts';
import { cacheFolder, editorVersion } from './places.ts';
import { CommandFailed, run } from './run.ts';

export interface InstalledEditor {
  /** The Node that runs the server: the server refuses another major. */
  readonly node: string;
  /** VS Code's own server, behind code-server's front. */
  readonly serverMain: string;
}

/**
 * VS Code's server from the user's cache, installed there when it is missing or broken (about two minutes, once a user).
 * Safe to call from several processes at once: one installs, the others wait. `stop` ends an installation that runs.
 */
export async function installEditor(say: (line: string) => void, stop?: AbortSignal): Promise<InstalledEditor> {
  const node = nodeOfTheProject();
  const folder = path.join(cacheFolder(), `code-server-${editorVersion}`);
  const editor: InstalledEditor = {
    node,
    serverMain: path.join(folder, 'node_modules/code-server/lib/vscode/out/server-main.js'),
  };
  const mark = path.join(folder, '.complete');
  const isReady = () => existsSync(mark) && existsSync(editor.serverMain);
  await requirePackages({ build: false, say });
  if (isReady()) return editor;

  const held = await lock(`${folder}.lock`, (owner) => say(`Waiting for another installation (process ${owner})`));
  try {
    if (isReady()) return editor;
    if (!(await isSound(folder, editor))) await installInto(folder, editor, say, stop);
    await writeFile(mark, `${editorVersion}\n`);
    return editor;
  } finally {
    await held.release();
  }
}

/** npm writes its hidden lock file when every install script has succeeded, so a torn installation has none. */
async function isSound(folder: string, editor: InstalledEditor): Promise<boolean> {
  if (!existsSync(path.join(folder, 'node_modules/.package-lock.json'))) return false;
  try {
    await checkVersion(editor);
    return true;
  } catch (error) {
    if (error instanceof CommandFailed || error instanceof WrongVersion) return false;
    throw error;
  }
}

async function installInto(
  folder: string,
  editor: InstalledEditor,
  say: (line: string) => void,
  stop: AbortSignal | undefined,
): Promise<void> {
  await requirePackages({ build: true, say });
  say(`Installing VS Code's server (code-server ${editorVersion}): about two minutes and 620 MB, once`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { 'code-server': editorVersion },
    allowScripts: { 'code-server': true, argon2: true },
  };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest, undefined, 2));
  // code-server's install script looks at the Node that runs npm: ours has to be the first on PATH.
  const searchPath = [path.dirname(editor.node), process.env.PATH].join(path.delimiter);
  // npm runs compilers: whatever ends this process has to end them too.
  const scope = await LaunchScope.open();
  const log = path.join(folder, 'install.log');
  try {
    const output = await run('npm', ['install', '--no-audit', '--no-fund', '--foreground-scripts'], {
      cwd: folder,
      env: scope.environment({ PATH: searchPath }),
      ...(stop && { signal: stop }),
    });
    await writeFile(log, output);
    await checkVersion(editor);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    await writeFile(log, error.output);
    const end = error.output.trimEnd().split('\n').slice(-20).join('\n');
    throw new Error(`VS Code's server could not be installed. The whole log: ${log}. Its end:\n${end}`);
  } finally {
    await scope.close();
  }
}

class WrongVersion extends Error {}

async function checkVersion(editor: InstalledEditor): Promise<void> {
  const [version = ''] = (await run(editor.node, [editor.serverMain, '--version'])).split('\n');
  const expected = editorVersion.replace(/^4\./, '1.');
  if (version.trim() !== expected) throw new WrongVersion(`VS Code's server is ${version}, not ${expected}`);
}

function nodeOfTheProject(): string {
  if (process.versions.node.startsWith('24.')) return process.execPath;
  throw new Error(
    `This needs Node 24, not ${process.versions.node}. Start it by npm (npm start, npm test), which brings it.`,
  );
}
