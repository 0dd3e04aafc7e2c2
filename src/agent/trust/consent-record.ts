import { createHash, createHmac, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { besideSchema } from './beside.ts';

const recordSchema = z.object({
  schema: z.literal(2),
  id: z.string(),
  hash: z.string(),
  /** Milliseconds since the epoch. */
  allowedAt: z.number(),
  definition: z.string(),
  files: z.array(
    z.object({
      name: z.string(),
      bytes: z.string(),
      link: z.string().exactOptional(),
      text: z.string().exactOptional(),
    }),
  ),
  beside: z.array(besideSchema),
  /** HMAC-SHA-256 of all the rest, in hex, with the key of this user's editor. */
  seal: z.string(),
});

/** What was allowed, with the texts that a later diff starts from. */
export type ConsentRecord = Omit<z.infer<typeof recordSchema>, 'schema' | 'seal'>;

/**
 * The key of the seals: a text that only the editor's secret storage holds, so that a program which can write files does
 * not allow itself what a person did not.
 */
export type SealKey = () => Promise<string>;

/** Versions of one thing that stay allowed, so that another branch or worktree is not asked about each time. */
const MOST_VERSIONS = 8;

/**
 * Consents on disk: one file for each thing and version, so that two windows which answer at the same time write two
 * files. A file is readable for its user only, and is there as a whole or not at all.
 */
export class ConsentRecords {
  readonly #folder: string;
  readonly #sealKey: SealKey;
  /** Records that were read and found to be what they are called. */
  readonly #read = new Map<string, string>();

  constructor(folder: string, sealKey: SealKey) {
    this.#folder = folder;
    this.#sealKey = sealKey;
  }

  async has(id: string, hash: string): Promise<boolean> {
    const key = await this.#sealKey();
    const path = join(this.#folder, fileName(id, hash, key));
    const stamp = await stampOf(path);
    if (stamp === undefined) return false;
    // It is asked before each run; a record is replaced by another file, never written again.
    if (this.#read.get(path) === `${stamp} ${hash}`) return true;
    const record = await read(path, key);
    const is = record?.id === id && record.hash === hash;
    if (is) this.#read.set(path, `${stamp} ${hash}`);
    return is;
  }

  /** What is kept of exactly that; undefined when it was not given. */
  async find(id: string, hash: string): Promise<ConsentRecord | undefined> {
    const key = await this.#sealKey();
    const record = await read(join(this.#folder, fileName(id, hash, key)), key);
    return record?.id === id && record.hash === hash ? record : undefined;
  }

  /** Newest first; what cannot be read counts as not given. */
  async of(id: string): Promise<readonly ConsentRecord[]> {
    const key = await this.#sealKey();
    const names = (await this.#names(id)).filter((name) => name.endsWith(ending(key)));
    const records = await Promise.all(names.map((name) => read(join(this.#folder, name), key)));
    return records
      .filter((record) => record !== undefined)
      .filter((record) => record.id === id)
      .sort((one, other) => other.allowedAt - one.allowedAt);
  }

  /** @throws (rejects) when it cannot be written; nothing is allowed then */
  async add(record: ConsentRecord): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const key = await this.#sealKey();
    const all = { schema: 2 as const, ...record };
    const sealed = { ...all, seal: sealOf(all, key) };
    const draft = join(this.#folder, `.${randomUUID()}`);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(sealed, undefined, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, join(this.#folder, fileName(record.id, record.hash, key)));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    const old = (await this.of(record.id)).slice(MOST_VERSIONS);
    await Promise.all(old.map(({ id, hash }) => rm(join(this.#folder, fileName(id, hash, key)), { force: true })));
  }

  async remove(id: string): Promise<void> {
    await Promise.all((await this.#names(id)).map((name) => rm(join(this.#folder, name), { force: true })));
  }

  async #names(id: string): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => name.startsWith(`${short(id)}.`));
  }
}

function fileName(id: string, hash: string, key: string): string {
  return `${short(id)}.${hash.slice(0, 32)}${ending(key)}`;
}

/** One user's editors may have different secrets, such as two browsers: each has files of its own. */
function ending(key: string): string {
  return `.${createHash('sha256').update(key).digest('hex').slice(0, 8)}.json`;
}

/** Of the fields in the order of the schema, whatever the order of the file. */
function sealOf(record: Omit<z.infer<typeof recordSchema>, 'seal'>, key: string): string {
  const { schema, id, hash, allowedAt, definition, files, beside } = record;
  const fields = [
    [schema, id, hash, allowedAt, definition],
    files.map(({ name, bytes, link = null, text = null }) => [name, bytes, link, text]),
    beside.map(({ name, size, mtime, bytes = null }) => [name, size, mtime, bytes]),
  ];
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('hex');
}

function short(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 32);
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { size, ino, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [size, ino, mtimeNs, ctimeNs].join(' ');
  } catch {
    // Not given, or taken back.
    return undefined;
  }
}

async function read(path: string, key: string): Promise<ConsentRecord | undefined> {
  try {
    const record = recordSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    return record.seal === sealOf(record, key) ? record : undefined;
  } catch {
    // Missing, or written by something else: no consent either way, and the user is asked again.
    return undefined;
  }
}
