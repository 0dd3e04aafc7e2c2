import { homedir } from 'node:os';
import { join } from 'node:path';
import type { PluginHome } from '../../agent/plugins/index.ts';
import type { WatchedFiles } from '../file-watch.ts';

const FOLDER = '.midcourse/plugins';

/** @param folders absolute */
export function pluginHomes(folders: readonly string[]): readonly PluginHome[] {
  return [
    { path: join(homedir(), FOLDER), scope: 'user' },
    ...folders.map((folder) => ({ path: join(folder, FOLDER), scope: 'workspace' as const, folder })),
  ];
}

/** All that is in the folders of plugins. */
export function pluginFilesOf(folders: readonly string[]): readonly WatchedFiles[] {
  return [
    { folder: join(homedir(), FOLDER), glob: '**' },
    // From the folder that is there in any case: `.midcourse` may come later.
    ...folders.map((folder) => ({ folder, glob: `${FOLDER}/**` })),
  ];
}
