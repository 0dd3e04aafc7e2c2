/**
 * Whether an edit changes what instructs agents or starts programs, judged by every name that the file has: as it was
 * written, by its real path, by links of the workspace that lead to it, and by what git's settings name.
 */

import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { folderEntries } from '../kernel/folder-entries.ts';
import { manifestChange } from './manifest-change.ts';
import { isInside } from './paths.ts';
import { protectedKind } from './protected-places.ts';
import { placesAbove } from './secret-file.ts';

/** What `resolveInside` found. */
interface Resolved {
  /** Absolute real path. */
  readonly path: string;
  readonly folder: string;
  /** From the folder, with `/`. */
  readonly relative: string;
}

/** Undefined for what is not known: then the names alone decide. */
interface Change {
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Why an edit asks every time, in words, or undefined. `given` is the path as it was written. Never rejects. */
export async function protectedFile(given: string, found: Resolved, change?: Change): Promise<string | undefined> {
  return (
    protectedKind(found.relative) ??
    protectedKind(inTwoFolders(found)) ??
    protectedKind(writtenName(given, found.folder)) ??
    (change && manifestChange(found.path, change.before, change.after)) ??
    (await repositoryPart(found)) ??
    (await namedByLink(found)) ??
    (await namedByGit(found))
  );
}

/** A workspace may be opened at `.github/workflows` itself. */
function inTwoFolders({ folder, relative: inside }: Resolved): string {
  return [...folder.split(sep).slice(-2), inside].join('/');
}

/** Without the folders above the workspace, which may have the name of an agent's folder. */
function writtenName(given: string, folder: string): string {
  if (!isAbsolute(given)) return given;
  return isInside(given, folder) ? relative(folder, given) : '';
}

/** A folder with `HEAD`, `objects` and `refs` is a repository without being called `.git`. */
async function repositoryPart({ path, folder }: Resolved): Promise<string | undefined> {
  for (const at of placesAbove(dirname(path), folder)) {
    const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => isThere(join(at, name))));
    if (parts.every(Boolean)) {
      return 'It belongs to a git repository; hooks and settings there can start programs.';
    }
  }
  return undefined;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Folders of the workspace whose entries have a meaning by their name, and may be links. */
const NAMED_FOLDERS = [
  '.github .github/agents .github/skills .github/prompts .github/instructions .github/workflows .github/hooks .vscode .husky',
  '.claude .claude/skills .claude/agents .claude/commands .claude/hooks .agents .agents/skills .midcourse .midcourse/skills',
  '.cursor .cursor/rules .codex .git .git/hooks .gemini .devcontainer',
].flatMap((names) => names.split(' '));

/** A link with a protected name that leads to the file, or to a folder that it lies in; or the same file (hard link). */
async function namedByLink({ path, folder }: Resolved): Promise<string | undefined> {
  const own = await stat(path).catch(() => undefined);
  const isTwin = async (other: string) => {
    if (!own || own.nlink < 2) return false;
    const stats = await stat(other).catch(() => undefined);
    return stats !== undefined && stats.ino === own.ino && stats.dev === own.dev;
  };
  const places = new Set([...placesAbove(dirname(path), folder), ...NAMED_FOLDERS.map((name) => join(folder, name))]);
  for (const place of places) {
    const entries = await folderEntries(place).catch(() => []);
    for (const entry of entries) {
      const at = join(place, entry.name);
      const kind = at === path ? undefined : protectedKind(relative(folder, at));
      if (kind === undefined) continue;
      const leads = entry.isSymbolicLink() && isInside(path, await realpath(at).catch(() => at));
      if (leads || (entry.isFile() && (await isTwin(at)))) return `${relative(folder, at)} leads to it. ${kind}`;
    }
  }
  return undefined;
}

/** `core.hooksPath`, `core.fsmonitor`, an included file, a filter's program: whatever word of the settings is its path. */
async function namedByGit({ path, folder }: Resolved): Promise<string | undefined> {
  const git = join(folder, '.git');
  const text = await readFile(join(git, 'config'), 'utf8').catch(() => '');
  for (const line of text.slice(0, 100_000).split('\n')) {
    const at = line.indexOf('=');
    if (at < 0) continue;
    for (const word of line.slice(at + 1).split(/[\s"';&|]+/)) {
      if (word === '' || word === '.' || word.includes('://')) continue;
      const targets = [resolve(folder, word), resolve(git, word)];
      if (targets.some((one) => one !== folder && isInside(one, folder) && isInside(path, one))) {
        return `Git's settings name it (${line.trim().slice(0, 80)}), so git may start it.`;
      }
    }
  }
  return undefined;
}
