import { sep } from 'node:path';

/** True for the folder itself and all below it. Both are absolute. */
export function isInside(path: string, folder: string): boolean {
  const [inner, outer] = process.platform === 'win32' ? [path.toLowerCase(), folder.toLowerCase()] : [path, folder];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}
