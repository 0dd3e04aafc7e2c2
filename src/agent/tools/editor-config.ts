/** What `.editorconfig` says of one file (https://spec.editorconfig.org): line end and encoding, nothing else. */

import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { globOf, surelyFits } from '../kernel/patterns/index.ts';
import { isInside } from '../safety/index.ts';

export interface EditorConfig {
  readonly lineEnd?: '\n' | '\r\n';
  /** As it stands there, in lower case: `latin1`, `utf-8-bom`. */
  readonly charset?: string;
}

/** Characters of one file that are read; a longer one is no settings file. */
const LONGEST = 64 * 1024;

/**
 * The nearest file wins, up to one with `root = true` or the workspace folder.
 *
 * @param path absolute
 * @param folders of the workspace
 */
export async function editorConfig(path: string, folders: readonly string[]): Promise<EditorConfig> {
  const found = new Map<string, string>();
  const top = folders.find((folder) => isInside(path, folder));
  if (top === undefined) return {};
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const text = await readFile(join(folder, '.editorconfig'), 'utf8').catch(() => '');
    const { isRoot, values } = await read(text.slice(0, LONGEST), relative(folder, path).split(sep).join('/'));
    for (const [key, value] of values) if (!found.has(key)) found.set(key, value);
    if (isRoot || folder === top || folder === dirname(folder)) break;
  }
  const end = found.get('end_of_line');
  const charset = found.get('charset');
  return {
    ...(end === 'lf' || end === 'crlf' ? { lineEnd: end === 'lf' ? '\n' : '\r\n' } : {}),
    ...(charset === undefined || charset === 'unset' ? {} : { charset }),
  };
}

/** Later lines win within a file. */
async function read(text: string, path: string): Promise<{ isRoot: boolean; values: ReadonlyMap<string, string> }> {
  const values = new Map<string, string>();
  let isRoot = false;
  let fits: boolean | undefined;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[(.+)\]\s*$/.exec(line);
    if (section) {
      fits = await isFor(section[1] ?? '', path);
      continue;
    }
    const [, key = '', value = ''] = /^\s*([^=#;\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === '') continue;
    if (fits === undefined) isRoot ||= key.toLowerCase() === 'root' && value.toLowerCase() === 'true';
    else if (fits) values.set(key.toLowerCase(), value.toLowerCase());
  }
  return { isRoot, values };
}

/** A section without a slash is for files of that name at any depth. */
async function isFor(section: string, path: string): Promise<boolean> {
  // There `**` reaches into folders also beside other characters: `lib/**.js`.
  const whole = section.replace(/(^|\/)\*\*(?=[^/])/g, '$1**/*');
  const glob = whole.includes('/') ? whole.replace(/^\//, '') : `**/${whole}`;
  return surelyFits(await globOf(glob).test(path));
}
