/** Globs as models write them, made into those that are asked for: one reading for ripgrep and for our own walk. */

/** A list of globs in one text: `*.ts,*.tsx`, but not the commas of `{a,b}`, `[a,b]` and `\,`. */
function parts(glob: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < glob.length; at++) {
    const sign = glob[at];
    if (sign === '\\') at++;
    else if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') depth = Math.max(0, depth - 1);
    else if (sign === ',' && depth === 0) {
      found.push(glob.slice(from, at));
      from = at + 1;
    }
  }
  return [...found, glob.slice(from)].map((part) => part.trim()).filter((part) => part !== '');
}

/** Without `./`, with `/` where Windows has `\`: a text with `\` and no `/` is a path of Windows. */
function plain(glob: string): string {
  const [, mark = '', rest = glob] = /^(!?)(.*)$/s.exec(glob) ?? [];
  const slashed = rest.includes('\\') && !rest.includes('/') ? rest.replaceAll('\\', '/') : rest;
  return mark + slashed.replace(/^(\.\/+)+/, '');
}

/**
 * @param glob as written
 * @param prefix where the searched folder lies, as paths are shown: a glob may begin there as well; empty for the root
 */
export function globsOf(glob: string, prefix = ''): readonly string[] {
  const all = parts(glob).map(plain);
  const below = all.flatMap((one) => {
    const [, mark = '', rest = one] = /^(!?)(.*)$/s.exec(one) ?? [];
    return prefix !== '' && rest.startsWith(`${prefix}/`) ? [mark + rest.slice(prefix.length + 1)] : [];
  });
  return [...new Set([...all, ...below])];
}
