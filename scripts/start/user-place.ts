import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { tryLock } from '../editor/lock.ts';
import { cacheFolder, repository } from '../editor/places.ts';

/** Where `npm start` keeps its user's settings and sessions from one start to the next. */
export interface UserPlace {
  readonly serverData: string;
  readonly extensions: string;
  /** A new copy of the sample workspace. The copy of the start before stays beside it. */
  freshSample(): Promise<string>;
  release(): Promise<void>;
}

/** The first place that no other `npm start` is using: a second one at the same time gets a place of its own. */
export async function userPlace(): Promise<UserPlace> {
  for (let number = 1; ; number += 1) {
    const folder = path.join(cacheFolder(), number === 1 ? 'start' : `start-${number}`);
    const held = await tryLock(path.join(folder, 'lock'));
    if (!held) continue;
    const extensions = path.join(folder, 'extensions');
    await bringCompanion(extensions);
    return {
      serverData: path.join(folder, 'server'),
      extensions,
      freshSample: () => copySample(path.join(folder, 'ts-starter')),
      release: () => held.release(),
    };
  }
}

async function copySample(folder: string): Promise<string> {
  if (existsSync(folder)) {
    const previous = `${folder}.previous`;
    await rm(previous, { recursive: true, force: true });
    await rename(folder, previous);
  }
  await cp(path.join(repository, 'samples/ts-starter'), folder, { recursive: true });
  return folder;
}

/** The extension that brings the chat to the front when a window opens. */
async function bringCompanion(extensions: string): Promise<void> {
  await mkdir(extensions, { recursive: true });
  const companion = path.join(extensions, 'companion');
  await rm(companion, { recursive: true, force: true });
  await cp(path.join(repository, 'scripts/editor/companion'), companion, { recursive: true });
}
