/** What one program with its arguments does, as far as its words tell. */

import type { TextRange } from '../../api.ts';
import { findDestructive } from './destructive.ts';
import type { Finding } from './finding.ts';
import { inspectPath } from './inspect-paths.ts';
import { isShell, programName, runsArguments, runsStdin } from './programs.ts';
import { type ShellKind, type SimpleCommand, shellKind, UNKNOWN, type Word } from './shell/index.ts';
import { startedCode } from './started-code.ts';
import { startingVariable, variablesAmong } from './starting-variables.ts';

/** Text that a program is given to run as a script. */
export interface Payload {
  readonly text: string;
  readonly range: TextRange;
  /** Undefined: for the shell that runs the whole. */
  readonly kind: ShellKind | undefined;
  /** It may be no command at all: only what it would destroy counts. */
  readonly isGuess?: boolean;
}

/**
 * @param words the program and its arguments; in `sudo rm x` also those from `rm` on
 * @param command that the words are of
 */
export function inspectInvocation(words: readonly Word[], command: SimpleCommand, kind: ShellKind) {
  const name = baseName(words[0]?.text ?? '');
  const args = words.slice(1);
  const texts = args.map(({ text }) => text);
  const range = rangeOf(words, command);
  const destructive = findDestructive({ name, args: texts }).map(({ level, why }): Finding => {
    return { level, why, parts: [range] };
  });
  const others: Finding[] = [];
  const payloads: Payload[] = [];
  const always = (why: string, parts: readonly TextRange[] = [range]) => others.push({ level: 'always', why, parts });
  if (isShell(name)) {
    const inner = shellKind(name) === 'other' ? 'posix' : shellKind(name);
    for (const text of payloadsOf(texts)) payloads.push({ text, range, kind: inner });
    for (const text of command.stdin) payloads.push({ text, range, kind: inner });
    if (words.some(({ dynamic }) => dynamic) && args.length > 0) {
      always('What the inner shell runs is only known when it runs.');
    }
    if (texts.some((text) => /^-e(nc(odedcommand)?)?$/i.test(text)) && inner === 'powershell') {
      always('What the inner shell runs is encoded.');
    }
  }
  if (/^(eval|source|\.|iex|invoke-expression)$/.test(name)) {
    if (words.some(({ dynamic }) => dynamic)) always('What it runs is only known when it runs.');
    if (name !== 'source' && name !== '.') payloads.push({ text: texts.join(' '), range, kind });
  }
  if (runsArguments(name, texts) && words[0] === command.words[0]) {
    for (const word of args.filter(({ quoted, text }) => quoted && /\s/.test(text))) {
      payloads.push({ text: word.text, range: word, kind });
    }
  }
  for (const word of [...(words[0] === command.words[0] ? command.assignments : []), ...variablesAmong(name, args)]) {
    const variable = startingVariable(word);
    if (!variable) continue;
    always(variable.why, [word]);
    if (variable.command) payloads.push({ text: variable.command, range: word, kind: 'posix', isGuess: true });
  }
  if (/^(at|batch|crontab)$/.test(name)) {
    for (const text of command.stdin) payloads.push({ text, range, kind: 'posix' });
  }
  const started = startedCode(
    words.map(({ text }) => text),
    runsStdin(name, [name, ...texts]) ? command.stdin : [],
  );
  for (const path of started.paths) others.push(...inspectPath(path, range));
  destructive.push(...started.dangers.map((why): Finding => ({ level: 'always', why, parts: [range] })));
  payloads.push(...started.commands.map(({ text, isGuess }) => ({ text, range, kind: 'posix' as const, isGuess })));
  return { destructive, others, payloads };
}

export function nameOf(command: SimpleCommand): string {
  return baseName(command.words[0]?.text ?? '');
}

function baseName(word: string): string {
  return programName(word.replaceAll(UNKNOWN, ''));
}

function rangeOf(words: readonly Word[], command: SimpleCommand): TextRange {
  const [first] = words;
  const ends = words.map(({ end }) => end);
  return first ? { start: first.start, end: Math.max(...ends) } : { start: command.start, end: command.end };
}

/** The scripts given by `-c` (also in a cluster such as `-lc`), `-Command` or `/c`. */
function payloadsOf(args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg) => /^-[a-z]*c[a-z]*$|^-command$|^\/[ck]$/i.test(arg));
  return at < 0 ? [] : [...new Set([args.slice(at + 1).join(' '), args[at + 1] ?? ''])];
}
