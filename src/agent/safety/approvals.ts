/**
 * Whether a call may run, must ask, and what the question looks like. Pure; who keeps the rules is the caller's matter.
 */

import type { Choice, PendingApproval } from '../../api.ts';
import type { PermissionNeed } from '../tools/types.ts';
import { maskRanges } from './secret-words.ts';

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
  const isAllowed = ({ key }: StoredRule) => rules.sessionRules.has(key) || rules.alwaysAllowed(key);
  return storedRules(need.rule).every(isAllowed) ? 'allow' : 'ask';
}

type StoredRule = Pick<NonNullable<PermissionNeed['rule']>, 'key' | 'words'>;

/** What *session* and *always* store: one rule, or of a chain that of each part. */
export function storedRules({ key, words, parts = [] }: NonNullable<PermissionNeed['rule']>): readonly StoredRule[] {
  return parts.length === 0 ? [{ key, words }] : parts;
}

/** *Session* and *always* exist only where there is a rule that they could store. */
export function choicesFor(need: PermissionNeed): readonly Choice[] {
  return need.always || need.rule === undefined ? ['once', 'deny'] : ['once', 'session', 'always', 'deny'];
}

/** The part of a pending approval that people see. Of a command everything is shown but words that are wholly a secret. */
export function describeNeed(
  need: PermissionNeed,
): Pick<
  PendingApproval,
  'summary' | 'command' | 'masked' | 'dangers' | 'cwd' | 'diff' | 'why' | 'choices' | 'alwaysScope'
> {
  const choices = choicesFor(need);
  const { summary, why, command, masked = [], dangers = [], cwd, diff, rule } = need;
  return {
    summary,
    why,
    choices,
    ...(command === undefined ? {} : { command: maskRanges(command, masked) }),
    ...(masked.length === 0 ? {} : { masked }),
    ...(dangers.length === 0 ? {} : { dangers }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(diff === undefined ? {} : { diff }),
    ...(choices.includes('always') && rule ? { alwaysScope: rule.words } : {}),
  };
}
