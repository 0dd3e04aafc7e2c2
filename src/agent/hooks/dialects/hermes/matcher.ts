import type { HookPayload } from '../../../../hooks-api.ts';
import { anyFits, type Fit, type Soon } from '../../../kernel/patterns/index.ts';
import { expressionOf } from '../expression.ts';
import { hermesTools } from '../tool-aliases/hermes.ts';
import { isAboutCall, matchNames } from '../tool-aliases/index.ts';
import type { DeclaredHook } from '../types.ts';
import { hasMatcher } from './events.ts';

/** Without spaces round it; undefined for one that is blank. */
export function trimmed(matcher: string | undefined): string | undefined {
  return matcher?.trim() || undefined;
}

/** The whole name has to match. What is no regular expression is compared as it stands. */
export function parseMatcher(matcher: string): (name: string) => Soon<Fit> {
  const expression = expressionOf(matcher, 'whole');
  return (name) => (typeof expression === 'string' ? name === matcher : expression.test(name));
}

export function matches({ declaredAs, matcher }: DeclaredHook, payload: HookPayload): Soon<Fit> {
  // A session that goes on is none that starts.
  if ('source' in payload && payload.source !== 'startup' && payload.source !== 'clear') return false;
  // Only what was changed is verified.
  if ('changed_paths' in payload && payload.changed_paths.length === 0) return false;
  if (matcher === undefined || !hasMatcher(declaredAs)) return true;
  return isAboutCall(payload) ? anyFits(matchNames(hermesTools, payload), parseMatcher(matcher)) : false;
}
