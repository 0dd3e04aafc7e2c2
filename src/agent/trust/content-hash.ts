import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fewAtOnce } from '../kernel/few-at-once.ts';
import { breathe } from '../kernel/slices.ts';
import { LoadedFiles, type Unchecked } from './loaded/index.ts';
import type { Consentable } from './types.ts';

/** A file as it was when it was looked at. */
export interface FileContent {
  /** Absolute. */
  readonly path: string;
  /** Its place below the root of what it belongs to; outside of it the absolute path. */
  readonly name: string;
  /** SHA-256 in hex, or what stands for a file that has no bytes to read. */
  readonly bytes: string;
  /** Where a link leads, by its place as `name`; undefined for what is at its own path. */
  readonly link: string | undefined;
  /** Kept for a later diff; undefined for more than 256 KiB, beyond 1 MiB of one thing and for what is not text. */
  readonly text: string | undefined;
}

type Bytes = Omit<FileContent, 'name' | 'link'>;

export interface Content {
  readonly hash: string;
  /** The definition as canonical JSON. */
  readonly definition: string;
  readonly files: readonly FileContent[];
  /** What is loaded and is not among the files. */
  readonly unchecked: readonly Unchecked[];
}

/** Bytes of a file whose text is kept. */
const MOST_TEXT = 256 * 1024;
/** Bytes of all files of one thing whose text is kept: a record of it is read each time that it runs. */
const MOST_TEXTS = 1024 * 1024;

/**
 * Milliseconds that a file must have been left alone before its times say that it is the same: file systems count time
 * in steps, and what is written twice within one step has the same times.
 */
const SETTLED = 2_000;

/**
 * Hashes what consent is given to. Files whose size and times are as before are not read again; the change time counts,
 * which no program can set.
 */
export class ContentHashes {
  readonly #known = new Map<string, { readonly seen: string; readonly content: Bytes }>();
  readonly #loaded = new LoadedFiles();

  /** Reads what is needed and never rejects: a file that is missing or cannot be read is part of the hash as such. */
  async of({ id, definition, files, starts, path, root }: Consentable): Promise<Content> {
    const base = root ?? folderOf(path);
    const loaded = starts ? await this.#loaded.of(id, starts) : { files: [], unchecked: [] };
    await breathe();
    const texts = { left: MOST_TEXTS };
    const links = new Links(base);
    const contents = await fewAtOnce([...new Set([...files, ...loaded.files])].sort(), async (file) => ({
      ...(await this.#file(file, texts)),
      name: nameOf(file, base),
      link: await links.of(file),
    }));
    const text = canonicalJson(definition);
    const hash = createHash('sha256').update(text);
    // Names as seen from the root, so that a second checkout with the same bytes is the same thing.
    for (const { name, bytes, link } of contents) {
      hash.update(`\0${name}\0${bytes}`);
      // The same bytes at another place are not the same: somebody else may write there.
      if (link !== undefined) hash.update(`\0\0${link}`);
    }
    return { hash: hash.digest('hex'), definition: text, files: contents, unchecked: loaded.unchecked };
  }

  /** SHA-256 of one file in hex, or what stands for a file that has no bytes to read. */
  async bytesOf(path: string): Promise<string> {
    return (await this.#file(path, { left: 0 })).bytes;
  }

  async #file(path: string, texts: { left: number }): Promise<Bytes> {
    try {
      const found = await stat(path, { bigint: true });
      // A repository can bring a link to `/dev/zero`, which has no end; reading a pipe waits for ever.
      if (!found.isFile()) return { path, bytes: found.isDirectory() ? 'EISDIR' : 'no file', text: undefined };
      const { size, mtimeNs, ctimeNs, ctimeMs, ino } = found;
      const seen = [size, mtimeNs, ctimeNs, ino].join(' ');
      const known = this.#known.get(path);
      if (known?.seen === seen) {
        if (known.content.text === undefined || size > texts.left) return { ...known.content, text: undefined };
        texts.left -= Number(size);
        return known.content;
      }
      const keepsText = size <= Math.min(MOST_TEXT, texts.left);
      if (keepsText) texts.left -= Number(size);
      const content = await readContent(path, Number(size), keepsText);
      if (Date.now() - Number(ctimeMs) > SETTLED) this.#known.set(path, { seen, content });
      else this.#known.delete(path);
      return content;
    } catch (error) {
      this.#known.delete(path);
      return { path, bytes: (error as NodeJS.ErrnoException).code ?? 'unreadable', text: undefined };
    }
  }
}

async function readContent(path: string, size: number, keepsText: boolean): Promise<Bytes> {
  if (size > MOST_TEXT) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return { path, bytes: hash.digest('hex'), text: undefined };
  }
  const bytes = await readFile(path);
  return { path, bytes: createHash('sha256').update(bytes).digest('hex'), text: keepsText ? textOf(bytes) : undefined };
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // A program, an image: there is nothing to show of it.
    return undefined;
  }
}

/** Where links lead, with one look at each folder. */
class Links {
  readonly #base: string;
  readonly #folders = new Map<string, Promise<string | undefined>>();

  /** @param base the folder whose own place, and the links on the way to it, do not count */
  constructor(base: string) {
    this.#base = base;
  }

  /** Undefined where the path has no link below the base; what is outside of it counts with its own folder. */
  async of(path: string): Promise<string | undefined> {
    const folder = await this.#folder(dirname(path));
    if (folder === undefined) return undefined;
    const isLink = await lstat(path).then(
      (found) => found.isSymbolicLink(),
      () => false,
    );
    // One that leads nowhere is missing, as its bytes say.
    const real = isLink ? await realpath(path).catch(() => undefined) : join(folder, basename(path));
    if (real === undefined) return undefined;
    const base = await this.#folder(this.#base);
    const name = nameOf(path, this.#base);
    if (base === undefined || isAbsolute(name)) return isLink ? real : undefined;
    const realName = nameOf(real, base);
    return realName === name ? undefined : realName;
  }

  #folder(path: string): Promise<string | undefined> {
    const known = this.#folders.get(path) ?? realpath(path).catch(() => undefined);
    this.#folders.set(path, known);
    return known;
  }
}

function nameOf(path: string, base: string): string {
  const name = relative(base, path);
  return name.startsWith('..') || isAbsolute(name) ? path : name.split(sep).join('/');
}

function folderOf(path: string): string {
  return path.replace(/[\\/][^\\/]*$/, '');
}

/** Two spaces, keys in order: the same for the same meaning, and readable in a diff. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value), undefined, 2) ?? 'null';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, of]) => [key, sorted(of)]));
}
