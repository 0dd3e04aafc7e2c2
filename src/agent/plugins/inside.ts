import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';

export type InsidePath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly missing: boolean; readonly why: string };

/**
 * A path that a plugin names, held inside its root: no absolute path, no `..`, no link that leads out.
 *
 * @param root absolute, with all links resolved
 * @param path as it is written, with `/` or, on Windows, `\`
 * @returns the real path, or why it is refused; `missing` when it would be fine but is not there. Never rejects.
 */
export async function insidePlugin(root: string, path: string): Promise<InsidePath> {
  const spelling = spellingProblem(path);
  if (spelling) return { ok: false, missing: false, why: `"${path.slice(0, 200)}" ${spelling}` };
  const wanted = join(root, path);
  try {
    const real = await realpath(wanted);
    if (!isInside(root, real)) {
      return { ok: false, missing: false, why: `"${path}" is a link that leads out of the plugin's folder` };
    }
    return { ok: true, path: real };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ok: false, missing: true, why: `"${path}" is not there` };
    return { ok: false, missing: false, why: `"${path}" cannot be read (${String(code ?? error)})` };
  }
}

/** Why a path is refused for how it is written, or undefined. */
export function spellingProblem(path: string): string | undefined {
  if (path.trim() === '') return 'is empty';
  if (path.includes('\0')) return 'holds a NUL character';
  if (isAbsolute(path) || /^([\\/]|[A-Za-z]:|~)/.test(path))
    return 'has to be relative to the plugin, such as "./index.mjs"';
  if (/(?:^|[\\/])\.git(?:[\\/]|$)/i.test(path)) return 'lies in ".git", which is no part of what you allow';
  if (path.split(/[\\/]/).includes('..')) return 'leads out of the plugin: ".." is not allowed';
  return undefined;
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
