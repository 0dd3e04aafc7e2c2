import { glob } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findRipgrep } from '../../src/agent/tools/ripgrep.ts';

/** One on the PATH, or the one of an editor that was downloaded for the tests. */
export async function anyRipgrep(): Promise<string | undefined> {
  const onPath = await findRipgrep(undefined);
  if (onPath) return onPath;
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'midcourse');
  const binaries = `@vscode/ripgrep*/bin/${process.platform}-${process.arch}/rg`;
  const editors = ['code-server-*/node_modules/code-server/lib/vscode', '*/resources/app'];
  for await (const path of glob(editors.map((editor) => join(cache, editor, 'node_modules', binaries)))) return path;
  return undefined;
}
