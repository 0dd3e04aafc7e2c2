import { type Pattern, patternOf } from './pattern.ts';

/** The rules of one `.gitignore`, for paths below its folder. */
export interface GitIgnore {
  /**
   * True where the last rule that fits leaves the path out, false where it takes it in again, undefined where none fits.
   * What is in a folder that is left out cannot be taken in again.
   *
   * @param path from the folder of the file, with `/`
   */
  test(path: string, isFolder: boolean): boolean | undefined;
}

interface Rule {
  readonly pattern: Pattern;
  readonly ignores: boolean;
  readonly foldersOnly: boolean;
}

/** More than people write. */
const MOST_RULES = 2_000;
/** Folders whose answer is kept: a walk asks for all that is in one, one after the other. */
const MOST_FOLDERS = 1_000;

/** Reads the text of a `.gitignore`, as git does, whatever the case of letters. A rule that cannot be judged is passed over. */
export function gitIgnore(text: string): GitIgnore {
  const rules = text.split('\n', MOST_RULES).flatMap(ruleOf).reverse();
  const folders = new Map<string, boolean | undefined>();
  const own = (path: string, isFolder: boolean): boolean | undefined =>
    rules.find(({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && pattern.testNow(path) === true)?.ignores;
  const folder = (path: string): boolean | undefined => {
    if (folders.has(path)) return folders.get(path);
    if (folders.size >= MOST_FOLDERS) folders.clear();
    const verdict = test(path, true);
    folders.set(path, verdict);
    return verdict;
  };
  const test = (path: string, isFolder: boolean): boolean | undefined => {
    const slash = path.lastIndexOf('/');
    if (slash > 0 && folder(path.slice(0, slash)) === true) return true;
    return own(path, isFolder);
  };
  return { test };
}

function ruleOf(line: string): readonly Rule[] {
  const written = trimmed(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (written === '' || written.startsWith('#')) return [];
  const ignores = !written.startsWith('!');
  const glob = ignores ? written : written.slice(1);
  const foldersOnly = glob.endsWith('/');
  const pattern = patternOf(sourceOf(foldersOnly ? glob.slice(0, -1) : glob), 'i');
  return typeof pattern === 'string' || pattern.refused !== undefined ? [] : [{ pattern, ignores, foldersOnly }];
}

/** Without the blanks at its end that no backslash keeps. */
function trimmed(line: string): string {
  let end = line.length;
  while (end > 0 && /[ \t]/.test(line[end - 1] ?? '') && line[end - 2] !== '\\') end--;
  return line.slice(0, end);
}

const PIECE = /\\([\s\S])|\[([!^]?)((?:\\[\s\S]|[^\]\\/])+)\]|\/\*\*(?=\/)|\/\*\*$|\*+|[\s\S]/g;

function sourceOf(glob: string): string {
  const anchored = glob.includes('/');
  const rest = glob.replace(/^\//, '');
  if (rest === '**') return '^[^]*$';
  const free = !anchored || rest.startsWith('**/');
  const body = free ? rest.replace(/^(?:\*\*\/)+/, '') : rest;
  const source = body.replace(PIECE, (piece: string, escaped?: string, mark?: string, inner?: string) => {
    if (escaped !== undefined) return literal(escaped);
    if (inner !== undefined) return classOf(mark ?? '', inner) ?? literal(piece);
    if (piece === '/**') return MIDDLE;
    if (piece.startsWith('*')) return '[^/]*';
    return piece === '?' ? '[^/]' : literal(piece);
  });
  // At the end `/**` is all that is below, and not the folder itself.
  return `^${free ? '(?:[^]*/)?' : ''}${source.endsWith(MIDDLE) ? `${source.slice(0, -MIDDLE.length)}/[^]+` : source}$`;
}

const MIDDLE = '(?:/[^]*)?';

function classOf(mark: string, inner: string): string | undefined {
  const source = `[${mark === '' ? '' : '^/'}${inner.replace(/[[\]^]/g, '\\$&')}]`;
  return typeof patternOf(source) === 'string' ? undefined : source;
}

function literal(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/]/g, '\\$&');
}
