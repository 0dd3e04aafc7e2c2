import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { breathe } from './slices.ts';

/** Entries that are read in one turn of the event loop. */
const PORTION = 256;

/** Entries of a folder in which people keep what they write by hand; nobody has more. */
export const BY_HAND = 5_000;

/**
 * What lies in a folder, by name. `readdir` makes all entries in one turn of the event loop, and takes a tenth of a second
 * of it for a folder of 100,000, which any repository may bring.
 *
 * @param most entries that are read; of more, which ones is left to the file system
 * @throws (rejects) as `readdir` does
 */
export async function folderEntries(path: string, most = Number.POSITIVE_INFINITY): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(path, { bufferSize: PORTION })) {
    entries.push(entry);
    if (entries.length >= most) break;
    if (entries.length % PORTION === 0) await breathe();
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}
