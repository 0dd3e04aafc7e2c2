import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../safety/index.ts';

/** Bytes that are read of one file; what is behind them is said to be cut. */
const MOST_BYTES = 64 * 1024;

export type SourceText =
  | { readonly is: 'text'; readonly text: string; readonly realPath: string; readonly bytesCut: number }
  | { readonly is: 'absent' }
  | { readonly is: 'refused'; readonly why: string };

/**
 * Reads customisation files, each again only when its time or size has changed. Never rejects.
 */
export class SourceFiles {
  readonly #known = new Map<string, { readonly stamp: string; readonly read: SourceText }>();

  /** @param within real paths that the file has to lie in, links followed */
  async read(path: string, within: readonly string[]): Promise<SourceText> {
    try {
      const realPath = await realpath(path);
      if (!within.some((folder) => isInside(realPath, folder))) {
        return { is: 'refused', why: 'it is a symbolic link that leads out of its folder.' };
      }
      const found = await stat(realPath);
      // Reading a pipe waits for ever.
      if (!found.isFile() && !found.isDirectory()) return { is: 'refused', why: 'it is no ordinary file.' };
      const { mtimeMs, size, ino } = found;
      const stamp = `${mtimeMs} ${size} ${ino}`;
      const known = this.#known.get(realPath);
      if (known?.stamp === stamp) return known.read;
      const read = await readText(realPath);
      this.#known.set(realPath, { stamp, read });
      return read;
    } catch (error) {
      return isAbsent(error) ? { is: 'absent' } : { is: 'refused', why: `it cannot be read: ${words(error)}` };
    }
  }
}

async function readText(path: string): Promise<SourceText> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.min(size, MOST_BYTES));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  const bytes = buffer.subarray(0, bytesRead);
  if (bytes.includes(0)) return { is: 'refused', why: 'it is not a text file.' };
  const bytesCut = Math.max(0, size - bytesRead);
  // The last character may have been cut in two.
  const text = new TextDecoder('utf-8').decode(bytes, { stream: bytesCut > 0 });
  return { is: 'text', text, realPath: path, bytesCut };
}

/** Names of what lies in a folder, sorted; empty when there is none. */
export async function entriesOf(
  folder: string,
): Promise<readonly { readonly name: string; readonly path: string; readonly isFolder: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const found = await Promise.all(
      entries.map(async (entry) => {
        const path = join(folder, entry.name);
        const isFolder = entry.isSymbolicLink() ? await leadsToFolder(path) : entry.isDirectory();
        return { name: entry.name, path, isFolder };
      }),
    );
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // Not there, or not to be looked into: there is nothing to list.
    return [];
  }
}

async function leadsToFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function isAbsent(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR';
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
