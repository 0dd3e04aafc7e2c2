import { choicesFor, decide, describeNeed, storedRules } from '../../src/agent/safety/index.ts';
import type { PermissionNeed, ToolContext, ToolResult } from '../../src/agent/tools/types.ts';
import { Workspace } from '../unit/tools/tool-context.ts';

export interface Attempt {
  readonly need: PermissionNeed | undefined;
  /** What a card would show. Undefined where none opens. */
  readonly card: ReturnType<typeof describeNeed> | undefined;
  /** Undefined where a card opened: nothing runs without an answer. */
  readonly result: ToolResult | undefined;
}

/** The terminal tool behind the approval rules, with real processes in a folder of its own. */
export class CommandGate {
  readonly workspace = new Workspace();
  readonly #rules = new Set<string>();

  /** The user answers the card of this command with *Always*. @throws Error when it cannot be allowed for longer */
  async allowAlways(command: string, more: object = {}): Promise<string> {
    const need = await this.workspace.permission('terminal', { command, ...more });
    if (!need?.rule || !choicesFor(need).includes('always')) throw new Error(`no rule for ${command}`);
    for (const { key } of storedRules(need.rule)) this.#rules.add(key);
    return need.rule.words;
  }

  /** What happens when the model asks for it. */
  async attempt(command: string, more: object = {}, context: Partial<ToolContext> = {}): Promise<Attempt> {
    const need = await this.workspace.permission('terminal', { command, ...more }, context);
    const asks = decide(need, { sessionRules: this.#rules, alwaysAllowed: () => false }) === 'ask';
    if (need && asks) return { need, card: describeNeed(need), result: undefined };
    return { need, card: undefined, result: await this.workspace.run('terminal', { command, ...more }, context) };
  }
}
