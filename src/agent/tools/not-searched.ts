/** What a search that found nothing did not look at: nothing found is no answer without it. */

import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fewAtOnce } from '../kernel/few-at-once.ts';
import { breathe } from '../kernel/slices.ts';
import { ripgrepFiles } from './ripgrep.ts';
import { LARGEST, type SearchScope, walkFiles } from './search-walk.ts';
import { count, failure } from './text-file.ts';

/** Files that are looked at for why they were passed over. */
const MOST_LOOKED = 2_000;
/** Ignored files that are counted. */
const MOST_COUNTED = 10_000;
const MOST_NAMED = 5;
/** Bytes in which a zero makes a file a binary one. */
const BINARY_WITHIN = 8_192;

/** @param shown a path of the scope as it is said @returns sentences without a full stop; empty where all was looked at */
export async function notSearched(
  scope: SearchScope,
  ripgrep: string | undefined,
  shown: (path: string) => string,
): Promise<readonly string[]> {
  const files = await first(list(scope, ripgrep), MOST_LOOKED);
  const reasons = await fewAtOnce(files, (path) => whyNot(join(scope.folder, path)));
  const said = (why: string, words: (many: string) => string): readonly string[] => {
    const names = files.filter((_, at) => reasons[at] === why);
    if (names.length === 0) return [];
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    return [`${words(count(names.length, 'file'))}: ${names.slice(0, MOST_NAMED).map(shown).join(', ')}${more}`];
  };
  return [
    ...said('large', (many) => `${many} of more than ${LARGEST / 1024 / 1024} MB`),
    ...said('binary', (many) => `${many} that are no text`),
    ...said('unreadable', (many) => `${many} that cannot be read`),
    ...(await ignoredFiles(scope, ripgrep)),
  ];
}

/** How many files git's rules leave out. */
export async function ignoredFiles(scope: SearchScope, ripgrep: string | undefined): Promise<readonly string[]> {
  if (scope.ignored || scope.file !== undefined) return [];
  const known = new Set(await first(list(scope, ripgrep), MOST_COUNTED));
  const all = await first(list({ ...scope, ignored: true }, ripgrep), MOST_COUNTED + known.size);
  const ignored = all.filter((path) => !known.has(path)).length;
  if (ignored === 0) return [];
  const many = ignored >= MOST_COUNTED ? `more than ${MOST_COUNTED} files` : count(ignored, 'file');
  return [`${many} that git ignores (include_ignored searches them)`];
}

function list(scope: SearchScope, ripgrep: string | undefined): AsyncGenerator<string> {
  return ripgrep ? ripgrepFiles(ripgrep, scope, { sorted: false }) : walkFiles(scope);
}

async function first(paths: AsyncGenerator<string>, most: number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const path of paths) {
    found.push(path);
    if (found.length >= most) break;
    await breathe();
  }
  return found;
}

async function whyNot(path: string): Promise<'large' | 'binary' | 'unreadable' | undefined> {
  try {
    const { size } = await stat(path);
    if (size > LARGEST) return 'large';
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, BINARY_WITHIN)), 0);
    const bytes = buffer.subarray(0, bytesRead);
    const isWide = /^(\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2));
    return bytes.includes(0) && !isWide ? 'binary' : undefined;
  } catch (error) {
    return failure(error) === 'it does not exist' ? undefined : 'unreadable';
  }
}
