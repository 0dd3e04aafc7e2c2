/**
 * Whether a call may run, must ask, and what the question looks like. Pure; who keeps the rules is the caller's matter.
 */

import type { Choice, PendingApproval } from '../../api.ts';
import type { PermissionNeed } from '../tools/types.ts';
import { maskSecrets } from './redaction.ts';

export interface AllowedRules {
  /** Keys that were allowed for this session. */
  readonly sessionRules: ReadonlySet<string>;
  /** Keys that were allowed for this workspace. */
  readonly alwaysAllowed: (key: string) => boolean;
}

/** A call without a need runs. What is destructive or protected asks every time, whatever was allowed before. */
export function decide(need: PermissionNeed | undefined, rules: AllowedRules): 'allow' | 'ask' {
  if (need === undefined) return 'allow';
  if (need.always || need.rule === undefined) return 'ask';
  return rules.sessionRules.has(need.rule.key) || rules.alwaysAllowed(need.rule.key) ? 'allow' : 'ask';
}

/** *Session* and *always* exist only where there is a rule that they could store. */
export function choicesFor(need: PermissionNeed): readonly Choice[] {
  return need.always || need.rule === undefined ? ['once', 'deny'] : ['once', 'session', 'always', 'deny'];
}

/** The part of a pending approval that people see; secrets are masked in words and command, not in what runs. */
export function describeNeed(
  need: PermissionNeed,
): Pick<PendingApproval, 'summary' | 'command' | 'diff' | 'why' | 'choices' | 'alwaysScope'> {
  const choices = choicesFor(need);
  return {
    summary: maskSecrets(need.summary),
    why: need.why,
    choices,
    ...(need.command === undefined ? {} : { command: maskSecrets(need.command) }),
    ...(need.diff === undefined ? {} : { diff: need.diff }),
    ...(choices.includes('always') && need.rule ? { alwaysScope: maskSecrets(need.rule.words) } : {}),
  };
}
