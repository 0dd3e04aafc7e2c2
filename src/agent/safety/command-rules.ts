/**
 * What a command is before it runs: blocked, asked for every time, or asked for unless a rule allows it.
 *
 * The shell text is read by a careful tokenizer (`shell-words.ts`), not by a full grammar. So whatever is not understood
 * asks: text that does not parse, a command whose name is only known when it runs, a payload nested too deeply.
 * This guards against accidents and against a model that was led astray. It is no wall: a script can hide anything.
 */

import { type Finding, findDestructive, isDevice, isSystemRoot } from './destructive.ts';
import { protectedKind } from './protected-places.ts';
import { secretKind } from './sensitive.ts';
import { parseShell, type SimpleCommand, UNKNOWN } from './shell-words.ts';

export type Verdict = Finding | { readonly level: 'ask' };

/** A longer command cannot be judged, and no honest one is that long. */
const LONGEST = 100_000;
const DEEPEST = 4;
/** Words among which the command that another one runs is looked for. */
const MOST_WORDS = 100;

export function inspectCommand(command: string): Verdict {
  if (command.length > LONGEST) return blocked('it is longer than 100,000 characters. Put it into a file.');
  if (command.includes('\0')) return blocked('it holds a NUL character.');
  return worst(inspectScript(plainForm(command), 0)) ?? { level: 'ask' };
}

/** One spelling for what looks or reads the same: compatibility forms, invisible characters, colour codes. */
export function plainForm(command: string): string {
  return (
    command
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escapes are the subject
      .replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')
  );
}

function worst(findings: readonly Finding[]): Finding | undefined {
  return findings.find((finding) => finding.level === 'blocked') ?? findings[0];
}

function inspectScript(source: string, depth: number): readonly Finding[] {
  if (depth > DEEPEST) return [always('It nests commands too deeply to be checked.')];
  const script = parseShell(source);
  const findings: Finding[] = [];
  if (script.unsure) findings.push(always(`It cannot be checked: ${script.unsure}.`));
  if (isForkBomb(script.skeleton)) findings.push(blocked('it starts copies of itself without end.'));
  if (script.commands.some((one) => DATABASE.test(nameOf(one))) && SQL.test(source)) {
    findings.push(always('It deletes data of a database.'));
  }
  for (const substitution of script.substitutions) findings.push(...inspectScript(substitution, depth + 1));
  let inSystemRoot = false;
  script.commands.forEach((command, index) => {
    findings.push(...inspectSimple(command, script.commands[index - 1], depth));
    if (inSystemRoot && deletesEverythingHere(command)) {
      findings.push(blocked('it deletes the whole system, a system folder or a home folder.'));
    }
    if (nameOf(command) === 'cd') inSystemRoot = isSystemRoot(command.words[1]?.text ?? '~');
  });
  return findings;
}

