/**
 * Whether a file holds secrets, judged by every name that it has: as it was written, by its real path, and by the secret
 * file that it is a second name (hard link) of. The worst one counts.
 */

import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { folderEntries } from '../kernel/folder-entries.ts';
import { isInside } from './paths.ts';
import { SECRET_FOLDERS, secretKind } from './sensitive.ts';

/** What `resolveInside` found. */
interface Resolved {
  /** Absolute real path. */
  readonly path: string;
  readonly folder: string;
}

/** Entries of a folder that are looked at for secret files. */
const MOST_ENTRIES = 5_000;

/** What kind of secret the file holds, in words, or undefined. `given` is as it was written. Never rejects. */
export async function secretFile(given: string, { path, folder }: Resolved): Promise<string | undefined> {
  const named = secretKind(path) ?? secretKind(given);
  if (named !== undefined) return named;
  const stats = await statOf(path);
  if (!stats?.isFile() || stats.nlink < 2) return undefined;
  return (await secretsWithSeveralNames(placesAbove(dirname(path), folder))).get(identity(stats));
}

/**
 * The secret files that have more than one name, by `identity`: in `folders` and below the home folder. Usually none,
 * so that nobody has to look for their other names.
 */
export async function secretsWithSeveralNames(folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const places = [...folders, homedir()];
  const names = [...SECRET_FOLDERS, '.docker', '.azure', join('.config', 'gcloud')];
  const all = new Set(places.flatMap((place) => [place, ...names.map((name) => join(place, name))]));
  const found = new Map<string, string>();
  for (const folder of all) {
    for (const { name } of await folderEntries(folder, MOST_ENTRIES).catch(() => [])) {
      const path = join(folder, name);
      const kind = secretKind(path);
      const stats = kind === undefined ? undefined : await statOf(path);
      if (kind !== undefined && stats?.isFile() && stats.nlink > 1) found.set(identity(stats), kind);
    }
  }
  return found;
}

/** The folder and those above it, up to the workspace folder. */
export function placesAbove(from: string, folder: string): readonly string[] {
  const places: string[] = [];
  for (let at = from; isInside(at, folder); at = dirname(at)) {
    places.push(at);
    if (at === dirname(at)) break;
  }
  return places;
}

/** The same for all names of one file. */
export function identity({ dev, ino }: { readonly dev: number; readonly ino: number }): string {
  return `${dev}:${ino}`;
}

/** Undefined for what is not there or cannot be looked at: then reading it fails as well. */
async function statOf(path: string) {
  return await stat(path).catch(() => undefined);
}
