import { readFile, stat } from 'node:fs/promises';
import { fewAtOnce } from '../../kernel/few-at-once.ts';

/** Looks at the file system that one search may take. */
const MOST_LOOKS = 6_000;
/** Bytes of one file that are looked through, which takes a few milliseconds of the host, and of all together. */
const MOST_OF_ONE = 256 * 1024;
const MOST_OF_ALL = 4 * 1024 * 1024;

/** Milliseconds that a file must have been left alone before its times say that it is the same (`ContentHashes`). */
const SETTLED = 2_000;

/**
 * The looks at the file system that a search took, with what each found: while all of them find the same, another
 * search would find the same as well.
 */
export class Probe {
  readonly #seen = new Map<string, string>();
  #settled = true;
  #bytes = 0;
  #isOver = false;

  /** It looked at more than it may: what it found is not all. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async isFile(path: string): Promise<boolean> {
    return (await this.#look(path))?.startsWith('file') ?? false;
  }

  async isFolder(path: string): Promise<boolean> {
    return (await this.#look(path)) === 'folder';
  }

  /** The first of these that is a file. */
  async first(paths: readonly string[]): Promise<string | undefined> {
    for (const path of paths) if (await this.isFile(path)) return path;
    return undefined;
  }

  /** Undefined for what is no file, cannot be read, is too long, or is not text. */
  async text(path: string): Promise<string | undefined> {
    const [, size = ''] = (await this.#look(path))?.split(' ') ?? [];
    if (size === '') return undefined;
    this.#bytes += Number(size);
    if (Number(size) > MOST_OF_ONE || this.#bytes > MOST_OF_ALL) {
      this.#isOver = true;
      return undefined;
    }
    try {
      const bytes = await readFile(path);
      return bytes.includes(0) ? undefined : bytes.toString('utf8');
    } catch {
      // It went away: its hash says so.
      return undefined;
    }
  }

  /** True when all looks find again what they found. */
  async isAsBefore(): Promise<boolean> {
    if (!this.#settled) return false;
    const same = await fewAtOnce([...this.#seen], async ([path, found]) => (await this.#lookNow(path)) === found);
    return !same.includes(false);
  }

  async #look(path: string): Promise<string | undefined> {
    const known = this.#seen.get(path);
    if (known !== undefined) return known;
    if (this.#seen.size >= MOST_LOOKS) {
      this.#isOver = true;
      return undefined;
    }
    const found = await this.#lookNow(path);
    this.#seen.set(path, found);
    return found;
  }

  async #lookNow(path: string): Promise<string> {
    try {
      const found = await stat(path, { bigint: true });
      if (found.isDirectory()) return 'folder';
      if (!found.isFile()) return 'other';
      if (Date.now() - Number(found.ctimeMs) < SETTLED) this.#settled = false;
      return ['file', found.size, found.ino, found.mtimeNs, found.ctimeNs].join(' ');
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? 'unreadable';
    }
  }
}
