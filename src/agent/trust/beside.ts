import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import * as z from 'zod';
import { fewAtOnce } from '../kernel/few-at-once.ts';
import { folderEntries } from '../kernel/folder-entries.ts';
import type { Content } from './content-hash.ts';
import type { BesideChange, Consentable } from './types.ts';

/** A file beside a script, as it was when consent was given. */
export const besideSchema = z.object({
  /** Below the root, with `/`, or absolute. */
  name: z.string(),
  size: z.number(),
  /** Milliseconds since the epoch. */
  mtime: z.number(),
  /** SHA-256 in hex; absent for a long file. */
  bytes: z.string().exactOptional(),
});

export type BesideFile = z.infer<typeof besideSchema>;

/** Folders and files that are looked at; what is beyond is neither kept nor told of. */
const MOST_FOLDERS = 24;
const MOST_FILES = 1_000;
/** Folders below one that the command names. */
const DEEPEST = 3;
/** Bytes of a file whose content is compared; of a longer one the time is. */
const MOST_BYTES = 256 * 1024;

/** Where neither a person nor a script keeps its own files. */
const PASSED_OVER = /^(?:node_modules|\.git|\.hg|\.svn|__pycache__|\.venv|venv)$/;

/** The hash of a file; the store's own, which reads it again only when it changed. */
export type BytesOf = (path: string) => Promise<string>;

/** The files beside those that count, to be kept with the consent. */
export async function besideNow(of: Consentable, content: Content, bytesOf: BytesOf): Promise<readonly BesideFile[]> {
  if (content.unchecked.length === 0) return [];
  const found = await filesBeside(of, content);
  return await fewAtOnce([...found], async ([path, { size, mtimeMs }]) => {
    const file = { name: nameOf(path, of), size: Number(size), mtime: Number(mtimeMs) };
    return size > MOST_BYTES ? file : { ...file, bytes: await bytesOf(path) };
  });
}

/** What of that is not the same any more. */
export async function besideChanges(
  of: Consentable,
  content: Content,
  before: readonly BesideFile[],
  bytesOf: BytesOf,
): Promise<readonly BesideChange[]> {
  if (content.unchecked.length === 0) return [];
  const found = await filesBeside(of, content);
  const known = new Map(before.map((file) => [pathOf(file.name, of), file]));
  const changes = await fewAtOnce([...found], async ([path, now]): Promise<readonly BesideChange[]> => {
    const was = known.get(path);
    if (!was) return [{ path, how: 'added' }];
    if (was.size === Number(now.size) && was.mtime === Number(now.mtimeMs)) return [];
    // A checkout writes the same bytes anew.
    const isSame = was.size === Number(now.size) && was.bytes !== undefined && (await bytesOf(path)) === was.bytes;
    return isSame ? [] : [{ path, how: 'changed' }];
  });
  // What counts by now is told of as a change of the thing itself.
  const counts = new Set(content.files.map(({ path }) => path));
  const removed = [...known.keys()].filter((path) => !found.has(path) && !counts.has(path));
  return [...changes.flat(), ...removed.map((path) => ({ path, how: 'removed' as const }))];
}

async function filesBeside(of: Consentable, content: Content): Promise<ReadonlyMap<string, BigIntStats>> {
  const counts = new Set(content.files.map(({ path }) => path));
  const paths: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    for (const entry of await folderEntries(folder).catch(() => [])) {
      if (paths.length >= MOST_FILES) return;
      const path = join(folder, entry.name);
      if (entry.isFile() && !counts.has(path)) paths.push(path);
      if (entry.isDirectory() && depth > 0 && !PASSED_OVER.test(entry.name)) await visit(path, depth - 1);
    }
  };
  const named = content.unchecked.flatMap(({ folders = [] }) => folders);
  for (const folder of foldersOf(of, content)) await visit(folder, named.includes(folder) ? DEEPEST : 0);
  const stats = await fewAtOnce(paths.sort(), async (path) => {
    // It may have gone in between.
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    return found === undefined ? [] : [[path, found] as const];
  });
  return new Map(stats.flat());
}

/** Of the scripts that count, those that the command names; the one that it runs in where it names none. */
function foldersOf(of: Consentable, content: Content): readonly string[] {
  const scripts = content.files
    .map(({ path }) => dirname(path))
    .filter((folder) => !folder.split(sep).includes('node_modules'));
  const named = content.unchecked.flatMap(({ folders = [] }) => folders);
  const all = [...new Set([...scripts, ...named])];
  return (all.length > 0 ? all : [of.starts?.place.cwd ?? dirname(of.path)]).slice(0, MOST_FOLDERS);
}

function nameOf(path: string, { root }: Consentable): string {
  const name = root === undefined ? path : relative(root, path);
  return name.startsWith('..') ? path : name.split(sep).join('/');
}

function pathOf(name: string, { root }: Consentable): string {
  return root === undefined || name.startsWith('/') || /^[A-Za-z]:/.test(name) ? name : join(root, name);
}
