/** What a card may mask in a command: nothing that the shell acts on. */

import type { TextRange } from '../../api.ts';
import { isInterpreter, isShell, mayRunArguments, programName } from './programs.ts';
import { isKey } from './secret-formats.ts';
import type { ShellScript, SimpleCommand, Word } from './shell/index.ts';

/**
 * Literal words that are wholly a secret, by the form of known keys: arguments, and values of variables. Nothing is taken
 * for a secret because of the name beside it: `API_KEY='rm -rf'` and `$API_KEY /` would hide what runs. Nothing is masked
 * in a text that could not be read, nor where a word may be the name of a program or of a script.
 */
export function secretWords(script: ShellScript): readonly TextRange[] {
  if (script.unsure !== undefined) return [];
  return script.commands.flatMap((command) => [
    ...argumentsOf(command).filter(isSecret).map(wordPlace),
    ...command.assignments.filter(isSecretValue).map(valuePlace),
  ]);
}

/** The command with its secret words masked, each by as many `•` as it is long. */
export function maskRanges(text: string, ranges: readonly TextRange[]): string {
  return ranges.reduce(
    (masked, { start, end }) => masked.slice(0, start) + '•'.repeat(end - start) + masked.slice(end),
    text,
  );
}

function argumentsOf({ words }: SimpleCommand): readonly Word[] {
  const name = programName(words[0]?.text ?? '');
  if (isShell(name) || isInterpreter(name) || mayRunArguments(name) || RUNS_NAMES.test(name)) return [];
  return words.slice(1);
}

/** An argument may be the name of what they run: a script of the project, a target, a subcommand of one's own. */
const RUNS_NAMES =
  /^(source|\.|eval|npm|pnpm|yarn|bun|make|gmake|just|task|rake|git|cargo|go|uv|poetry|pipx|tsx|ts-node|java|dotnet|mvn|gradle|ant|ninja|tar|vim?|nvim|awk|gawk|sed|start|open)$/;

function isSecret({ text, literal, quoted }: Word): boolean {
  return literal && !quoted && isKey(text);
}

/** Other variables may name a program or a script: `PATH`, `BASH_ENV`, `GIT_EXTERNAL_DIFF`, `LD_PRELOAD`. */
function isSecretValue({ text, literal, quoted }: Word): boolean {
  const [, name = '', value = ''] = /^(\w+)\+?=(.*)$/s.exec(text) ?? [];
  return literal && !quoted && /KEY|TOKEN|SECRET|PASS|AUTH|CRED/i.test(name) && isKey(value);
}

function wordPlace({ start, end }: Word): TextRange {
  return { start, end };
}

function valuePlace({ text, end }: Word): TextRange {
  return { start: end - text.replace(/^\w+\+?=/, '').length, end };
}
