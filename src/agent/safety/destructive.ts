/**
 * The table of commands that ask every time, and of those that never run. One row says what it looks for and why.
 */

import { homedir } from 'node:os';
import { posix } from 'node:path';
import { withWholeOptions } from './abbreviated.ts';
import { destructiveGit } from './destructive-git.ts';
import { type Found, has, type InvocationRule, operands } from './invocation-rule.ts';
import { SENDING } from './sending.ts';

export interface Invocation {
  /** Lower case, without directory and `.exe`. */
  readonly name: string;
  readonly args: readonly string[];
}

/** Every row that fits; blocking rows stand before asking ones. */
export function findDestructive({ name, args: written }: Invocation): readonly Found[] {
  const args = withWholeOptions(written, LONG_OPTIONS);
  const fitting = [...RULES, ...SENDING].filter((one) => one.names.test(name) && (one.when?.(args, name) ?? true));
  const git = name === 'git' ? destructiveGit(written) : undefined;
  return [
    ...fitting.map(({ level, why }) => ({ level, why })),
    ...(git ? [{ level: 'always' as const, why: git }] : []),
  ];
}

/** Long options that rows look for, also where they are cut. */
const LONG_OPTIONS = 'recursive force stdin askpass remove-source-files remove-files remove prune delete'.split(' ');

/** Root, a home folder or a folder that the system needs; `/*` and the like count as the folder itself. */
export function isSystemRoot(target: string): boolean {
  const bare = target
    .replace(/^\$HOME|^\$\{HOME\}|^\$env:(USERPROFILE|HOME)|^%USERPROFILE%/i, '~')
    .replaceAll('\\', '/');
  const folder = posix
    .normalize(bare)
    .replace(/(\/(\.?\*|\.|\{.*\}|\.\[!?\.\]\*))+$/, '')
    .replace(/\/+$/, '');
  return (
    (folder === '' && bare !== '') ||
    /^~[\w-]*$/.test(folder) ||
    folder === homedir() ||
    /^\/(bin|boot|dev|etc|home|lib\d*|opt|proc|root|run|sbin|srv|sys|usr|var)$/.test(folder) ||
    /^\/(users|system|library|applications|private|volumes)$/i.test(folder) ||
    /^\/(home|users)\/[^/]+$/i.test(folder) ||
    /^[a-z]:(\/(windows|users|program files( \(x86\))?|users\/[^/]+))?$/i.test(folder)
  );
}

/** A disk, partition or memory; not the harmless devices. */
export function isDevice(path: string): boolean {
  return /^\/dev\/(?!(null|zero|full|stdin|stdout|stderr|tty|ptmx|u?random)$|(fd|shm|pts|tcp|udp)\/)./.test(
    posix.normalize(path),
  );
}

/** Parameters may be cut to what is still unique: `-r`, `-Rec`, `-Recurse:$true`. */
const POWERSHELL_RECURSE = /^(-r(e(c(u(r(se?)?)?)?)?)?(:.*)?$|\/s)/i;
const RECURSIVE_DELETE = /^-[a-z]*r|^--recursive$/i;

