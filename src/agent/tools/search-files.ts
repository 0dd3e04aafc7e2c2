import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { breathe } from '../kernel/slices.ts';
import { type ResolvedPath, resolveInside, secretKind } from '../safety/index.ts';
import { FOLDER_NAMES, type OtherNames } from './argument-names.ts';
import type { AskedSecrets } from './asked-secrets.ts';
import { firstOf } from './cut-text.ts';
import { ignoredFiles, notSearched } from './not-searched.ts';
import { findRipgrep, ripgrepFiles, ripgrepLines } from './ripgrep.ts';
import { globsOf } from './search-globs.ts';
import { secretsInScope } from './search-secrets.ts';
import {
  anyGlob,
  type FoundLine,
  LARGEST,
  type LineQuery,
  type SearchScope,
  walkFiles,
  walkLines,
} from './search-walk.ts';
import { count } from './text-file.ts';
import type { Tool, ToolResult } from './types.ts';

const input = z.strictObject({
  pattern: z.string().min(1).describe('content: a regular expression. files: a glob, or a part of the path.'),
  target: z.enum(['content', 'files']).default('content').describe('Search in files, or for file names.'),
  path: z.string().default('.').describe('File or folder in the workspace.'),
  glob: z.string().optional().describe('Only files that fit, such as *.ts.'),
  ignore_case: z.boolean().default(false),
  context: z.int().min(0).max(10).default(0).describe('Lines shown around each match.'),
  limit: z.int().min(1).max(500).default(50).describe('Most matches.'),
  offset: z.int().min(0).default(0).describe('Matches to skip.'),
  include_ignored: z.boolean().default(false).describe('Also in files that git ignores.'),
});

/** As tools of other programs call them. */
const OTHER_NAMES: OtherNames = {
  ...FOLDER_NAMES,
  query: 'pattern',
  regex: 'pattern',
  search: 'pattern',
  include: 'glob',
  include_pattern: 'glob',
  file_pattern: 'glob',
  case_insensitive: 'ignore_case',
  case_sensitive: { to: 'ignore_case', as: (value) => (typeof value === 'boolean' ? !value : undefined) },
  context_lines: 'context',
  max_results: 'limit',
  head_limit: 'limit',
  skip: 'offset',
  no_ignore: 'include_ignored',
};
type Input = z.infer<typeof input>;

const LINE_CHARACTERS = 300;

export function searchFilesTool(asked: AskedSecrets): Tool<Input> {
  return {
    name: 'search_files',
    description:
      'Searches text in files by regular expression, or finds files by name. Files that git ignores and files with secrets are left out.',
    input,
    otherNames: OTHER_NAMES,
    overlap: 'parallel',
    subject: ({ pattern, target, path }) => ({
      verb: target === 'content' ? 'search' : 'findFiles',
      object: `"${pattern}"`,
      ...(path === '.' ? {} : { where: path }),
    }),
    async permission(search, context) {
      // A file is asked for by its name; of a folder the files with secrets are left out.
      return search.target === 'content' ? await asked.need([search.path], context, 'Search') : undefined;
    },
    async run(search, context) {
      const places = await searchedPlaces(search.path, context.folders);
      if (typeof places === 'string') return { status: 'error', text: places };
      if (search.target === 'content' && spansLines(search.pattern)) {
        return {
          status: 'error',
          text: 'Lines are searched one by one, so a pattern with a line break finds nothing. Search for a part of one line, with context for the lines around it.',
        };
      }
      const hits = new Hits(search);
      try {
        const ripgrep = await findRipgrep(context.settings.ripgrep);
        for (const found of places) {
          const refused = search.target === 'content' && (await asked.refusal(search.path, found, context));
          if (refused) return refused;
          const stats = await stat(found.path).catch(() => undefined);
          if (!stats) return { status: 'error', text: `${search.path} does not exist.` };
          await searchIn(search, found, { isFolder: stats.isDirectory(), ripgrep, signal: context.signal, hits });
          if (hits.page.full || context.signal.aborted) break;
        }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { status: 'error', text: `The search failed: ${why}` };
      }
      const result = search.target === 'files' ? hits.result('file', 'files') : hits.result('match', 'matches');
      return context.signal.aborted ? { ...result, status: 'stopped' } : result;
    },
  };
}

