/**
 * git runs programs that a repository names in its own settings: monitors, hooks, filters, helpers. Where a rule allows git
 * without the user seeing the call, none of them may start.
 */

import { execFile } from 'node:child_process';
import { devNull } from 'node:os';

/** Milliseconds that git may take to list the settings of a repository. */
const PATIENCE = 3_000;

/**
 * Additions to the environment of such a run. A folder with the parts of a bare repository is no repository for it, and
 * what is missing in a partial clone is not fetched.
 *
 * @param env that the command would have: settings that stand there already are kept
 */
export function gitGuard(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const settings = [
    ['safe.bareRepository', 'explicit'],
    ['core.fsmonitor', 'false'],
    ['core.hooksPath', devNull],
    ['log.showSignature', 'false'],
    ['protocol.allow', 'never'],
  ] as const;
  const known = Number.parseInt(env.GIT_CONFIG_COUNT ?? '0', 10) || 0;
  const entries = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${known + index}`, key],
    [`GIT_CONFIG_VALUE_${known + index}`, value],
  ]);
  return {
    ...Object.fromEntries(entries),
    GIT_CONFIG_COUNT: String(known + settings.length),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
}

/**
 * The settings of the repository at `cwd` that start programs even so: filters and drivers of diffs, which cannot be
 * switched off without changing what git shows. Empty where there are none, or no git.
 *
 * @param env of commands
 */
export async function repositoryPrograms(cwd: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const args = ['config', '--list', '--name-only', '--show-scope', '-z'];
  const options = { cwd, env: { ...env, ...gitGuard(env) }, timeout: PATIENCE, maxBuffer: 4 * 1024 * 1024 };
  const output = await new Promise<string | undefined>((resolve) => {
    execFile('git', args, { ...options, windowsHide: true }, (error, stdout) => {
      const missing = error && 'code' in error && error.code === 'ENOENT';
      resolve(error && !missing ? undefined : stdout);
    });
  });
  if (output === undefined) return ['settings that git cannot read'];
  const parts = output.split('\0');
  return parts.filter((key, at) => /^(local|worktree)$/.test(parts[at - 1] ?? '') && STARTS.test(key));
}

const STARTS = /^(diff\.external|diff\..*\.(command|textconv)|filter\..*\.(clean|smudge|process)|gpg\..*program)$/i;
