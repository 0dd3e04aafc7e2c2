import { homedir } from 'node:os';
import path from 'node:path';

/** The checkout these scripts belong to. */
export const repository = path.resolve(import.meta.dirname, '../..');

/** The npm package that carries VS Code's own server; its version less the major 4 is VS Code's less the major 1. */
export const editorVersion = '4.139.1';

/** What outlives a checkout: the editor, and what `npm start` keeps for its user. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  // The XDG rules say that a relative path counts as unset.
  const xdg = environment.XDG_CACHE_HOME;
  const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(homedir(), '.cache');
  return path.join(base, 'midcourse');
}

/** The environment without what npm adds for its own scripts: an npm below would take it for the user's settings. */
export function withoutNpm(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const added =
    /^npm_(package|lifecycle)_|^npm_(command|execpath|node_execpath)$|^npm_config_(user_agent|local_prefix)$/i;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !added.test(name)));
}
