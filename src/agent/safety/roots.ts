/**
 * Names of files where several folders are open: the name of the root first, as the editor writes them, so that a path
 * that is shown leads back to the same file. With one folder a path begins below it.
 */

import { basename, dirname, join, relative, sep } from 'node:path';
import { isInside } from './inside.ts';

export interface Root {
  /** Absolute real path. */
  readonly path: string;
  /** What its paths begin with, with `/`; unlike that of any other root. Empty where it is the only one. */
  readonly name: string;
}

/** @param folders absolute real paths */
export function rootsOf(folders: readonly string[]): readonly Root[] {
  if (folders.length < 2) return folders.map((path) => ({ path, name: '' }));
  return folders.map((path) => ({ path, name: uniqueName(path, folders) }));
}

/** The root that a file lies in: the deepest, where one root is inside of another. */
export function rootOf(path: string, folders: readonly string[]): Root | undefined {
  const around = rootsOf(folders).filter((root) => isInside(path, root.path));
  return around.toSorted((one, other) => other.path.length - one.path.length)[0];
}

/** A path as people and models are shown it; what is outside of all roots as it is. */
export function shownPath(path: string, folders: readonly string[]): string {
  const root = rootOf(path, folders);
  if (root === undefined) return path;
  const inside = relative(root.path, path).split(sep).join('/');
  return [root.name, inside].filter((part) => part !== '').join('/') || '.';
}

/** The absolute path of one that begins with the name of a root; undefined for any other. */
export function behindRootName(path: string, folders: readonly string[]): string | undefined {
  if (folders.length < 2) return undefined;
  const plain = path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
  const root = rootsOf(folders).find(({ name }) => plain === name || plain.startsWith(`${name}/`));
  return root && join(root.path, plain.slice(root.name.length));
}

/** The folder's name, with as many folders above as it takes to tell it from the others. */
function uniqueName(path: string, folders: readonly string[]): string {
  let name = basename(path) || path;
  const others = folders.filter((other) => other !== path);
  for (
    let at = dirname(path);
    others.some((other) => other.endsWith(sep + name.split('/').join(sep)));
    at = dirname(at)
  ) {
    if (at === dirname(at)) return path;
    name = `${basename(at)}/${name}`;
  }
  return name;
}
