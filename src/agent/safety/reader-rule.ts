/**
 * Programs that only show what they read, with options that only choose what is shown. Their files have to lie inside of
 * the workspace and hold no secrets, by their real paths.
 */

import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { resolveInside } from './paths.ts';
import { secretFile } from './secret-file.ts';

export interface Reader {
  /** Words of it that may be paths, as they are written. */
  readonly files: readonly string[];
  /** It prints the content of files, not only their names. */
  readonly content: boolean;
}

/** Undefined for other programs, and for options that are not known. @param piped it reads what another one prints */
export function readerOf([program = '', ...args]: readonly string[], piped: boolean): Reader | undefined {
  const row = READERS.get(program);
  if (!row) return undefined;
  const files = args.filter((arg) => !arg.startsWith('-') || arg === '-');
  if (!args.filter((arg) => arg.startsWith('-') && arg !== '-').every((arg) => row.options?.test(arg)))
    return undefined;
  if (files.length > (row.most ?? 100)) return undefined;
  // The first operand is a pattern, a script or a set of characters.
  const [first, ...rest] = files;
  if (row.script && !row.script.test(first ?? '')) return undefined;
  const paths = row.text === 'all' ? [] : row.text === 'first' ? rest : files;
  // Without a file ripgrep searches the folder, and what may not be read lies in there.
  if (row.searches && paths.length === 0 && !piped) return undefined;
  return { files: paths.filter((path) => path !== '-'), content: row.content ?? false };
}

/** By the real paths. `elsewhere`: outside of the workspace, or a folder whose content would be read. Never rejects. */
export async function whatIsRead(
  { files, content }: Reader,
  { cwd, folders }: { readonly cwd: string; readonly folders: readonly string[] },
): Promise<'plain files' | 'secrets' | 'elsewhere'> {
  for (const file of files) {
    const found = await resolveInside(resolve(cwd, file), folders);
    if (!found.ok) return 'elsewhere';
    if ((await secretFile(file, found)) !== undefined) return 'secrets';
    if (content && (await stat(found.path).catch(() => undefined))?.isDirectory()) return 'elsewhere';
  }
  return 'plain files';
}

interface Row {
  readonly options?: RegExp;
  readonly content?: boolean;
  /** Operands that are no paths. */
  readonly text?: 'first' | 'all';
  /** What the first operand has to be. */
  readonly script?: RegExp;
  readonly most?: number;
  readonly searches?: boolean;
}

const GREP = /^-[nilLcvwxHhoEFisq]+$|^-[ABCm]\d{1,5}$|^--(color=never|line-number|ignore-case|count|fixed-strings)$/;

const READERS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['ls', { options: /^-[laAh1tSrRFpd]+$/ }],
  ['pwd', { most: 0 }],
  ['whoami', { most: 0 }],
  ['true', { most: 0 }],
  ['date', { text: 'all', script: /^(\+[\w%:. -]*)?$/, most: 1 }],
  ['echo', { options: /^-[neE]+$|^-{2,}$/, text: 'all' }],
  ['basename', { text: 'all' }],
  ['dirname', { text: 'all' }],
  ['du', { options: /^-[shckd\d]+$/ }],
  ['stat', {}],
  ['file', { options: /^-b$/ }],
  ['cat', { options: /^-[nbsAET]+$/, content: true }],
  ['head', { options: /^-([nc]?\d{1,7}|[ncqv])$/, content: true }],
  ['tail', { options: /^-([nc]?\d{1,7}|[ncqv])$/, content: true }],
  ['wc', { options: /^-[lwcmL]+$/, content: true }],
  ['nl', { options: /^-[ba]{1,2}$/, content: true }],
  ['tac', { content: true }],
  ['cut', { options: /^-[dfc][\d,-]*$|^-d.$/, content: true }],
  ['sort', { options: /^-[nruhVfbs]+$|^-k\d[\d,nr.]*$/, content: true }],
  // A second operand of uniq is written.
  ['uniq', { options: /^-[cdui]+$/, content: true, most: 1 }],
  ['tr', { options: /^-[dsc]+$/, text: 'all' }],
  ['grep', { options: GREP, content: true, text: 'first' }],
  ['rg', { options: GREP, content: true, text: 'first', searches: true }],
  ['sed', { options: /^-n$/, content: true, text: 'first', script: /^\d{1,7}(,(\d{1,7}|\$))?p$/ }],
]);
