/**
 * Text files as tools see them: decoded, with what has to survive an edit kept beside the text.
 */

import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export type Encoding = 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be';

export interface TextFile {
  /** Without byte-order mark, line ends as they are. */
  readonly text: string;
  readonly encoding: Encoding;
  /** False when bytes did not fit the encoding: writing the text back would damage the file. */
  readonly faithful: boolean;
}

export type Unreadable = { readonly reason: 'missing' | 'directory' | 'other'; readonly why: string };

/** Larger files are not loaded. */
const LARGEST_MB = 20;

/** Reads a file as text, or says why not. Never rejects. */
export async function readTextFile(path: string): Promise<TextFile | Unreadable> {
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
    return decode(await readFile(path));
  } catch (error) {
    return { reason: codeOf(error) === 'ENOENT' ? 'missing' : 'other', why: failure(error) };
  }
}

export function isReadable(file: TextFile | Unreadable): file is TextFile {
  return 'text' in file;
}

export function decode(bytes: Uint8Array): TextFile | Unreadable {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', 'utf16le', bytes.subarray(2));
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', 'utf16be', bytes.subarray(2));
  if (first === 0xef && second === 0xbb && third === 0xbf) return decodeAs('utf-8', 'utf8-bom', bytes.subarray(3));
  if (bytes.subarray(0, 8192).includes(0)) return { reason: 'other', why: 'it is a binary file' };
  return decodeAs('utf-8', 'utf8', bytes);
}

function decodeAs(label: string, encoding: Encoding, bytes: Uint8Array): TextFile {
  try {
    return { text: new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(bytes), encoding, faithful: true };
  } catch {
    // Not thrown on purpose: a file in an old encoding can be read, with replacement characters, but not written.
    return { text: new TextDecoder(label, { ignoreBOM: true }).decode(bytes), encoding, faithful: false };
  }
}

export function encode(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text);
    case 'utf8-bom':
      return Buffer.from(`\ufeff${text}`);
    case 'utf16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    default:
      return encoding satisfies never;
  }
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
