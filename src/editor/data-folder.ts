import { existsSync } from 'node:fs';
import path from 'node:path';

/** VS Code names the storage of a workspace by a hash, in a browser by a signed one. */
const second = /^(-?[0-9a-f]+)-\d$/;

/**
 * Where the sessions of a workspace are kept: one folder for all windows that have it open.
 *
 * VS Code gives a second window on the same workspace, and one that comes back while the server still keeps the old one's
 * extension host alive, a storage folder with `-1` … `-9` behind its name. Sessions would not be found there.
 *
 * @param storage the folder that VS Code gives this extension for the workspace, in which another folder is the storage's
 */
export function sharedFolder(storage: string): string {
  const workspace = path.dirname(storage);
  const [, name] = second.exec(path.basename(workspace)) ?? [];
  if (name === undefined) return storage;
  const first = path.join(path.dirname(workspace), name);
  return existsSync(first) ? path.join(first, path.basename(storage)) : storage;
}
