import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { run } from './run.ts';

/** Names a browser of the Chromium family may have on PATH, the usual one first. */
const browsers = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Needed to build the native modules of VS Code's server: a program or header and the Debian package that brings it. */
const buildTools = [
  { package: 'python3', present: () => onPath('python3') },
  { package: 'make', present: () => onPath('make') },
  { package: 'g++', present: () => onPath('g++') },
  {
    package: 'libkrb5-dev',
    present: () => ['/usr/include/gssapi.h', '/usr/include/gssapi/gssapi.h'].some((file) => existsSync(file)),
  },
];

export class MissingPackages extends Error {}

/** The browser that shows the editor: `MIDCOURSE_CHROMIUM` or the first found on PATH. */
export function findBrowser(): string | undefined {
  const chosen = process.env.MIDCOURSE_CHROMIUM;
  if (chosen) return chosen;
  return browsers.map(onPath).find((file) => file !== undefined);
}

/**
 * Installs what is missing when this is root on Debian. Otherwise throws `MissingPackages` with one line that names it.
 * `build` says whether native modules are going to be built too.
 */
export async function requirePackages(options: { build: boolean; say: (line: string) => void }): Promise<void> {
  const missing = missingPackages(options.build);
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !onPath('apt-get')) {
    throw new MissingPackages(
      `Missing: ${missing.join(', ')}. Install with: sudo apt-get install -y ${missing.join(' ')}`,
    );
  }
  options.say(`Installing Debian packages: ${missing.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q'], { env });
  await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...missing], { env });
  const still = missingPackages(options.build);
  if (still.length > 0) throw new MissingPackages(`Installed, but still not found: ${still.join(', ')}`);
}

function missingPackages(build: boolean): string[] {
  const forBuild = build ? buildTools.filter((tool) => !tool.present()).map((tool) => tool.package) : [];
  return findBrowser() ? forBuild : ['chromium', ...forBuild];
}

function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // Not there, or not for us: the same to the caller.
  }
}
