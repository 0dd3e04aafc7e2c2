/**
 * Reads shell text: which simple commands there are, with quotes and escapes resolved as the shell would. It runs nothing
 * and expands nothing; what it cannot read for certain is reported as `unsure`, and unsure asks.
 */

import { type Grammar, grammarOf } from './grammar.ts';
import { readPosix } from './read-posix.ts';
import { readPowerShell } from './read-powershell.ts';
import { type RoughQuotes, roughCommands } from './rough.ts';
import type { ShellScript } from './script.ts';
import type { ShellKind } from './shell-kind.ts';

export { type LiteralPart, literalChain } from './literal-chain.ts';
export { type Redirect, type ShellScript, type SimpleCommand, UNKNOWN, type Word } from './script.ts';
export { type ShellKind, shellKind } from './shell-kind.ts';

export interface ShellReader {
  read(text: string, kind: ShellKind): ShellScript;
}

/**
 * Grammars are loaded when they are first asked for; after that reading takes a fraction of a millisecond.
 *
 * @param also whether the text may be for PowerShell. Without it such text is read as that of an unknown shell.
 */
export async function shellReader({ powershell: also }: { readonly powershell: boolean }): Promise<ShellReader> {
  const [posix, powershell] = await Promise.all([grammarOf('bash'), also ? grammarOf('powershell') : undefined]);
  bash = posix;
  return {
    read(text, kind) {
      switch (kind) {
        case 'posix':
          return readPosix(posix, text);
        case 'powershell':
          return powershell ? readPowerShell(powershell, text) : unread(text, 'posix');
        case 'cmd':
        case 'other':
          return unread(text, kind === 'cmd' ? 'cmd' : 'posix');
        default:
          return kind satisfies never;
      }
    },
  };
}

let bash: Grammar | undefined;

/**
 * The same for `sh`, at once. Undefined until the grammar is loaded: who needs it has `shellReader` load it before.
 */
export function readNow(text: string): ShellScript | undefined {
  return bash && readPosix(bash, text);
}

function unread(text: string, quotes: RoughQuotes): ShellScript {
  const unsure = 'no grammar of this shell is at hand';
  return { commands: roughCommands(text, quotes), plain: false, forkBomb: false, unsure };
}
