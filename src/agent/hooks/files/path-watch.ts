import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Log } from '../../turn/types.ts';

export interface WatchedPath {
  /** A file or a folder, absolute; it may come and go, with the folders that it is in. */
  readonly path: string;
  /** A folder that exists and holds it: nothing above is watched. */
  readonly base: string;
}

/** Folders that are watched at most: each takes one of the system's watches. */
const MOST_FOLDERS = 500;

/**
 * Tells when one of some paths appears, changes or goes away. Only the folders on the way to them are watched, none of
 * them recursively, so that a large workspace costs nothing.
 */
export class PathWatch {
  readonly #log: Log;
  readonly #changed: () => void;
  readonly #watchers = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>();
  #paths: readonly WatchedPath[] = [];
  #disposed = false;

  constructor(changed: () => void, log: Log) {
    this.#changed = changed;
    this.#log = log;
  }

  /** Resolves when changes of these paths are seen. To be called again after each change: folders may have come. */
  async set(paths: readonly WatchedPath[]): Promise<void> {
    this.#paths = paths;
    const folders = [...new Set(paths.flatMap(foldersOf))];
    if (folders.length > MOST_FOLDERS)
      this.#log.warn(`Changes of hook files are seen in ${MOST_FOLDERS} of ${folders.length} folders only.`);
    const present = await Promise.all(
      folders.slice(0, MOST_FOLDERS).map(async (path) => [path, await inodeOf(path)] as const),
    );
    if (this.#disposed) return;
    const wanted = new Map(present);
    for (const [folder, { watcher, inode }] of this.#watchers) {
      // A folder that was made anew under its old name is another one.
      if (wanted.get(folder) === inode) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    for (const [folder, inode] of wanted) {
      if (inode !== undefined && !this.#watchers.has(folder)) this.#watch(folder, inode);
    }
  }

  dispose(): void {
    this.#disposed = true;
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string, inode: number): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || this.#concerns(join(folder, name))) this.#changed();
      });
      const forget = () => {
        watcher.close();
        if (this.#watchers.get(folder)?.watcher === watcher) this.#watchers.delete(folder);
      };
      watcher.on('error', (error) => {
        this.#log.debug(`${folder} is not watched any more: ${error}`);
        forget();
      });
      this.#watchers.set(folder, { watcher, inode });
    } catch (error) {
      // It went away in between, which its own folder tells, or the system has no watches left.
      this.#log.warn(`Changes in ${folder} are not seen: ${error}`);
    }
  }

  /** True for a path, what is on the way to it, and what is in it. */
  #concerns(changed: string): boolean {
    return this.#paths.some(({ path }) => isWithin(path, changed) || isWithin(changed, path));
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** From the base to the path itself. */
function foldersOf({ path, base }: WatchedPath): readonly string[] {
  const steps = relative(base, path).split(sep);
  if (steps[0] === '..') return [dirname(path)];
  return [base, ...steps.map((_, index) => join(base, ...steps.slice(0, index + 1)))];
}

/** Undefined for what is no folder. */
async function inodeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? found.ino : undefined;
  } catch {
    return undefined;
  }
}
