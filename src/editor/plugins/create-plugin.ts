import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';

export interface NewPlugin {
  readonly name: string;
  /** Absolute: the folder of plugins that it is written to. */
  readonly home: string;
}

/** Beside the template, what it is typed with. */
const TYPES = ['index.d.ts', 'hooks.d.ts'];

/**
 * Writes a plugin that works: a hook, a tool and a command, typed, with a test.
 *
 * @param api the extension's folder `plugin-api`
 * @returns the plugin's folder. Rejects when there is one of that name already.
 */
export async function writePlugin(api: string, { name, home }: NewPlugin): Promise<string> {
  const root = join(home, name);
  const isThere = await access(root).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(vscode.l10n.t('{0} is there already. Choose another name.', root));
  const template = join(api, 'template');
  for (const entry of await readdir(template, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const text = await readFile(from, 'utf8');
    await write(join(root, from.slice(template.length + 1)), text.replaceAll('my-plugin', name));
  }
  for (const file of TYPES) await write(join(root, 'types', file), await readFile(join(api, file), 'utf8'));
  return root;
}

/** Why a name cannot be one of a plugin; null when it can. */
export function nameProblem(name: string): string | null {
  return /^(?!.*(--|\.\.))[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$/.test(name)
    ? null
    : vscode.l10n.t('Use 1 to 64 of a–z, 0–9 and "-"; begin and end with a letter or digit.');
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { flag: 'wx' });
}
