import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes the lock file, or answers undefined while a living process has it.
 * The lock of a process that is gone (its number is inside) is taken over.
 */
export async function tryLock(file: string): Promise<Lock | undefined> {
  await mkdir(path.dirname(file), { recursive: true });
  for (;;) {
    if (await create(file)) return { release: () => rm(file, { force: true }) };
    const owner = await ownerOf(file);
    if (owner === undefined) continue;
    if (isAlive(owner)) return undefined;
    await takeAway(file);
  }
}

/** Waits until the lock is free; `onWait` is told once who has it. */
export async function lock(file: string, onWait: (owner: number | undefined) => void): Promise<Lock> {
  for (let waited = false; ; waited = true) {
    const taken = await tryLock(file);
    if (taken) return taken;
    if (!waited) onWait(await ownerOf(file));
    await delay(500);
  }
}

/** By a link to a finished file, so that nobody ever sees a lock without its number. */
async function create(file: string): Promise<boolean> {
  const mine = `${file}.${process.pid}`;
  await writeFile(mine, String(process.pid));
  try {
    await link(mine, file);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(mine, { force: true });
  }
}

/** undefined: the lock was released meanwhile. */
async function ownerOf(file: string): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(file, 'utf8'), 10);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Of two that find the same dead owner, the slower may move the quicker one's new lock: it puts that back. */
async function takeAway(file: string): Promise<void> {
  const aside = `${file}.${process.pid}.aside`;
  try {
    await rename(file, aside);
    const owner = await ownerOf(aside);
    if (owner !== undefined && isAlive(owner)) await link(aside, file);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, as somebody else's.
    return !isCode(error, 'ESRCH');
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