function inspectSimple(command: SimpleCommand, before: SimpleCommand | undefined, depth: number): readonly Finding[] {
  const findings: Finding[] = [...command.redirects.flatMap(inspectRedirect)];
  const [first] = command.words;
  if (first && (first.dynamic || /[*?[]/.test(first.text.slice(1)))) {
    findings.push(always('Which program it runs is only known when it runs.'));
  }
  const args = command.words.map((word) => word.text);
  const name = nameOf(command);
  if (RUNS_ITS_ARGUMENTS.test(name)) {
    if (args.length > MOST_WORDS) findings.push(always('It has too many words to be checked.'));
    const looked = command.words.slice(0, MOST_WORDS);
    looked.forEach((word, at) => {
      if (at === 0) return;
      findings.push(...inspectInvocation(args.slice(at, MOST_WORDS), command, depth));
      if (word.quoted && /\s/.test(word.text)) findings.push(...inspectScript(word.text, depth + 1));
    });
  }
  findings.push(...inspectInvocation(args, command, depth));
  if (command.piped && readsProgramFromStdin(name, args)) {
    findings.push(always('It runs what another command prints.'));
    if (before && PRINTS.test(nameOf(before))) {
      findings.push(
        ...inspectScript(
          before.words
            .slice(1)
            .map((word) => word.text)
            .join(' '),
          depth + 1,
        ),
      );
    }
  }
  return findings;
}

/** The command that starts at the first of `words`. */
function inspectInvocation(words: readonly string[], command: SimpleCommand, depth: number): readonly Finding[] {
  const name = baseName(words[0] ?? '');
  const args = words.slice(1);
  const findings: Finding[] = [];
  const destructive = findDestructive({ name, args });
  if (destructive) findings.push(destructive);
  if (SHELL.test(name)) {
    for (const payload of payloads(args)) findings.push(...inspectScript(payload, depth + 1));
    for (const text of command.stdin) findings.push(...inspectScript(text, depth + 1));
    if (command.words.some((word) => word.dynamic) && args.length > 0) {
      findings.push(always('What the inner shell runs is only known when it runs.'));
    }
  }
  if (name === 'eval' || name === 'source' || name === '.') {
    if (command.words.some((word) => word.dynamic)) findings.push(always('What it runs is only known when it runs.'));
    if (name === 'eval') findings.push(...inspectScript(args.join(' '), depth + 1));
  }
  if (!PRINTS.test(name) && !isGitMessage(name, args)) findings.push(...inspectPaths(name, args));
  return findings;
}

function inspectPaths(name: string, args: readonly string[]): readonly Finding[] {
  for (const path of args.flatMap((arg) => arg.split(/[=:@,]/))) {
    const secret = secretKind(path);
    if (secret) return [always(`It touches ${path.slice(0, 80)}, ${secret}.`)];
    const kind = WRITES.test(name) ? (protectedKind(path) ?? startupFile(path)) : undefined;
    if (kind) return [always(`It may change ${path.slice(0, 80)}. ${kind}`)];
    if (/^(\/\/)?(169\.254\.169\.254|metadata\.google\.internal)/.test(path)) {
      return [always("It asks the cloud's metadata service, which hands out keys.")];
    }
  }
  return [];
}

function inspectRedirect({ operator, target }: SimpleCommand['redirects'][number]): readonly Finding[] {
  const writes = operator.includes('>') && !(operator.endsWith('&') && /^[\d-]+$/.test(target));
  if (writes && isDevice(target)) return [blocked('it overwrites a device.')];
  const why = secretKind(target) ?? (writes ? (protectedKind(target) ?? startupFile(target)) : undefined);
  return why === undefined ? [] : [always(`It ${writes ? 'writes to' : 'reads'} ${target.slice(0, 80)}: ${why}`)];
}

/** What a shell or the system runs or reads by itself later. */
function startupFile(path: string): string | undefined {
  const startup = /(^|\/)\.(bashrc|bash_profile|bash_login|profile|zshrc|zshenv|zprofile|gitconfig|xprofile|inputrc)$/;
  if (startup.test(path) || /^~?\/?\.config\//.test(path)) return 'It is read by programs when they start.';
  return /^\/(etc|usr|boot|lib|bin|sbin|System|Library)\//.test(path) ? 'It belongs to the system.' : undefined;
}

function deletesEverythingHere(command: SimpleCommand): boolean {
  const args = command.words.slice(1).map((word) => word.text);
  const recursive = args.some((arg) => /^-[a-z]*r|^--recursive$/i.test(arg));
  return nameOf(command) === 'rm' && recursive && args.some((arg) => /^(\.\/)?(\*|\.\*?|)$/.test(arg));
}

/** A function that pipes itself into itself in the background. The first 20 names are looked at. */
function isForkBomb(skeleton: string): boolean {
  const definitions = skeleton.matchAll(/(?<![\w:.])([\w:.]{1,80})\s{0,9}\(\)\s*\{/g);
  const names = [...new Set([...definitions].map(([, name]) => name ?? ''))].slice(0, 20);
  return names.some((name) => {
    const escaped = name.replace(/[.:]/g, '\\$&');
    return new RegExp(`(^|[\\s;{|&(])${escaped}\\s*\\|\\s*${escaped}\\s*&`).test(skeleton);
  });
}

/** The scripts given by `-c` (also in a cluster such as `-lc`), `-Command` or `/c`. */
function payloads(args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg) => /^-[a-z]*c[a-z]*$|^-command$|^\/[ck]$/i.test(arg));
  return at < 0 ? [] : [args.slice(at + 1).join(' '), args[at + 1] ?? ''];
}

function readsProgramFromStdin(name: string, args: readonly string[]): boolean {
  if (!SHELL.test(name) && !INTERPRETER.test(name) && !/^(sudo|env|xargs|nohup|time|command|exec|doas)$/.test(name))
    return false;
  if (!SHELL.test(name) && !INTERPRETER.test(name)) {
    return args.some((arg) => SHELL.test(baseName(arg)) || INTERPRETER.test(baseName(arg)));
  }
  return !args.slice(1).some((arg) => !arg.startsWith('-')) || args.includes('-s') || args.includes('-');
}

function isGitMessage(name: string, args: readonly string[]): boolean {
  return name === 'git' && (args.includes('commit') || args.includes('tag'));
}

function nameOf(command: SimpleCommand): string {
  return baseName(command.words[0]?.text ?? '');
}

function baseName(word: string): string {
  return word
    .replaceAll(UNKNOWN, '')
    .replace(/^.*[\\/]/, '')
    .replace(/\.(exe|cmd|bat)$/i, '')
    .toLowerCase();
}

function always(why: string): Finding {
  return { level: 'always', why };
}

function blocked(why: string): Finding {
  return { level: 'blocked', why };
}

const SHELL = /^((ba|da|z|k|a|fi|c|tc)?sh|pwsh|powershell|cmd)$/;
const INTERPRETER =
  /^(python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|tclsh|r|rscript|iex|invoke-expression)$/;
/** Programs whose arguments are a command, or may hold one. */
const RUNS_ITS_ARGUMENTS =
  /^(sudo|doas|su|runuser|gosu|pkexec|env|nohup|time|timeout|gtimeout|nice|ionice|chrt|taskset|stdbuf|setsid|exec|command|builtin|xargs|find|fd|watch|parallel|strace|ltrace|busybox|toybox|ssh|docker|podman|nerdctl|kubectl|flock|chroot|unshare|nsenter|entr|script|npx|bunx|start-process|trap|if|then|do|else)$/;
const PRINTS = /^(echo|printf|write-output|write-host|:|true|false)$/;
const WRITES =
  /^(tee|cp|mv|ln|install|rm|dd|touch|truncate|sed|gsed|perl|awk|gawk|rsync|curl|wget|patch|unlink|chmod|set-content|add-content|out-file|new-item|copy-item|move-item|copy|move)$/;
const DATABASE =
  /^(psql|mysql|mariadb|sqlite3?|sqlcmd|mongo|mongosh|clickhouse(-client)?|duckdb|cockroach|usql|pgcli|mycli|bq)$/;
const SQL =
  /\b(drop\s+(table|database|schema|view|index|user|role|collection|keyspace)|truncate\s+(table\s+)?\w|delete\s+from\s+[\w".`]+\s*(;|$|["')]))|\.(drop|dropDatabase|deleteMany|remove)\s*\(/im;
