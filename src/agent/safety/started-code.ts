/**
 * Code and commands that a program is given in its words: the code of an interpreter, and options whose value is a
 * command. The code is not understood; what it says of starting, deleting and building code is looked for, and its texts
 * are looked at as commands.
 */

import { valuesOf } from './invocation-rule.ts';
import { isInterpreter, programName } from './programs.ts';

export interface StartedCode {
  /** For people; one for each thing that it does. */
  readonly dangers: readonly string[];
  /** Commands for the shell. Those of code are guesses: only what they would destroy counts. */
  readonly commands: readonly { readonly text: string; readonly isGuess: boolean }[];
  /** Texts of code that may be paths. */
  readonly paths: readonly string[];
}

const DELETES = 'Its code deletes files.';
const STARTS = 'Its code starts other programs.';
const BUILDS = 'Its code runs other code that is not shown.';
const WRITES = 'Its code writes files.';
const ANOTHER = 'An option of it starts another program.';

const TOO_LONG = 'Its code is too long to be checked.';

/** Characters of code that are looked through. */
const MOST_CODE = 4_000;
const MOST_TEXTS = 20;

/** @param words the program and its arguments @param stdin texts that it is given to run, by `<<` and `<<<` */
export function startedCode(words: readonly string[], stdin: readonly string[]): StartedCode {
  const name = programName(words[0] ?? '');
  const args = words.slice(1);
  const code = INLINE.filter(({ names }) => names.test(name)).flatMap(({ find }) => find(args));
  const options = OPTIONS.filter(({ names }) => names.test(name)).flatMap(({ find }) => find(args));
  const ofCode = [...code, ...(isInterpreter(name) ? stdin : [])].map(ofInlineCode);
  return {
    dangers: [...new Set([...ofCode.flatMap(({ dangers }) => dangers), ...(options.length > 0 ? [ANOTHER] : [])])],
    commands: [
      ...ofCode.flatMap(({ texts }) => texts.map((text) => ({ text, isGuess: true }))),
      ...options.map((text) => ({ text, isGuess: false })),
    ],
    paths: ofCode.flatMap(({ paths }) => paths),
  };
}

interface OfCode {
  readonly dangers: readonly string[];
  readonly texts: readonly string[];
  readonly paths: readonly string[];
}

