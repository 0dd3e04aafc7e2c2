/** What git does that cannot be taken back, or that makes it run other programs. */

import { withWholeOptions } from './abbreviated.ts';

/** In words, or undefined. @param all the words behind `git` */
export function destructiveGit(all: readonly string[]): string | undefined {
  let at = 0;
  while (all[at]?.startsWith('-')) {
    // `-c` and `--exec-path` make git run other programs, whatever the subcommand is.
    if (/^(-c|--config-env|--exec-path)/.test(all[at] ?? '') && all[at] !== '--exec-path') return RUNS;
    at += /^(-C|--git-dir|--work-tree|--namespace)$/.test(all[at] ?? '') ? 2 : 1;
  }
  const [subcommand, ...written] = all.slice(at);
  const args = withWholeOptions(written, LONG_OPTIONS);
  return ROWS.find(([name, when]) => name === subcommand && has(args, when))?.[2] ?? special(subcommand, args);
}

/** Options that the rows look for. */
const LONG_OPTIONS =
  'force delete mirror prune hard merge keep discard-changes ours theirs expire exec worktree staged reset output extcmd open-files-in-pager upload-pack receive-pack config'.split(
    ' ',
  );

const REMOTE = 'It overwrites or deletes what is on the remote.';
const WORK = 'It throws away changes that are not committed.';
const COMMITS = 'It throws commits, branches or stashes away.';
const HISTORY = 'It rewrites history.';
const WRITES = 'It overwrites a file with what git shows.';
const RUNS = 'It changes what git runs, or runs another program through it.';

const ROWS: readonly (readonly [string, RegExp, string])[] = [
  ['push', /^-[a-zA-Z]*[fd]|^--(force|delete|mirror|prune)|^\+|^:/, REMOTE],
  ['push', /^--(exec|receive-pack)/, RUNS],
  ['reset', /^--(hard|merge|keep)$/, WORK],
  ['clean', /^-[a-zA-Z]*f|^--force$/, 'It deletes files that git does not track.'],
  ['branch', /^-[a-zA-Z]*[DMC]|^-[a-zA-Z]*[df][a-zA-Z]*$|^--(delete|force)$/, COMMITS],
  ['tag', /^-[a-zA-Z]*[df]|^--(delete|force)$/, COMMITS],
  ['checkout', /^-[a-zA-Z]*[fBC]|^--(force|discard-changes|ours|theirs)$|^--$|^\.$|^:/, WORK],
  ['switch', /^-[a-zA-Z]*[fBC]|^--(force|discard-changes|ours|theirs)$|^--$|^\.$|^:/, WORK],
  ['stash', /^(drop|clear)$/, COMMITS],
  ['reflog', /^(expire|delete)$/, COMMITS],
  ['worktree', /^(remove|rm|prune|deinit|set-url|foreach)$/, 'It removes working trees.'],
  ['remote', /^(remove|rm|prune|deinit|set-url|foreach)$/, 'It removes a remote or leads it to another place.'],
  ['submodule', /^(remove|rm|prune|deinit|set-url|foreach)$/, RUNS],
  ['gc', /^--prune|^--expire/, COMMITS],
  ['checkout-index', /^-[a-zA-Z]*f|^--force$/, WORK],
  ['read-tree', /^--reset$|^-[a-zA-Z]*u/, WORK],
  ['rebase', /^(-x|--exec|run)/, RUNS],
  ['bisect', /^(-x|--exec|run)/, RUNS],
  ['difftool', /^-[a-zA-Z]*x|^--extcmd/, RUNS],
  ['grep', /^-[a-zA-Z]*O|^--open-files-in-pager/, RUNS],
  ['diff', /^--output(=|$)/, WRITES],
  ['log', /^--output(=|$)/, WRITES],
  ['show', /^--output(=|$)/, WRITES],
  ['fetch', /^--upload-pack/, RUNS],
  ['pull', /^--upload-pack/, RUNS],
  ['clone', /^(-u|--upload-pack|-c|--config)/, RUNS],
  ['ls-remote', /^--upload-pack/, RUNS],
];

function special(subcommand: string | undefined, args: readonly string[]): string | undefined {
  switch (subcommand) {
    case 'restore':
      return !has(args, /^(--staged|-S)$/) || has(args, /^(--worktree|-W)$/) ? WORK : undefined;
    case 'config':
      return has(args, /^(--get|--get-all|--list|-l|get|list)$/) ? undefined : RUNS;
    case 'checkout':
      return takesFiles(args) ? WORK : undefined;
    case 'lfs':
      return has(args.slice(0, 1), /^prune$/) ? COMMITS : undefined;
    case 'rm':
      return 'It deletes files.';
    case 'prune':
      return COMMITS;
    case 'update-ref':
    case 'filter-branch':
    case 'filter-repo':
    case 'replace':
      return HISTORY;
    default:
      return undefined;
  }
}

/** `git checkout` of files: a second name behind that of the commit, or a name that looks like a file's. */
function takesFiles(args: readonly string[]): boolean {
  if (has(args, /^-[a-zA-Z]*[bBt]|^--(track|orphan|detach|guess|no-guess)/)) return false;
  const names = args.filter((arg) => !arg.startsWith('-'));
  return names.length > 1 || names.some((name) => /[^/]\.[a-z]\w{0,5}$|\/$/i.test(name));
}

function has(args: readonly string[], pattern: RegExp): boolean {
  return args.some((arg) => pattern.test(arg));
}
