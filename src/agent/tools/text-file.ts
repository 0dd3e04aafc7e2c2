/**
 * Text files as tools see them: decoded, with what has to survive an edit kept beside the text.
 */

import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type DecodedText, decode, type NamedEncoding } from './text-encoding.ts';

export type Unreadable = { readonly reason: 'missing' | 'directory' | 'binary' | 'other'; readonly why: string };

/** Larger files are not loaded. */
const LARGEST_MB = 20;

/**
 * Reads a file as text, or says why not. Never rejects.
 *
 * @param named the encoding that settings give it; undefined for UTF-8
 */
export async function readTextFile(path: string, named?: NamedEncoding): Promise<DecodedText | Unreadable> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return { reason: 'directory', why: 'it is a folder; list_files shows what is in it' };
    if (!stats.isFile()) return { reason: 'other', why: 'it is a device, pipe or socket, not a file' };
    if (stats.size > LARGEST_MB * 1024 * 1024) {
      const size = Math.round(stats.size / 1024 / 1024);
      return {
        reason: 'other',
        why: `it has ${size} MB, more than the ${LARGEST_MB} MB that are read; search_files or a command can look into it`,
      };
    }
    return (await decode(await readFile(path), named)) ?? { reason: 'binary', why: 'it is a binary file' };
  } catch (error) {
    return { reason: codeOf(error) === 'ENOENT' ? 'missing' : 'other', why: failure(error) };
  }
}

export function isReadable(file: DecodedText | Unreadable): file is DecodedText {
  return 'text' in file;
}

/** The line end that most lines have; `\n` for a text without any. */
export function lineEnd(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1;
  const crlf = text.split('\r\n').length - 1;
  return crlf > all - crlf ? '\r\n' : '\n';
}

/** Lines without their ends; a final line end does not start another line. */
export function splitLines(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** `1 line`, `2 lines`. */
export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/**
 * Writes all of the file or nothing: into a file beside it that then takes its place, with the same access rights.
 * A file with several names (hard links) is written in place, so that they stay one file. Rejects with a system error.
 */
export async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const before = await stat(path).catch(() => undefined);
  if (before && before.nlink > 1) return await writeFile(path, bytes);
  // Renaming needs no right to the file itself: a read-only file would be replaced without this.
  if (before) await (await open(path, 'r+')).close();
  const beside = join(dirname(path), `.${basename(path).slice(0, 60)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    await writeFile(beside, bytes, { flag: 'wx' });
    if (before) await chmod(beside, before.mode & 0o7777);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** A system error in words. */
export function failure(error: unknown): string {
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'it does not exist',
    EACCES: 'access is not allowed',
    EPERM: 'access is not allowed',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    ENOTDIR: 'a part of its path is a file, not a folder',
    EISDIR: 'it is a folder',
    EBUSY: 'another program is using it',
    ENAMETOOLONG: 'its name is too long',
    ELOOP: 'its symbolic links run in a circle',
  };
  const code = codeOf(error);
  return (code && words[code]) ?? (error instanceof Error ? error.message : String(error));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
