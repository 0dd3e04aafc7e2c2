import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { folderEntries } from '../kernel/folder-entries.ts';
import { breathe } from '../kernel/slices.ts';
import { isInside } from './inside.ts';

/** Files of one plugin; consent is given to the bytes of each. */
const MOST = 5000;

export type PluginFiles =
  | { readonly ok: true; readonly files: readonly string[] }
  | { readonly ok: false; readonly why: string };

/**
 * All files below a plugin's root, in a fixed order, absolute; only `.git` is left out. What its code may import counts,
 * `node_modules` too.
 *
 * @returns why it cannot be used: a link that leads out, too many files. Never rejects.
 */
export async function pluginFiles(root: string): Promise<PluginFiles> {
  const files: string[] = [];
  const folders = [root];
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of await folderEntries(folder, MOST + 1)) {
        await breathe();
        const path = join(folder, entry.name);
        if (entry.name === '.git') continue;
        if (entry.isDirectory()) folders.push(path);
        else if (!entry.isSymbolicLink()) files.push(path);
        else if (!isInside(root, await realpath(path))) {
          return { ok: false, why: `${path} is a link that leads out of the plugin's folder.` };
        } else files.push(path);
        if (files.length > MOST)
          return { ok: false, why: `It has more than ${MOST} files; bundle what its code needs.` };
      }
    }
  } catch (error) {
    return { ok: false, why: `Its files cannot be listed: ${error instanceof Error ? error.message : error}.` };
  }
  return { ok: true, files };
}

/** A short name for a file on disk that stands for a longer text. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