/** A line break in the pattern, as itself or as `\n`; `\\n` is a backslash and an n. */
function spansLines(pattern: string): boolean {
  return /\n/.test(pattern) || /(?:^|[^\\])(?:\\\\)*\\n/.test(pattern);
}

type Found = Extract<ResolvedPath, { readonly ok: true }>;

/** One place, or all folders where several are open and none is named. A string says why there is none. */
export async function searchedPlaces(path: string, folders: readonly string[]): Promise<readonly Found[] | string> {
  const isAll = folders.length > 1 && /^\.?[\\/]?$/.test(path.trim());
  const all = await Promise.all((isAll ? folders : [path]).map((one) => resolveInside(one, folders)));
  const found: Found[] = [];
  for (const one of all) {
    if (!one.ok) return one.why;
    found.push(one);
  }
  return found;
}

interface Searching {
  readonly isFolder: boolean;
  readonly ripgrep: string | undefined;
  readonly signal: AbortSignal;
  readonly hits: Hits;
}

async function searchIn(search: Input, found: Found, { isFolder, ripgrep, signal, hits }: Searching): Promise<void> {
  const prefix = (isFolder ? found.shown : dirname(found.shown)).replace(/^\.$/, '');
  const scope: SearchScope = {
    folder: isFolder ? found.path : dirname(found.path),
    ...(isFolder ? {} : { file: basename(found.path) }),
    ...(search.glob === undefined ? {} : { globs: globsOf(search.glob, prefix) }),
    ignored: search.include_ignored,
    signal,
  };
  const shown = (path: string) => (prefix === '' ? path : `${prefix}/${path}`);
  if (search.target === 'files') return await searchNames(search, scope, { shown, ripgrep, hits, prefix });
  if (!isFolder) return await searchContent(search, scope, { shown, ripgrep, hits, prefix });
  // Files with secrets are left out: how many those are is said, never what is in them.
  const secrets = await secretsInScope(scope, found.folder, ripgrep);
  hits.secrets += secrets.files.size;
  const used = secrets.fitsRipgrep ? ripgrep : undefined;
  await searchContent(search, { ...scope, without: secrets.files }, { shown, ripgrep: used, hits, prefix });
}

interface Way {
  shown(path: string): string;
  readonly ripgrep: string | undefined;
  readonly hits: Hits;
  /** What shown paths begin with in this place. */
  readonly prefix: string;
}

async function searchContent(search: Input, scope: SearchScope, way: Way): Promise<void> {
  const before = way.hits.lines.length;
  try {
    if (await isSearched(scope)) await searchLines(search, scope, way);
  } catch (error) {
    // ripgrep's patterns know no look-around and no back-references; our own do.
    const isOnlyTheirs = error instanceof Error && /look-around|backreferences/.test(error.message);
    if (way.ripgrep === undefined || !isOnlyTheirs) throw error;
    await searchLines(search, scope, { ...way, ripgrep: undefined });
  }
  if (way.hits.lines.length > before || scope.signal.aborted) return;
  way.hits.notSearched.push(...(await notSearched(scope, way.ripgrep, way.shown)));
}

/** ripgrep looks into a file that is named whatever its size; our own walk cannot. */
async function isSearched({ folder, file }: SearchScope): Promise<boolean> {
  return file === undefined || (await stat(join(folder, file))).size <= LARGEST;
}

async function searchLines(search: Input, scope: SearchScope, { shown, ripgrep, hits }: Way): Promise<void> {
  const query: LineQuery = { pattern: search.pattern, ignoreCase: search.ignore_case, context: search.context };
  const { page, lines } = hits;
  let lastPath = '';
  for await (const line of ripgrep ? ripgrepLines(ripgrep, query, scope) : walkLines(query, scope)) {
    // One that came while the search ran; a file that was named was allowed.
    if (scope.file === undefined && secretKind(join(scope.folder, line.path)) !== undefined) continue;
    if (line.match && !page.take()) {
      if (page.full) break;
      continue;
    }
    if (!line.match && !page.open) continue;
    if (search.context > 0 && lines.length > 0 && lastPath !== line.path) lines.push('--');
    lastPath = line.path;
    lines.push(formatted(line, shown));
  }
}