function ofInlineCode(whole: string): OfCode {
  const code = whole.slice(0, MOST_CODE);
  const dangers = SIGNS.filter(([pattern]) => pattern.test(code)).map(([, why]) => why);
  return {
    dangers: whole.length > MOST_CODE ? [...dangers, TOO_LONG] : dangers,
    texts: dangers.includes(STARTS) ? textsOf(code) : [],
    paths: [...code.matchAll(TEXT)].map(unquoted).slice(0, MOST_TEXTS),
  };
}

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [
    /\b(unlink(Sync)?|rmtree|rm(dir)?Sync|rmdir|removedirs|remove_tree|rimraf)\b|\bos\.(remove|truncate)\b|\bfs(\.promises)?\.(rm|truncate)\b|\bpromises['"]\)\.rm\b|\bDeno\.(remove|truncate)\w*|\bFile(Utils)?\.(rm\w*|delete|remove\w*|truncate)\b/,
    DELETES,
  ],
  [
    /\bos\.(system|popen|exec\w*|spawn\w*|execute)\b|\bsubprocess\b|\bpty\.spawn\b|\bchild_process\b|(?<![.\w])(exec|execFile|spawn|fork)(Sync)?\s*\(|(?<!platform\.)\bsystem\s*[("'[]|\b(popen|shell_exec|passthru|proc_open|pcntl_exec|qx)\b|(?<![.\w])exec\s+["'[]|\bOpen3\b|%x[({[/!|]|`[^`]+`|\bdo shell script\b|\bBun\.\$|\bDeno\.(run|Command)\b|\|\s*getline\b/,
    STARTS,
  ],
  // awk's `print > "file"`, sed's `w file`: their own ways to write.
  [/\bprintf?\b[^;}\n]{0,200}>>?\s{0,5}(?!"\/dev\/std)"|^sed writes /, WRITES],
  [/(?<![.\w])(eval|exec|execfile|__import__|compile|Function|loadstring|load)\s*\(|\b(instance|class)_eval\b/, BUILDS],
];

/** Texts of code that may be commands, and lists of texts that may be one in parts. Bounded, so that reading is linear. */
function textsOf(code: string): readonly string[] {
  const lists = [...code.matchAll(LIST)].map(([list]) => [...list.matchAll(TEXT)].map(unquoted).join(' '));
  const texts = [...code.matchAll(TEXT)].map(unquoted);
  const bare = [...code.matchAll(/`([^`]{1,500})`|%x[({[]([^)}\]]{1,500})/g)].map(
    ([, one, other]) => one ?? other ?? '',
  );
  return [...new Set([...lists, ...texts, ...bare])].filter((text) => /\S/.test(text)).slice(0, MOST_TEXTS);
}

const TEXT = /"((?:\\.|[^"\\]){0,500})"|'((?:\\.|[^'\\]){0,500})'/g;
const LIST =
  /(?:"[^"\\\n]{0,100}"\s{0,5},\s{0,5}[[(]?){1,20}"[^"\\\n]{0,200}"|(?:'[^'\\\n]{0,100}'\s{0,5},\s{0,5}[[(]?){1,20}'[^'\\\n]{0,200}'/g;

function unquoted([, double, single]: RegExpMatchArray): string {
  return (double ?? single ?? '').replace(/\\(["'\\])/g, '$1');
}

/** What of the words of some programs is code, or is a command. */
interface Row {
  readonly names: RegExp;
  readonly find: (args: readonly string[]) => readonly string[];
}

/** Long options, each also cut to what is still unique, and short ones. */
function cut(long: string, short: string): RegExp {
  const names = long.split(' ').map((name) => `${name.slice(0, 3)}[a-z-]*`);
  // biome-ignore lint/plugin: made of the constants of this file alone.
  return new RegExp(`^(--(?:${names.join('|')})|${short})`);
}

const behind = (option: RegExp) => (args: readonly string[]) => valuesOf(args, option);
/** As code says it, so that one table of signs does for all. */
const asCode = (command: string): string => `system(${JSON.stringify(command.trim())})`;

const isDataAddress = (value: string): boolean => /^(data|https?):/.test(value);
const asEval = (value: string): string => `eval(${JSON.stringify(value)})`;

const INLINE: readonly Row[] = [
  { names: /^(python|pypy)[\d.]*$/, find: behind(/^-[bBdEhiIOPqsSuvVx]*c/) },
  { names: /^(node|nodejs|bun|tsx|ts-node)$/, find: behind(/^(--eval|--print|-pe|-e|-p)/) },
  {
    names: /^(node|nodejs|bun|tsx)$/,
    find: (args) =>
      valuesOf(args, /^--import/)
        .filter(isDataAddress)
        .map(asEval),
  },
  { names: /^deno$/, find: (args) => (args[0] === 'eval' ? [args.slice(1).join(' ')] : []) },
  { names: /^perl[\d.]*$/, find: behind(/^-[a-zA-Z0-9]*?[eE]/) },
  { names: /^(ruby|jruby)[\d.]*$/, find: behind(/^-[a-zA-Z]*?e/) },
  { names: /^php[\d.]*$/, find: behind(/^(--run|--process-begin|--process-end|-r|-B|-R|-E)/) },
  {
    names:
      /^(lua(jit)?[\d.]*|rscript|r|julia|elixir|groovy|scala|ghc|guile|osascript|swipl|crystal|gnuplot|octave|matlab)$/,
    find: behind(/^(--eval|--expression|--execute|-e|-E)/),
  },
  { names: /^(emacs|emacsclient)$/, find: behind(/^(--eval|-eval|--execute|--funcall|-f)/) },
  // The program is the first operand; `print | "command"` starts it.
  {
    names: /^[gmn]?awk$/,
    find: (args) => firstOperand(args, /^-[vFf]$/).map((code) => code.replace(/\|\s*&?\s*(?=")/g, '; system ')),
  },
  { names: /^g?sed$/, find: sedScripts },
  { names: /^(n?vim?|view|ex|gvim)$/, find: vimCommands },
  { names: /^(sqlite3?|duckdb)$/, find: (args) => behindSign(args, /(?:^|\n)\s*\.(?:shell|system)\s+([^\n]*)/) },
  {
    names: /^(psql|mysql|mariadb)$/,
    find: (args) => behindSign(args, /\\!\s*([^\n]*)|(?:^|[;\n])\s*system\s+([^\n]*)/),
  },
  { names: /^(gdb|lldb)$/, find: (args) => behindSign(args, /(?:^|\n)\s*(?:shell|!|platform shell)\s*([^\n]*)/) },
  {
    names: /^(make|gmake)$/,
    find: (args) => valuesOf(args, /^--eval/).map((text) => text.replace(/\$\(shell\s+([^)]*)\)/g, '`$1`')),
  },
];

function behindSign(args: readonly string[], sign: RegExp): readonly string[] {
  return args.flatMap((arg) => {
    const [found, ...parts] = sign.exec(arg.slice(0, MOST_CODE)) ?? [];
    return found === undefined ? [] : [asCode(parts.find((part) => part !== undefined) ?? '')];
  });
}

/** `-c '!rm x'`, `+!rm`, `:!`, `:r !`, `:%!`. */
function vimCommands(args: readonly string[]): readonly string[] {
  const given = [
    ...valuesOf(args, /^(--cmd|-c)/),
    ...args.flatMap((arg) => (arg.startsWith('+') ? [arg.slice(1)] : [])),
  ];
  return given.flatMap((text) => [text, ...behindSign([text], /(?:^|[|:\s%\d])!\s*([^\n]*)/)]);
}

/** sed runs commands with `e`, as a command of its own and as a flag of `s`. */
function sedScripts(args: readonly string[]): readonly string[] {
  const given = valuesOf(args, /^(--expression|-e)/);
  const scripts = given.length > 0 ? given : firstOperand(args, /^(-[lEf]|--line-length|--file)$/);
  return scripts.flatMap((whole) => {
    const script = whole.slice(0, MOST_CODE);
    if (SUBSTITUTES_AND_RUNS.test(script)) return [asCode('…')];
    const bare = script.replace(SUBSTITUTES, 's').replace(/\/(?:\\.|[^/\\]){0,400}\//g, '/');
    const [found, command = ''] = /(?:^|[;{}\n\d$,/])\s*e(?:\s+([^\n]+)|\s*(?=$|[;}]))/.exec(bare) ?? [];
    if (found !== undefined) return [asCode(command || '…')];
    const [, file] =
      /(?:^|[;{}\n\d$,/])\s*[wW]\s+(?!\/dev\/std)([^\n;}]+)/.exec(bare) ??
      SUBSTITUTES_AND_WRITES.exec(script)?.slice(1) ??
      [];
    return file === undefined ? [] : [`sed writes ${JSON.stringify(file.trim())}`];
  });
}

const SUBSTITUTES = /[sy]([^\w\s])(?:\\.|(?!\1)[^\\]){0,400}\1(?:\\.|(?!\1)[^\\]){0,400}\1/g;
const SUBSTITUTES_AND_WRITES =
  /s([^\w\s])(?:\\.|(?!\1)[^\\]){0,400}\1(?:\\.|(?!\1)[^\\]){0,400}\1[gpiImM\d]*w\s*(?!\/dev\/std)([^\n]+)/;
const SUBSTITUTES_AND_RUNS = /s([^\w\s])(?:\\.|(?!\1)[^\\]){0,400}\1(?:\\.|(?!\1)[^\\]){0,400}\1[gpiImM\d]*e/;

function firstOperand(args: readonly string[], withValue: RegExp): readonly string[] {
  return args.filter((arg, at) => !arg.startsWith('-') && !withValue.test(args[at - 1] ?? '')).slice(0, 1);
}

/** `-o ProxyCommand=…`, `-oProxyCommand …`. */
function sshOptions(args: readonly string[]): readonly string[] {
  return valuesOf(args, /^-o/).flatMap((option) => {
    const [, value] =
      /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)\s*[=\s]\s*(.*)$/is.exec(option) ?? [];
    return value === undefined || value === 'none' ? [] : [value];
  });
}

/** Packers and connections, with plain options: what people give to tar and rsync all day. */
const isEveryday = (command: string): boolean =>
  /^\s*(ssh|rsync|gzip|pigz|bzip2|lbzip2|pbzip2|xz|pixz|zstd|zstdmt|lz4|lzma|lzop|brotli)(\s+(--?[A-Za-z][\w-]*|-\d+|\d+))*\s*$/.test(
    command,
  );

const OPTIONS: readonly Row[] = [
  {
    names: /^(tar|gtar|bsdtar)$/,
    find: (args) => [
      ...valuesOf(
        args,
        cut('to-command use-compress-program rsh-command info-script new-volume-script', '-I|-F'),
      ).filter((command) => !isEveryday(command)),
      ...valuesOf(args, /^--checkpoint-action/).flatMap((value) => (value.startsWith('exec=') ? [value.slice(5)] : [])),
    ],
  },
  { names: /^(ssh|scp|sftp|sshfs|mosh|autossh)$/, find: sshOptions },
  {
    names: /^(rsync)$/,
    find: (args) => valuesOf(args, /^(--rsh|--rsync-path|-e)/).filter((command) => !isEveryday(command)),
  },
  { names: /^(scp|sftp)$/, find: behind(/^-[SD]/) },
  { names: /^go$/, find: behind(/^--?(exec|toolexec|vettool)(?=$|=)/) },
  { names: /^(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)$/, find: behind(/^-wrapper$/) },
  { names: /^(gdb|lldb)$/, find: behind(/^--args$/) },
  {
    names: /^cargo$/,
    find: (args) => valuesOf(args, /^--config/).filter((value) => /runner|linker|rustc|credential/.test(value)),
  },
  { names: /^(nc|ncat|netcat)$/, find: behind(/^(--exec|--sh-exec|--lua-exec|-e|-c)$/) },
  {
    names: /^socat$/,
    find: (args) => args.flatMap((arg) => /^(?:exec|system|shell):(.*)$/is.exec(arg)?.slice(1) ?? []),
  },
  { names: /^tcpdump$/, find: behind(/^-z$/) },
  { names: /^fzf$/, find: behind(/^--preview/) },
  {
    names: /^strace$/,
    find: (args) => valuesOf(args, /^(--output|-o)/).flatMap((to) => /^[|!](.*)$/s.exec(to)?.slice(1) ?? []),
  },
  { names: /^(nix|nix-shell)$/, find: behind(/^(--run|--command|-c)$/) },
  { names: /^env$/, find: behind(/^(--split-string|-S)/) },
  { names: /^(man)$/, find: behind(/^(--pager|--html|-P|-H)/) },
  { names: /^zip$/, find: behind(/^(--unzip-command|-TT)/) },
  { names: /^(rg|ripgrep)$/, find: behind(/^(--pre|--hostname-bin)(?=$|=)/) },
  { names: /^(sort|gsort)$/, find: behind(/^--compress-program/) },
  { names: /^(split|gsplit)$/, find: behind(/^--filter/) },
  { names: /^wget$/, find: behind(/^--use-askpass/) },
  {
    names: /^(make|gmake)$/,
    find: (args) => args.flatMap((arg) => (/^(MAKE)?SHELL=/.test(arg) ? [arg.slice(arg.indexOf('=') + 1)] : [])),
  },
  {
    names: /^(npm|pnpm|yarn|npx|pnpx|bunx)$/,
    find: (args) => [...valuesOf(args, /^--script-shell/), ...valuesOf(args, /^(--call|-c)/)],
  },
  { names: /^(su|runuser|script|flock|watchexec|nodemon|pkexec)$/, find: behind(/^(--command|--exec|-c|-x)/) },
  {
    names: /^(ffmpeg|convert|magick|mogrify)$/,
    find: (args) => args.flatMap((arg) => (/^(msl|ephemeral|pipe|delegate):/.test(arg) ? [arg] : [])),
  },
  {
    names: /^(x-terminal-emulator|xterm|gnome-terminal|konsole|alacritty|kitty|wt)$/,
    find: (args) => {
      const at = args.findIndex((arg) => /^(-e|-x|--|--command)$/.test(arg));
      return at < 0 ? [] : [args.slice(at + 1).join(' ')];
    },
  },
];
