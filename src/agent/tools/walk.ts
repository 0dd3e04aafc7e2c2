/**
 * Files of a folder without those that git ignores, for listing and for searching where there is no ripgrep.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { folderEntries } from '../kernel/folder-entries.ts';
import { type GitIgnore, gitIgnore } from '../kernel/patterns/index.ts';

export interface WalkEntry {
  readonly path: string;
  /** From the folder the walk started in, with `/`. */
  readonly relative: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** 1 for what is directly in the start folder. */
  readonly depth: number;
}

export interface WalkOptions {
  readonly signal: AbortSignal;
  readonly depth?: number;
  /** Also what git ignores. */
  readonly ignored?: boolean;
  /** `levels` (the default): what is higher comes first, names in order within a folder. `path`: folder by folder. */
  readonly order?: 'levels' | 'path';
}

/** Rules of one `.gitignore` and the folder that they are relative to. */
interface Rules {
  readonly folder: string;
  readonly matcher: GitIgnore;
}

/**
 * Links are told but not followed; `.git` is left out. Folders that cannot be read are passed over. Ends when `signal`
 * aborts.
 */
export async function* walk(start: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  const queue: Folder[] = [{ path: start, depth: 0, rules: options.ignored ? [] : await rulesAbove(start) }];
  const deepest = options.depth ?? Number.POSITIVE_INFINITY;
  for (let folder = queue.shift(); folder; folder = queue.shift()) yield* visit(folder);

  async function* visit(folder: Folder): AsyncGenerator<WalkEntry> {
    if (options.signal.aborted) return;
    const entries = await folderEntries(folder.path).catch(() => []);
    const own = options.ignored ? undefined : await rulesOf(folder.path);
    const rules = own ? [...folder.rules, own] : folder.rules;
    const depth = folder.depth + 1;
    for (const entry of entries) {
      const path = join(folder.path, entry.name);
      const isFolder = entry.isDirectory();
      if (entry.name === '.git' || isIgnored(path, isFolder, rules)) continue;
      const kind = isFolder ? 'folder' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other';
      yield { path, relative: slashes(relative(start, path)), kind, depth };
      if (!isFolder || depth >= deepest) continue;
      if (options.order === 'path') yield* visit({ path, depth, rules });
      else queue.push({ path, depth, rules });
    }
  }
}

interface Folder {
  readonly path: string;
  readonly depth: number;
  readonly rules: readonly Rules[];
}

/** The last rule that says something decides, as in git: deeper files overrule higher ones. */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  return rules.reduce((ignored, { folder, matcher }) => {
    return matcher.test(slashes(relative(folder, path)), isFolder) ?? ignored;
  }, false);
}

/** Whether git ignores a folder between the workspace folder and a file in it. What ignores the workspace does not count. */
export async function isIgnoredByGit(workspace: string, file: string): Promise<boolean> {
  const folders: string[] = [];
  for (let at = dirname(file); at !== workspace && at !== dirname(at); at = dirname(at)) folders.unshift(at);
  if (folders.length === 0) return false;
  const above = await rulesAbove(workspace);
  const rules = isIgnored(workspace, true, above) ? [] : [...above];
  const own = await rulesOf(workspace);
  if (own) rules.push(own);
  for (const folder of folders) {
    if (isIgnored(folder, true, rules)) return true;
    const more = await rulesOf(folder);
    if (more) rules.push(more);
  }
  return false;
}

/** Rules of the folders above, up to the one with `.git`. Outside of a repository the ones above do not count. */
async function rulesAbove(start: string): Promise<readonly Rules[]> {
  const above: string[] = [];
  for (let at = start; ; at = dirname(at)) {
    if (at !== start) above.unshift(at);
    if (existsSync(join(at, '.git'))) break;
    if (dirname(at) === at) return [];
  }
  return (await Promise.all(above.map(rulesOf))).filter((rules) => rules !== undefined);
}

async function rulesOf(folder: string): Promise<Rules | undefined> {
  const files = [join(folder, '.git', 'info', 'exclude'), join(folder, '.gitignore')];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  const text = texts.join('\n');
  return text.trim() === '' ? undefined : { folder, matcher: gitIgnore(text) };
}

function slashes(path: string): string {
  return sep === '/' ? path : path.split(sep).join('/');
}
