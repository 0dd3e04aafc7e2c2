/**
 * Where tools may read and write: inside the workspace folders, by real path, so that no symbolic link leads out.
 */

import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isInside } from './inside.ts';
import { behindRootName, rootOf, shownPath } from './roots.ts';

export { isInside };

export type ResolvedPath =
  | {
      readonly ok: true;
      /** Absolute, with all links resolved. */
      readonly path: string;
      /** The workspace folder it lies in. */
      readonly folder: string;
      /** From that folder, with `/`; empty for the folder itself. */
      readonly relative: string;
      /** As people and models are shown it: with the name of its root first where there are several. */
      readonly shown: string;
      readonly exists: boolean;
    }
  | { readonly ok: false; readonly why: string };

/**
 * Resolves what the model wrote. With several folders a relative path begins with the name of one (`roots.ts`); without
 * it, it has to lead to one file only: where two folders have it, and where a new file could be in any, it is refused with
 * the names that are meant. Never rejects.
 *
 * @param folders absolute real paths
 */
export async function resolveInside(input: string, folders: readonly string[]): Promise<ResolvedPath> {
  const [first] = folders;
  if (first === undefined) {
    return refused(`No workspace folder is open, so there are no files to work on. Ask the user to open a folder.`);
  }
  const problem = pathProblem(input, process.platform);
  if (problem) return refused(`"${shown(input)}" is not a path that can be used: ${problem}`);
  if (isAbsolute(input)) return await resolveAbsolute(resolve(input), input, folders);
  const named = behindRootName(input, folders);
  const byName = named === undefined ? undefined : await resolveAbsolute(named, input, folders);
  if (byName?.ok && byName.exists) return byName;
  const candidates = await Promise.all(
    folders.map((folder) => resolveAbsolute(resolve(folder, input), input, folders)),
  );
  const there = distinct(candidates.filter((one) => one.ok && one.exists));
  if (there.length > 1) return doubtful(input, there);
  if (there[0] !== undefined) return there[0];
  if (byName !== undefined) return byName;
  const possible = distinct(candidates.filter((one) => one.ok));
  if (possible.length < 2) return possible[0] ?? candidates[0] ?? refused('There is no folder.');
  // A new file belongs where its folder is.
  const beside = await Promise.all(possible.map((one) => isThere(dirname(one.path))));
  const likely = input.includes('/') ? possible.filter((_, at) => beside[at]) : [];
  return likely.length === 1 && likely[0] ? likely[0] : doubtful(input, possible);
}

type Found = Extract<ResolvedPath, { readonly ok: true }>;

function distinct(found: readonly ResolvedPath[]): readonly Found[] {
  return [...new Map(found.flatMap((one) => (one.ok ? [[one.path, one] as const] : []))).values()];
}

function doubtful(input: string, candidates: readonly Found[]): ResolvedPath {
  const names = candidates.map(({ shown: name }) => name).join(', ');
  return refused(
    `"${shown(input)}" could be any of these: ${names}. Write the path with the name of its folder first.`,
  );
}

async function isThere(path: string): Promise<boolean> {
  return (await orUndefined(lstat(path))) !== undefined;
}

/** Why a path is refused for its spelling alone, or undefined. */
export function pathProblem(path: string, platform: NodeJS.Platform): string | undefined {
  if (path.trim() === '') return 'it is empty.';
  if (path.includes('\0')) return 'it holds a NUL character.';
  if (path === '~' || path.startsWith('~/')) return '~ is not expanded. Use a path inside the workspace.';
  return platform === 'win32' ? windowsProblem(path) : undefined;
}

function windowsProblem(path: string): string | undefined {
  if (/^[\\/]{2}[?.][\\/]/.test(path)) return 'device paths are not allowed.';
  const segments = path.replace(/^[a-z]:/i, '').split(/[\\/]/);
  for (const segment of segments) {
    if (segment.includes(':')) return 'it names an alternate data stream.';
    if (/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i.test(segment))
      return `${segment} is a device.`;
    if (segment !== '.' && segment !== '..' && /[. ]$/.test(segment)) return 'a name ends in a dot or a space.';
    if (/~\d/.test(segment)) return 'short (8.3) names are not allowed. Use the long name.';
  }
  return undefined;
}

async function resolveAbsolute(path: string, input: string, folders: readonly string[]): Promise<ResolvedPath> {
  const real = await realPath(path);
  if (real === undefined) {
    return refused(`"${shown(input)}" goes through a symbolic link that leads nowhere, or cannot be looked up.`);
  }
  const folder = rootOf(real.path, folders)?.path;
  if (folder === undefined) {
    const link = folders.some((one) => isInside(path, one)) ? ' It is a symbolic link that leads out of it.' : '';
    return refused(`"${shown(input)}" is outside of the workspace (${folders.join(', ')}).${link}`);
  }
  const inside = relative(folder, real.path).split(sep).join('/');
  return { ok: true, folder, ...real, relative: inside, shown: shownPath(real.path, folders) };
}

/** The real path; of a file that does not exist yet, that of its nearest existing parent with the rest appended. */
async function realPath(path: string): Promise<{ path: string; exists: boolean } | undefined> {
  const rest: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const [real, exists] = await Promise.all([orUndefined(realpath(at)), orUndefined(lstat(at))]);
    if (real !== undefined) return { path: join(real, ...rest), exists: rest.length === 0 };
    // A link without a target: writing "into" it would create a file wherever it points.
    if (exists !== undefined || dirname(at) === at) return undefined;
    rest.unshift(basename(at));
  }
}

function refused(why: string): ResolvedPath {
  return { ok: false, why };
}

function shown(path: string): string {
  return path.replaceAll('\0', '\\0').slice(0, 300);
}

/** Not there and not allowed to look are the same for the caller: the path does not resolve. */
async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  return await promise.then(
    (value) => value,
    () => undefined,
  );
}
