/** What the user is asked before a command runs, whoever runs it. */

import type { Danger, TextRange } from '../../api.ts';
import { type CommandRule, type RulePlace, ruleFor } from './command-rule.ts';
import { inspectCommand } from './inspect-command.ts';
import { secretWords } from './secret-words.ts';
import type { ShellKind } from './shell/index.ts';

export type CommandNeed =
  | { readonly blocked: string }
  | {
      readonly blocked?: never;
      /** Why it asks, in words. */
      readonly why: string;
      readonly dangers: readonly Danger[];
      readonly masked: readonly TextRange[];
      readonly rule: CommandRule | undefined;
    };

export async function commandNeed(command: string, shell: ShellKind, place: RulePlace): Promise<CommandNeed> {
  const { verdict, script } = await inspectCommand(command, shell);
  const masked = secretWords(script);
  switch (verdict.level) {
    case 'blocked':
      return { blocked: verdict.why };
    case 'always': {
      const why = `${verdict.dangers.map((danger) => danger.why).join(' ')} This is asked every time.`;
      return { why, dangers: verdict.dangers, masked, rule: undefined };
    }
    case 'ask': {
      const rule = await ruleFor(command, script, place);
      return { why: 'A command can change files and reach the network.', dangers: [], masked, rule };
    }
    default:
      return verdict satisfies never;
  }
}
