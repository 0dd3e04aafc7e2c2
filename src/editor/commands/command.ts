import type { ChatPages } from '../chat-view.ts';
import type { Core } from '../core.ts';

/** What a command works with. */
export interface CommandHost {
  readonly core: Core;
  readonly pages: ChatPages;
}

/**
 * Runs a command. What it returns is what `executeCommand` gives to a script: a receipt where there is one. Without
 * an argument it asks the user for what it needs.
 */
export type Command = (host: CommandHost, argument: unknown) => unknown;
