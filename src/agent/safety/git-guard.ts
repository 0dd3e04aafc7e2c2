/**
 * git runs programs that a repository names in its own settings: monitors, hooks, filters, helpers. Where a rule allows git
 * without the user seeing the call, none of them may start.
 */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { literalChain } from './shell/index.ts';

/** Milliseconds that git may take to list the settings of a repository. */
const PATIENCE = 3_000;
/** Bytes of a list of files: a repository of half a million files has that many. */
const MOST_OUTPUT = 64 * 1024 * 1024;
const MOST_SUBMODULES = 50;

/** Subcommands of git that only read, and so need none of the programs that a repository names. */
export const READS_GIT = /^(status|diff|log|show|blame|shortlog)$/;

/** The subcommand of git's words, which only `--no-pager` may stand before. Undefined: it is not git, or more stands there. */
export function gitSubcommand([program, ...words]: readonly string[]): string | undefined {
  return program === 'git' ? words[words[0] === '--no-pager' ? 1 : 0] : undefined;
}

/**
 * Additions to the environment of such a run; none where the command is not git. A folder with the parts of a bare
 * repository is no repository for it. A command that only reads starts no monitor and no hook either, and what is missing
 * in a partial clone is not fetched. Others keep them: who allowed `git commit` wants its hooks.
 *
 * @param env that the command would have: settings that stand there already are kept
 */
export function gitGuard(command: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const parts = literalChain(command)?.map(({ words }) => words.map(({ text }) => text));
  const subcommands = (parts ?? [command.replaceAll(/["']/g, '').trim().split(/\s+/)]).flatMap(
    (words) => gitSubcommand(words) ?? [],
  );
  if (subcommands.length === 0) return {};
  return subcommands.some((one) => READS_GIT.test(one)) ? reading(env) : settingsIn(env, BARE);
}

function reading(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...settingsIn(env, [...BARE, ...READING]), ...ALONE };
}

type Settings = readonly (readonly [string, string])[];

const BARE: Settings = [['safe.bareRepository', 'explicit']];
const READING: Settings = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['log.showSignature', 'false'],
  ['protocol.allow', 'never'],
  // Otherwise git of a submodule shows its changes, by that one's own drivers.
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
];
/** No protocol is called `none`: no setting for one protocol counts beside it. */
const ALONE = { GIT_OPTIONAL_LOCKS: '0', GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' };

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
 * What starts at the repository at `cwd` even so: filters and drivers, also those that a submodule names, which git looks
 * into. They cannot be switched off without changing what git shows. Empty where there are none, or no git.
 *
 * @param env of commands
 */
export async function repositoryPrograms(cwd: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const git = new Git({ ...env, ...reading(env) });
  const found = await programsAt(git, cwd);
  const open = found.length > 0 ? [] : [cwd];
  for (let looked = 0; open.length > 0; looked++) {
    if (looked > MOST_SUBMODULES) return ['more submodules than can be looked at'];
    const inside = await submodulesOf(git, open.pop() ?? cwd);
    if (inside === undefined) return ['files that git cannot list'];
    for (const folder of inside) {
      const theirs = await programsAt(git, folder);
      if (theirs.length > 0) return theirs;
    }
    open.push(...inside);
  }
  return found;
}

/**
 * `merge.*.driver`: a log can show how merges were made, by making them again. `blame.ignoreRevsFile` starts nothing, but
 * git complains with a line of the file that it names, which may be one with secrets.
 */
const STARTS =
  /^(diff\.external|diff\..*\.(command|textconv)|filter\..*\.(clean|smudge|process)|merge\..*\.driver|hook\..*\.command|blame\.ignorerevsfile|gpg\..*program)$/i;

async function programsAt(git: Git, cwd: string): Promise<readonly string[]> {
  const output = await git.run(cwd, ['config', '--list', '--name-only', '--show-scope', '-z']);
  if (output === 'missing') return [];
  if (output === 'failed') return ['settings that git cannot read'];
  const parts = output.text.split('\0');
  return parts.filter((key, at) => /^(local|worktree)$/.test(parts[at - 1] ?? '') && STARTS.test(key));
}

async function submodulesOf(git: Git, cwd: string): Promise<readonly string[] | undefined> {
  const top = await git.run(cwd, ['rev-parse', '--show-toplevel']);
  // No repository, or one without files of its own.
  if (typeof top === 'string') return [];
  const root = top.text.replace(/\n$/, '');
  const files = await git.run(root, ['ls-files', '--stage', '-z']);
  if (typeof files === 'string') return undefined;
  const links = files.text.split('\0').filter((line) => line.startsWith('160000 '));
  const folders = links.map((line) => join(root, line.slice(line.indexOf('\t') + 1)));
  return folders.filter((folder) => existsSync(join(folder, '.git')));
}

class Git {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  async run(cwd: string, args: readonly string[]): Promise<{ readonly text: string } | 'missing' | 'failed'> {
    const options = { cwd, env: this.#env, timeout: PATIENCE, maxBuffer: MOST_OUTPUT, windowsHide: true };
    return await new Promise((resolve) => {
      execFile('git', [...args], options, (error, stdout) => {
        if (!error) resolve({ text: stdout });
        else resolve('code' in error && error.code === 'ENOENT' ? 'missing' : 'failed');
      });
    });
  }
}
