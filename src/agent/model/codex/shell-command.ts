/** Codex runs a command by a login shell and shows it whole: `/bin/bash -lc 'npm test'`. People know it as `npm test`. */

import { type ShellKind, shellKind } from '../../safety/index.ts';

/** Shells in the folders of the system. One in any other place may be anything, and is shown. */
const SHELL = /^(\/(usr\/)?(local\/)?bin\/|\/opt\/homebrew\/bin\/)?(ba|z|da|k)?sh$/;
const POWERSHELL =
  /^(C:\\Windows\\System32\\WindowsPowerShell\\v1\.0\\|C:\\Program Files\\PowerShell\\7\\)?(powershell|pwsh)(\.exe)?$/i;

/** What the shell is given to run; the text itself when it is no shell with a script. */
export function scriptOf(command: string): string {
  return unwrapped(command).script;
}

/** The script with the shell that runs it. What is not wrapped is read as text for `sh`, which Codex quotes it for. */
export function unwrapped(command: string): { readonly script: string; readonly shell: ShellKind } {
  const words = wordsOf(command);
  const [program = '', option = '', script, ...rest] = words ?? [];
  const shell = SHELL.test(program) && /^-l?c$/.test(option);
  const powershell = POWERSHELL.test(program) && /^-(c|command)$/i.test(option);
  const wraps = (shell || powershell) && script !== undefined && rest.length === 0;
  return wraps ? { script, shell: shellKind(program) } : { script: command, shell: 'posix' };
}

/** Words by the quoting that `shlex` writes; undefined when a quote is not closed. */
function wordsOf(command: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < command.length; at++) {
    const character = command[at] ?? '';
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === "'" || character === '"') {
      const end = closing(command, at + 1, character);
      if (end < 0) return undefined;
      const quoted = command.slice(at + 1, end);
      word = (word ?? '') + (character === "'" ? quoted : quoted.replace(/\\(["\\$`])/g, '$1'));
      at = end;
    } else if (character === '\\') {
      word = (word ?? '') + (command[++at] ?? '');
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === undefined ? words : [...words, word];
}

function closing(command: string, from: number, quote: string): number {
  for (let at = from; at < command.length; at++) {
    if (command[at] === '\\' && quote === '"') at++;
    else if (command[at] === quote) return at;
  }
  return -1;
}
