/**
 * Searching with ripgrep: the editor's own, or one on the PATH.
 */

import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import type { FoundLine, LineQuery, SearchScope } from './search-walk.ts';

/** The path of a ripgrep that can be run, or undefined. */
export async function findRipgrep(configured: string | undefined): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  // A relative one would be looked up in the folder that is searched: a program of the repository.
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  for (const path of [...(configured ? [configured] : []), ...folders.map((folder) => join(folder, name))]) {
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return path;
  }
  return undefined;
}

/** @param order unsorted is several times quicker */
export async function* ripgrepFiles(
  ripgrep: string,
  scope: SearchScope,
  order: { readonly sorted: boolean } = { sorted: true },
): AsyncGenerator<string> {
  const args = ['--files', ...(order.sorted ? ['--sort=path'] : []), ...common(scope)];
  for await (const line of output(ripgrep, args, scope)) {
    yield line.replaceAll('\\', '/').replace(/^\.\//, '');
  }
}

export async function* ripgrepLines(ripgrep: string, query: LineQuery, scope: SearchScope): AsyncGenerator<FoundLine> {
  const options = [
    '--json',
    '--sort=path',
    '--max-filesize=20M',
    // As our own walk, `$` stands before the line end, whichever it is.
    '--crlf',
    `--context=${query.context}`,
    ...(query.ignoreCase ? ['--ignore-case'] : []),
    `--regexp=${query.pattern}`,
  ];
  for await (const line of output(ripgrep, [...options, ...common(scope)], scope)) {
    const message = MESSAGE.safeParse(JSON.parse(line));
    if (!message.success) continue;
    const { type, data } = message.data;
    yield {
      path: textOf(data.path).replaceAll('\\', '/').replace(/^\.\//, ''),
      line: data.line_number,
      text: textOf(data.lines).replace(/\r?\n$/, ''),
      match: type === 'match',
    };
  }
}

/** Paths and lines that are not valid UTF-8 come as base64. */
const TEXT = z.union([z.object({ text: z.string() }), z.object({ bytes: z.string() })]);
const MESSAGE = z.object({
  type: z.enum(['match', 'context']),
  data: z.object({ path: TEXT, lines: TEXT, line_number: z.number() }),
});

function textOf(value: z.infer<typeof TEXT>): string {
  return 'text' in value ? value.text : Buffer.from(value.bytes, 'base64').toString();
}

function common({ file, globs = [], ignored, without = [] }: SearchScope): string[] {
  return [
    '--no-config',
    '--no-require-git',
    '--hidden',
    '--color=never',
    ...(ignored ? ['--no-ignore'] : []),
    // The last glob that fits decides: what git keeps for itself is left out whatever was asked for.
    ...globs.map((glob) => `--glob=${glob}`),
    '--glob=!**/.git/**',
    ...[...without].map((path) => `--glob=!/${path.replace(/[\\*?[\]{}!#]/g, '\\$&')}`),
    '--',
    file === undefined ? './' : `./${file}`,
  ];
}

/** Lines of ripgrep's output. It is ended when the caller has enough or the signal aborts. */
async function* output(
  ripgrep: string,
  args: readonly string[],
  { folder, signal }: SearchScope,
): AsyncGenerator<string> {
  const child = spawn(ripgrep, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  let problem = '';
  child.stderr.on('data', (chunk: Buffer) => {
    problem = (problem + chunk.toString()).slice(0, 2000);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // Looked at below; until then a failed start must not count as unhandled.
  ended.catch(() => undefined);
  const end = () => child.kill();
  signal.addEventListener('abort', end);
  try {
    for await (const line of createInterface({ input: child.stdout })) yield line;
    const code = await ended;
    // 1 is "nothing found"; 2 with results means that some files could not be read.
    if (code === 2 && !signal.aborted && /regex|glob/i.test(problem)) throw new Error(problem.trim());
  } finally {
    signal.removeEventListener('abort', end);
    child.kill();
  }
}
