import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The file is not the one that was allowed any more. Nothing was written. */
export class ChangedSince extends Error {
  constructor() {
    super('it changed since this edit was allowed');
  }
}

/**
 * Writes all of the file or nothing, and only where it was allowed: the folder is held open and has to be the real one of
 * the path, the file no link, and its bytes those that the edit was made of. On Linux the write goes through the held
 * folder, so that a folder that becomes a link in between leads nowhere else; elsewhere the path is checked once more.
 * A file is written in place where another one in its place would change more than bytes, or cannot be put there: one with
 * several names (hard links), of another owner, in a folder that takes no new files, mounted by itself.
 *
 * @param path absolute real path
 * @param before the bytes that the file has to have; undefined for a file that must not exist yet
 * @throws ChangedSince, or a system error
 */
export async function writeApproved(path: string, before: Uint8Array | undefined, after: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const name = basename(path);
  await mkdir(folder, { recursive: true });
  if (process.platform !== 'linux') {
    const check = () => isItself(folder, folder);
    return await writeIn(folder, name, { before, after, check });
  }
  const held = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const through = `/proc/self/fd/${held.fd}`;
    await isItself(through, folder);
    await writeIn(through, name, { before, after, check: () => isItself(through, folder) });
  } finally {
    await held.close();
  }
}

interface Write {
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
  /** Rejects when the folder is another one. */
  check(): Promise<void>;
}

async function writeIn(folder: string, name: string, { before, after, check }: Write): Promise<void> {
  const path = join(folder, name);
  const stats = await lstat(path).catch(absent);
  if ((stats === undefined) !== (before === undefined) || (stats && !stats.isFile())) throw new ChangedSince();
  if (!stats || !before) return void (await replace(path, undefined, { after, check }));
  // Renaming needs no right to the file itself: a read-only file would be replaced without this.
  await using file = await open(path, constants.O_RDWR | noFollow);
  const now = await file.readFile();
  if (!now.equals(before)) throw new ChangedSince();
  if (stats.nlink === 1 && (await isReplaced(path, stats, { after, check }))) return;
  await check();
  await overwrite(file, before, after);
}

type Draft = Pick<Write, 'after' | 'check'>;

/** False where the file has to be written in place; nothing was changed then. */
async function isReplaced(path: string, stats: Stats, draft: Draft): Promise<boolean> {
  try {
    return await replace(path, stats, draft);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code === 'string' && NO_REPLACING.has(code)) return false;
    throw error;
  }
}

/** No right to the folder; mounted by itself; a file system of its own. */
const NO_REPLACING: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV', 'ETXTBSY']);

/** @returns false where the new file would belong to somebody else than the old one */
async function replace(path: string, old: Stats | undefined, { after, check }: Draft): Promise<boolean> {
  const beside = join(dirname(path), `.${basename(path).slice(0, 60)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await using draft = await open(beside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, 0o666);
    const own = await draft.stat();
    const isOurs = old === undefined || (own.uid === old.uid && own.gid === old.gid);
    if (isOurs) {
      await draft.writeFile(after);
      if (old) await draft.chmod(old.mode & 0o7777);
      await check();
      await rename(beside, path);
      return true;
    }
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await rm(beside, { force: true });
  return false;
}

/** Over the old bytes, which come back when that fails: a full disk must not leave half of a file. */
async function overwrite(file: FileHandle, before: Uint8Array, after: Uint8Array): Promise<void> {
  try {
    await writeAll(file, after);
  } catch (error) {
    await writeAll(file, before).catch(() => undefined);
    throw error;
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
  await file.truncate(bytes.length);
}

const noFollow = constants.O_NOFOLLOW ?? 0;

async function isItself(at: string, folder: string): Promise<void> {
  if ((await realpath(at)) !== folder) throw new ChangedSince();
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
