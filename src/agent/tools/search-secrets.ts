/**
 * Files with secrets are no part of a search: what a search says of them (also only how many fit) would let their
 * content be asked for letter by letter. So they are found by name first, and not opened.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { identity, placesAbove, secretKind, secretsWithSeveralNames } from '../safety/index.ts';
import { ripgrepFiles } from './ripgrep.ts';
import { type SearchScope, walkFiles } from './search-walk.ts';

/** With more of them than fit on a command line ripgrep is not used. */
const MOST_EXCLUDED_CHARACTERS = 60_000;

export interface SecretsInScope {
  /** From the scope's folder, with `/`. */
  readonly files: ReadonlySet<string>;
  /** False when ripgrep cannot be told to leave out all of them. */
  readonly fitsRipgrep: boolean;
}

/**
 * The files with secrets in the scope.
 *
 * @param workspaceFolder the one that the scope lies in
 */
export async function secretsInScope(
  scope: SearchScope,
  workspaceFolder: string,
  ripgrep: string | undefined,
): Promise<SecretsInScope> {
  const files = new Set<string>();
  const others: string[] = [];
  for await (const path of ripgrep ? ripgrepFiles(ripgrep, scope, { sorted: false }) : walkFiles(scope)) {
    if (secretKind(join(scope.folder, path)) === undefined) others.push(path);
    else files.add(path);
  }
  const folders = [
    ...placesAbove(scope.folder, workspaceFolder),
    ...[...files].map((path) => join(scope.folder, path, '..')),
  ];
  const twins = await secretsWithSeveralNames(folders);
  if (twins.size > 0) {
    for (const path of others) {
      const stats = await stat(join(scope.folder, path)).catch(() => undefined);
      if (stats && twins.has(identity(stats))) files.add(path);
    }
  }
  const characters = [...files].reduce((sum, path) => sum + path.length + 12, 0);
  return { files, fitsRipgrep: characters <= MOST_EXCLUDED_CHARACTERS };
}
