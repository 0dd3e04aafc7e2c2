/** What a line of shell text holds, whichever shell it is for. All places are offsets in UTF-16 code units of the text. */

import type { TextRange } from '../../../api.ts';
import type { LiteralPart } from './literal-chain.ts';

/** Stands in a word for what only the shell will know. */
export const UNKNOWN = '…';

export interface Word extends TextRange {
  /** Without quotes and escapes. `$HOME` becomes `~`, parameters such as `$@` nothing, any other expansion `UNKNOWN`. */
  readonly text: string;
  /** Some of it is quoted or escaped. */
  readonly quoted: boolean;
  /** It holds an expansion, so that the shell may see something else. */
  readonly dynamic: boolean;
  /**
   * It means itself: every character outside of quotes is one of `A-Za-z0-9_@%+=:,./-`, or a tilde or caret
   * behind a letter or digit, and nothing inside of double quotes is expanded. A glob, a brace, any other tilde, a backslash or an expansion
   * make a word that is not literal.
   */
  readonly literal: boolean;
}

export interface Redirect extends TextRange {
  readonly operator: string;
  /** The text of the word behind the operator. */
  readonly target: string;
}

export interface SimpleCommand extends TextRange {
  /** Its program and its arguments. Empty where only redirects or assignments stand. */
  readonly words: readonly Word[];
  /** `NAME=value` in front of the program. */
  readonly assignments: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Text given to its stdin by `<<` or `<<<`. */
  readonly stdin: readonly string[];
  /** It reads what another command writes. */
  readonly piped: boolean;
  /** The command whose output it reads, where that is one. */
  readonly reads: SimpleCommand | undefined;
}

export interface ShellScript {
  /** All simple commands in the order of the text, also those inside of groups, functions, loops and substitutions. */
  readonly commands: readonly SimpleCommand[];
  /** One simple command of literal words and nothing else: what runs is exactly what stands there. */
  readonly plain: boolean;
  /** The same of several commands in a row; also of one, unless it changes the shell itself. Only for POSIX shells. */
  readonly chain?: readonly LiteralPart[];
  /** A function starts copies of itself side by side. */
  readonly forkBomb: boolean;
  /** Why the text could not be read for certain, or undefined. The commands are a guess then. */
  readonly unsure: string | undefined;
}
