import { createHash } from 'node:crypto';
import { open, realpath, stat } from 'node:fs/promises';
import { dirname, join, parse, relative } from 'node:path';
import { fewAtOnce } from '../kernel/few-at-once.ts';
import { BY_HAND, folderEntries } from '../kernel/folder-entries.ts';
import { breathe, Gate } from '../kernel/slices.ts';
import { AT_ONCE, type Inspected, readOffThread } from '../reading/index.ts';
import { isInside } from '../safety/index.ts';
import { isIgnoredByGit } from '../tools/walk.ts';
import { foreignFolder } from './foreign-folders.ts';
import { inspectText } from './inspect-text.ts';

/** Bytes that are read of one file; what is behind them is said to be cut. */
const MOST_BYTES = 64 * 1024;

/** Milliseconds for which what git ignores is taken to be the same, and folders for which it is remembered. */
const RULES_MS = 1_000;
const MOST_FOLDERS = 500;

export type SourceText =
  | {
      readonly is: 'text';
      /** Without characters that nobody sees. */
      readonly text: string;
      readonly realPath: string;
      readonly bytesCut: number;
      /** How many such characters were removed. */
      readonly hidden: number;
    }
  | { readonly is: 'absent' }
  /** `held`: the hash of its text, where the person may have it loaded all the same. */
  | { readonly is: 'refused'; readonly why: string; readonly held?: string };

/** A text as it was read, and what was found in it. */
type ReadText =
  | SourceText
  | { readonly is: 'suspicious'; readonly why: string; readonly hash: string; readonly read: SourceText };

/** What the person read and had loaded although it was held back, by hash. */
export interface Readable {
  has(hash: string): boolean;
}

/**
 * Reads customisation files, each again only when its time or size has changed. Whatever they are for, they go to a
 * model as words to be followed: so characters that nobody sees are removed, and a file with suspicious orders is held
 * back until the person had it loaded. Never rejects.
 */
export class SourceFiles {
  readonly #known = new Map<string, { readonly stamp: string; readonly read: ReadText }>();
  readonly #ignored = new Map<string, { readonly at: number; readonly ignored: Promise<boolean> }>();
  readonly #readable: Readable;
  /** A folder may hold thousands: their answers together would hold up the thread. */
  readonly #gate = new Gate(8);

  constructor(readable: Readable = new Set()) {
    this.#readable = readable;
  }

  /** @param within real paths that the file has to lie in, links followed */
  read(path: string, within: readonly string[]): Promise<SourceText> {
    return this.#gate.run(() => this.#readNow(path, within));
  }

  async #readNow(path: string, within: readonly string[]): Promise<SourceText> {
    try {
      const realPath = await realpath(path);
      const root = within.find((folder) => isInside(realPath, folder));
      if (root === undefined) return { is: 'refused', why: 'it is a symbolic link that leads out of its folder.' };
      const foreign = await this.#foreignPlace(root, realPath);
      if (foreign !== undefined) return { is: 'refused', why: foreign };
      const found = await stat(realPath);
      // Reading a pipe waits for ever.
      if (!found.isFile() && !found.isDirectory()) return { is: 'refused', why: 'it is no ordinary file.' };
      const { mtimeMs, size, ino } = found;
      const stamp = `${mtimeMs} ${size} ${ino}`;
      const known = this.#known.get(realPath);
      if (known?.stamp === stamp) return this.#judged(known.read);
      const read = await inspected(await readText(realPath));
      this.#known.set(realPath, { stamp, read });
      return this.#judged(read);
    } catch (error) {
      return isAbsent(error) ? { is: 'absent' } : { is: 'refused', why: `it cannot be read: ${words(error)}` };
    }
  }

  /** Folders of the work of others, seen from the workspace folder or the plugin; a user's home folder has none. */
  async #foreignPlace(root: string, realPath: string): Promise<string | undefined> {
    if (root === parse(root).root) return undefined;
    const folder = foreignFolder(relative(root, realPath));
    if (folder !== undefined) return `it lies in ${folder}, which holds the work of others or what programs made.`;
    return (await this.#isIgnored(root, realPath)) ? 'git ignores the folder that it lies in.' : undefined;
  }

  /** Many files lie in one folder, and reading all rules for each would take long. */
  #isIgnored(root: string, realPath: string): Promise<boolean> {
    const key = `${root}\n${dirname(realPath)}`;
    const now = performance.now();
    const known = this.#ignored.get(key);
    if (known && now - known.at < RULES_MS) return known.ignored;
    if (this.#ignored.size > MOST_FOLDERS) this.#ignored.clear();
    const ignored = isIgnoredByGit(root, realPath);
    this.#ignored.set(key, { at: now, ignored });
    return ignored;
  }

  #judged(read: ReadText): SourceText {
    if (read.is !== 'suspicious') return read;
    if (this.#readable.has(read.hash)) return read.read;
    return {
      is: 'refused',
      why: `${read.why}. It is not loaded until you have read it and allow it.`,
      held: read.hash,
    };
  }
}

async function inspected(read: SourceText): Promise<ReadText> {
  if (read.is !== 'text') return read;
  const { text, hidden, why } = await inspection(read.text);
  const shown = { ...read, text, hidden };
  if (why === undefined) return shown;
  // Of the text as it is in the file: another one, also by what nobody sees, is asked about anew.
  const hash = createHash('sha256').update(read.text).digest('hex');
  return { is: 'suspicious', why, hash, read: shown };
}

/** A long text takes a while: the thread of the host is not held up by it. */
async function inspection(text: string): Promise<Inspected> {
  if (text.length <= AT_ONCE) {
    await breathe();
    return inspectText(text);
  }
  const read = await readOffThread({ is: 'instructions', text });
  if ('why' in read) throw new Error(read.words);
  return read.inspected ?? inspectText(text);
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
  return { is: 'text', text, realPath: path, bytesCut, hidden: 0 };
}

/** Names of what lies in a folder, sorted; empty when there is none. */
export async function entriesOf(
  folder: string,
): Promise<readonly { readonly name: string; readonly path: string; readonly isFolder: boolean }[]> {
  try {
    return await fewAtOnce(await folderEntries(folder, BY_HAND), async (entry) => {
      const path = join(folder, entry.name);
      const isFolder = entry.isSymbolicLink() ? await leadsToFolder(path) : entry.isDirectory();
      return { name: entry.name, path, isFolder };
    });
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
