/**
 * One spelling for what file systems may take for the same name: case, compatibility forms, characters that cannot be
 * seen, dots and spaces at the end of a name (Windows), backslashes.
 */
export function plainPath(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
    .split(/[\\/]/)
    .map((segment) => (/^\.+$/.test(segment) ? segment : segment.replace(/[. ]+$/, '')))
    .join('/');
}