async function searchNames(search: Input, scope: SearchScope, way: Way): Promise<void> {
  const { shown, ripgrep, hits, prefix } = way;
  const fits = nameMatcher(search.pattern, prefix);
  const before = hits.lines.length;
  for await (const path of ripgrep ? ripgrepFiles(ripgrep, scope) : walkFiles(scope)) {
    await breathe();
    if (scope.signal.aborted) break;
    if (!(await fits(path))) continue;
    if (hits.page.take()) hits.lines.push(shown(path));
    else if (hits.page.full) break;
  }
  if (hits.lines.length > before || scope.signal.aborted) return;
  hits.notSearched.push(...(await ignoredFiles(scope, ripgrep)));
}

/** A glob without a slash fits names at any depth; what is no glob fits as a part of the path, whatever its case. */
function nameMatcher(pattern: string, prefix: string): (path: string) => boolean | Promise<boolean> {
  if (!/[*?[\]{}]/.test(pattern)) {
    const part = pattern.replaceAll('\\', '/').replace(/^\.\//, '').toLowerCase();
    const shown = (path: string) => (prefix === '' ? path : `${prefix}/${path}`);
    return (path) => shown(path).toLowerCase().includes(part);
  }
  return anyGlob(globsOf(pattern, prefix));
}

function formatted({ path, line, text, match }: FoundLine, shown: (path: string) => string): string {
  const separator = match ? ':' : '-';
  const capped = text.length > LINE_CHARACTERS ? `${firstOf(text, LINE_CHARACTERS)}…` : text;
  return `${shown(path)}${separator}${line}${separator}${capped}`;
}

/** Counts matches: skips `offset`, shows `limit`, and knows whether there are more. */
class Page {
  readonly #offset: number;
  readonly #limit: number;
  #seen = 0;

  constructor({ offset, limit }: { readonly offset: number; readonly limit: number }) {
    this.#offset = offset;
    this.#limit = limit;
  }

  /** True while matches are shown: then their surroundings are as well. */
  get open(): boolean {
    return this.#seen >= this.#offset && !this.full;
  }

  get full(): boolean {
    return this.#seen > this.#offset + this.#limit;
  }

  /** True when this match is to be shown. */
  take(): boolean {
    this.#seen++;
    return this.#seen > this.#offset && !this.full;
  }

  /** Matches that are shown. */
  get shown(): number {
    return Math.max(0, Math.min(this.#seen - this.#offset, this.#limit));
  }

  get next(): number {
    return this.#offset + this.#limit;
  }

  get isFirst(): boolean {
    return this.#offset === 0;
  }
}

/** What a search found, of all places together. */
class Hits {
  readonly page: Page;
  readonly lines: string[] = [];
  /** Files with secrets that were not searched. */
  secrets = 0;
  /** What was not looked at where nothing was found, in words. */
  readonly notSearched: string[] = [];

  constructor(search: { readonly offset: number; readonly limit: number }) {
    this.page = new Page(search);
  }

  result(one: string, many: string): ToolResult {
    const { full, shown, next, isFirst } = this.page;
    const found = this.lines.length === 0 ? [`No ${many}${isFirst ? '' : ' after that offset'}.`] : this.lines;
    const verb = this.secrets === 1 ? 'was' : 'were';
    const notes = [
      full && `[There are more. Go on with offset ${next}, or narrow the search.]`,
      this.notSearched.length > 0 && `[Not searched: ${this.notSearched.join('; ')}.]`,
      this.secrets > 0 && `[${count(this.secrets, 'file')} with secrets ${verb} not searched.]`,
    ].filter((note) => note !== false);
    return {
      status: 'success',
      text: [...found, ...notes].join('\n'),
      detail: `${shown}${full ? '+' : ''} ${shown === 1 && !full ? one : many}`,
    };
  }
}