/** Where `find` begins: behind its own options, up to the first test. */
function startsOfFind(args: readonly string[]): readonly string[] {
  const from = args.findIndex((arg) => !/^-([HLP]|O\d|D)$/.test(arg));
  const starts = args.slice(Math.max(from, 0));
  const end = starts.findIndex((arg) => /^[-(!]/.test(arg));
  return end < 0 ? starts : starts.slice(0, end);
}

function value(args: readonly string[], name: string): string {
  return args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}

const RULES: readonly InvocationRule[] = [
  // Never.
  {
    names: /^(rm|grm)$/,
    level: 'blocked',
    when: (args) =>
      has(args, RECURSIVE_DELETE) && (has(args, /^--no-preserve-root$/) || operands(args).some(isSystemRoot)),
    why: 'it deletes the whole system, a system folder or a home folder.',
  },
  {
    names: /^(remove-item|ri|rd|rmdir|del|erase)$/,
    level: 'blocked',
    when: (args) => has(args, POWERSHELL_RECURSE) && operands(args).some(isSystemRoot),
    why: 'it deletes the whole system, a system folder or a home folder.',
  },
  {
    names: /^find$/,
    level: 'blocked',
    when: (args) => has(args, /^-delete$/) && startsOfFind(args).some(isSystemRoot),
    why: 'it deletes the whole system, a system folder or a home folder.',
  },
  {
    names: /^(mkfs(\..+)?|mke2fs|mkswap|wipefs|blkdiscard|shred|tee|cp|newfs.*)$/,
    level: 'blocked',
    when: (args) => has(args, /^/) && args.some(isDevice),
    why: 'it overwrites a device.',
  },
  { names: /^dd$/, level: 'blocked', when: (args) => isDevice(value(args, 'of')), why: 'it overwrites a device.' },
  {
    names: /^(format|format-volume|clear-disk|initialize-disk)$/,
    level: 'blocked',
    when: (args, name) => name !== 'format' || has(args, /^[a-z]:/i),
    why: 'it formats a drive.',
  },
  {
    names: /^kill$/,
    level: 'blocked',
    when: (args) => args.slice(args[0] === '-1' ? 1 : 0).includes('-1'),
    why: 'it ends every process of this user, the editor among them.',
  },
  {
    names: /^sudo$/,
    level: 'blocked',
    when: (args) => has(args, /^-[a-zA-Z]*[SA]|^--(stdin|askpass)$/),
    why: 'a password would have to be given to it. Ask the user to run it in a terminal.',
  },

  // Every time.
  {
    names: /^(rm|grm)$/,
    level: 'always',
    when: (args) => has(args, /^-[a-z]*[rf]|^--(recursive|force)$/i),
    why: 'It deletes files for good.',
  },
  {
    names: /^(remove-item|ri|rd|rmdir|del|erase)$/,
    level: 'always',
    when: (args) => has(args, POWERSHELL_RECURSE) || has(args, /^(-fo|\/q)/i),
    why: 'It deletes files for good.',
  },
  {
    names: /^(shred|srm|wipefs|blkdiscard|truncate|unlink)$/,
    level: 'always',
    why: 'It destroys the content of files.',
  },
  {
    names: /^find$/,
    level: 'always',
    when: (args) => has(args, /^-(delete|fprintf?|fls)$/),
    why: 'It deletes or overwrites every file it finds.',
  },
  {
    names: /^(find|fd|xargs|parallel)$/,
    level: 'always',
    when: (args) => has(args, /^(.*\/)?(rm|unlink|rmdir|shred|trash)$/),
    why: 'It deletes every file it is given.',
  },
  {
    names: /^(tar|gtar|bsdtar|zip)$/,
    level: 'always',
    when: (args, name) => has(args, name === 'zip' ? /^-[a-zA-Z]*m|^--move$/ : /^--remove-files$/),
    why: 'It deletes the files that it packs.',
  },
  {
    names: /^(cp|copy|copy-item|install)$/,
    level: 'always',
    when: (args) => has(args, /^\/dev\/null$/),
    why: 'It empties a file.',
  },
  {
    names: /^(clear-content|clc|clear-recyclebin|clear-item|remove-itemproperty)$/,
    level: 'always',
    why: 'It destroys the content of files.',
  },
  {
    names: /^start-process$/,
    level: 'always',
    when: (args) => has(args, /^runas$/i),
    why: 'It runs with the rights of another user.',
  },
  {
    names: /^rsync$/,
    level: 'always',
    when: (args) => has(args, /^--(del|remove-source)/),
    why: 'It deletes files at the target.',
  },
  {
    names: /^(dd|mkfs(\..+)?|mke2fs|mkswap|fdisk|sfdisk|parted|sgdisk|diskutil|diskpart|newfs.*)$/,
    level: 'always',
    why: 'It works on raw disks.',
  },
  {
    names: /^(shutdown|reboot|halt|poweroff|stop-computer|restart-computer)$/,
    level: 'always',
    why: 'It shuts the machine down.',
  },
  {
    names: /^(init|telinit)$/,
    level: 'always',
    when: (args) => has(args, /^[06]$/),
    why: 'It shuts the machine down.',
  },
  { names: /^(sudo|doas|su|pkexec|runas|gosu)$/, level: 'always', why: 'It runs with the rights of another user.' },
  { names: /^(kill|pkill|killall|taskkill|stop-process|fuser|xkill)$/, level: 'always', why: 'It ends processes.' },
  {
    names: /^chmod$/,
    level: 'always',
    when: (args) =>
      has(args, /^-[a-zA-Z]*R|^--recursive$|^0?[0-7]*[2367]$|^[ugoa]*[oa][ugoa]*[+=][rxX]*w|^\+.*w|[+=].*s/),
    why: 'It changes who may use many files, or lets everybody write.',
  },
  {
    names: /^(chown|chgrp|icacls|takeown|setfacl)$/,
    level: 'always',
    why: 'It changes who owns files or may use them.',
  },
  {
    names: /^(docker|podman|nerdctl)$/,
    level: 'always',
    when: (args) =>
      has(
        args,
        /^(rm|rmi|kill|stop|prune|down|remove|delete|swarm|push)$|^-H|^--(host|privileged|context|remote|url)\b/,
      ) ||
      has(
        args,
        /^\/(etc|root|home|usr|var|proc|sys|dev)?(\/[^:]*)?:|^--?v(olume)?=\/[^:]*:|(^|,|=)(src|source)=\/(,|$)/,
      ) ||
      has(args, /^(--(pid|network|ipc|userns)=host|--cap-add|--device|--security-opt)/),
    why: 'It removes or stops containers, or reaches the machine through them.',
  },
  {
    names: /^(kubectl|oc|helm|terraform|tofu|pulumi)$/,
    level: 'always',
    when: (args) =>
      has(args, /^(delete|drain|uninstall|destroy|apply|down|replace|rollback|scale|up|import|taint|state)$/),
    why: 'It changes running systems.',
  },
  {
    names: /^(aws|gcloud|az|gh|heroku|fly|flyctl|vercel|netlify)$/,
    level: 'always',
    when: (args) => has(args, /(^|-)(delete|remove|rm|rb|destroy|terminate|purge|deploy|transfer|auth)(-|$)/),
    why: 'It changes running systems or accounts.',
  },
  {
    names:
      /^(apt|apt-get|aptitude|yum|dnf|zypper|apk|brew|snap|flatpak|choco|winget|scoop|gem|pip3?|pipx|uv|conda|npm|pnpm|yarn|bun|cargo|composer|go)$/,
    level: 'always',
    when: (args) =>
      // What stands behind these is a name.
      !/^(i|in|ci|add|install|run|exec|test|build|require|get)$/.test(operands(args)[0] ?? '') &&
      has(
        operands(args).slice(0, 3),
        /^(remove|rm|r|un|unlink|purge|autoremove|erase|uninstall|del|delete|publish|unpublish|deprecate|dist-tag|yank|owner)$/,
      ),
    why: 'It removes or publishes packages.',
  },
  { names: /^pacman$/, level: 'always', when: (args) => has(args, /^-R|^--remove/), why: 'It removes packages.' },
  {
    names: /^(dpkg|rpm)$/,
    level: 'always',
    when: (args) => has(args, /^(-r|-P|-e|--remove|--purge|--erase)$/),
    why: 'It removes packages.',
  },
  { names: /^twine$/, level: 'always', why: 'It publishes packages.' },
  {
    names: /^(systemctl|service|launchctl|sc|rc-service|update-rc\.d|chkconfig|crontab|at|schtasks)$/,
    level: 'always',
    why: 'It changes what runs on this machine.',
  },
  {
    names:
      /^(mount|umount|sysctl|modprobe|insmod|rmmod|iptables|nft|ufw|netsh|reg|regedit|passwd|chpasswd|useradd|userdel|usermod|groupadd|visudo|chroot|nsenter|defaults|csrutil|spctl|bcdedit|set-executionpolicy)$/,
    level: 'always',
    why: 'It changes how this machine is set up.',
  },
  {
    names: /./,
    level: 'always',
    when: (args) =>
      has(
        args.slice(0, 6),
        /^(db:(drop|reset|wipe|purge|truncate\S*|migrate:reset)(:\w+)?|migrate:(fresh|reset|refresh)|schema:drop|--force-reset|--accept-data-loss)$/,
      ) ||
      (has(args.slice(0, 2), /(^|[\\/])manage\.py$/) && has(args, /^(flush|reset_db)$/)),
    why: 'It deletes data of a database.',
  },
  {
    names: /^(prisma|supabase)$/,
    level: 'always',
    when: (args) => has(args.slice(0, 3), /^reset$/),
    why: 'It deletes data of a database.',
  },
  { names: /^add-type$/, level: 'always', why: 'It runs C# code that was not checked.' },
  { names: /^(rimraf|del-cli)$/, level: 'always', why: 'It deletes files for good.' },
  {
    names: /^(dropdb|dropuser|mysqladmin|redis-cli)$/,
    level: 'always',
    when: (args, name) => name.startsWith('drop') || has(args, /^(drop|flushall|flushdb|shutdown)$/i),
    why: 'It deletes data of a database.',
  },
];
