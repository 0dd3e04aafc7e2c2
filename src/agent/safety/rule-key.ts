/**
 * What *session* and *always* store for a command. A rule covers one simple command: its exact text, or, for well-known
 * build and test commands, every command that starts with the same words. Nothing with operators, redirects, expansions
 * or variables is ever covered by a rule or gets one (`git status; curl x | sh` is not `git status`).
 */

import { inspectCommand, plainForm } from './command-rules.ts';
import { parseShell } from './shell-words.ts';

/** Undefined: only *once* and *deny* can be offered. */
export function ruleForCommand(command: string): { readonly key: string; readonly words: string } | undefined {
  const text = command.trim();
  if (text !== plainForm(text) || inspectCommand(text).level !== 'ask') return undefined;
  const script = parseShell(text);
  if (!script.plain || script.unsure) return undefined;
  const words = script.commands[0]?.words ?? [];
  const family = words.some((word) => word.quoted) ? undefined : familyOf(words.map((word) => word.text));
  if (family) return { key: `run:${family} …`, words: `commands that start with \`${family}\`` };
  return { key: `run=${text}`, words: `exactly this command: \`${text}\`` };
}

/** The words that a rule may stand for, if the rest are plain operands that cannot make the tool do something else. */
function familyOf(words: readonly string[]): string | undefined {
  const [tool = '', subcommand = '', script = ''] = words;
  if (/^(npm|pnpm|yarn|bun)$/.test(tool)) {
    const named = subcommand === 'run' && /^[\w:.-]+$/.test(script) && !script.startsWith('-');
    if (!named && subcommand !== 'test') return undefined;
    const rest = words.slice(named ? 3 : 2);
    const passed = rest.indexOf('--');
    return areOperands(passed < 0 ? rest : rest.slice(0, passed))
      ? `${tool} ${named ? `run ${script}` : 'test'}`
      : undefined;
  }
  if (tool === 'git' && /^(status|diff|log|show|blame|shortlog)$/.test(subcommand)) {
    return words.slice(2).some(makesGitRunOrWrite) ? undefined : `git ${subcommand}`;
  }
  const known = FAMILIES.find(([name, subcommands]) => name === tool && subcommands.test(subcommand));
  return known && areOperands(words.slice(2)) ? `${tool} ${subcommand}` : undefined;
}

const FAMILIES: readonly (readonly [string, RegExp])[] = [
  ['cargo', /^(build|check|test|clippy|fmt|bench|doc)$/],
  ['go', /^(build|test|vet|fmt)$/],
  ['deno', /^(test|check|lint|fmt)$/],
  ['dotnet', /^(build|test)$/],
  ['mvn', /^(test|compile|verify)$/],
  ['mix', /^(test|compile|format)$/],
  ['swift', /^(build|test)$/],
];

/** No options and no `NAME=value`: those can name other programs, scripts or places. */
function areOperands(words: readonly string[]): boolean {
  return words.every((word) => /^[\w@.,/:+\\*-]+$/.test(word) && !word.startsWith('-') && !isOutside(word));
}

function isOutside(word: string): boolean {
  return word.startsWith('/') || word.startsWith('~') || word.split('/').includes('..');
}

/** Options (also abbreviated) that write a file, or run a program that the repository names. */
function makesGitRunOrWrite(word: string): boolean {
  const option = /^--([a-z-]+)/.exec(word)?.[1];
  if (option === undefined) return /^-O/.test(word);
  return ['output', 'ext-diff', 'textconv', 'open-files-in-pager'].some(
    (risky) => risky === option || (option.length >= 2 && risky.startsWith(option)),
  );
}
