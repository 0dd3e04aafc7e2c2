/**
 * git runs programs that a repository names in its own settings: monitors, hooks, filters, helpers. Where a rule allows git
 * without the user seeing the call, none of them may start.
 */

import { execFile } from 'node:child_process';
import { devNull } from 'node:os';

/** Milliseconds that git may take to list the settings of a repository. */
const PATIENCE = 3_000;

/** Subcommands of git that only read, and so need none of the programs that a repository names. */
export const READS_GIT = /^(status|diff|log|show|blame|shortlog)$/;

/**
 * Additions to the environment of such a run; none where the command is not git. A folder with the parts of a bare
 * repository is no repository for it. A command that only reads starts no monitor and no hook either, and what is missing
 * in a partial clone is not fetched. Others keep them: who allowed `git commit` wants its hooks.
 *
 * @param env that the command would have: settings that stand there already are kept
 */
export function gitGuard(command: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const subcommand = /^\s*git\s+(\S+)/.exec(command)?.[1];
  if (subcommand === undefined) return {};
  return READS_GIT.test(subcommand) ? reading(env) : settingsIn(env, BARE);
}

function reading(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...settingsIn(env, [...BARE, ...READING]), GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1' };
}

type Settings = readonly (readonly [string, string])[];

const BARE: Settings = [['safe.bareRepository', 'explicit']];
const READING: Settings = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['log.showSignature', 'false'],
  ['protocol.allow', 'never'],
];

function settingsIn(env: NodeJS.ProcessEnv, settings: Settings): NodeJS.ProcessEnv {
  const known = Number.parseInt(env.GIT_CONFIG_COUNT ?? '0', 10) || 0;
  const entries = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${known + index}`, key],
    [`GIT_CONFIG_VALUE_${known + index}`, value],
  ]);
  return {
    ...Object.fromEntries(entries),
    GIT_CONFIG_COUNT: String(known + settings.length),
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
  const options = { cwd, env: { ...env, ...reading(env) }, timeout: PATIENCE, maxBuffer: 4 * 1024 * 1024 };
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
