import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readDeclaration } from '../../declarations/read-declaration.ts';

/**
 * The root checkout of the repository that a folder is a linked worktree of; undefined for any other folder.
 *
 * The repository has to know the worktree as well: a `.git` file alone could name any repository, and with it take what
 * the user has allowed there.
 */
export async function rootCheckoutOf(folder: string): Promise<string | undefined> {
  try {
    const pointer = /^gitdir:\s*(.+?)\s*$/m.exec(await readDeclaration(join(folder, '.git')))?.[1];
    if (pointer === undefined) return undefined;
    const gitFolder = await realpath(resolve(folder, pointer));
    const common = await realpath(resolve(gitFolder, (await readDeclaration(join(gitFolder, 'commondir'))).trim()));
    const back = resolve(gitFolder, (await readDeclaration(join(gitFolder, 'gitdir'))).trim());
    const known = (await realpath(back)) === (await realpath(join(folder, '.git')));
    const linked = dirname(gitFolder) === join(common, 'worktrees');
    return known && linked && basename(common) === '.git' ? dirname(common) : undefined;
  } catch {
    // No `.git`, a folder instead of a file, or a repository that is gone: an ordinary folder.
    return undefined;
  }
}
