import type { HookPayload } from '../../../../hooks-api.ts';
import { anyFits, type Fit, type Pattern, type Soon } from '../../../kernel/patterns/index.ts';
import { expressionOf } from '../expression.ts';
import { copilotTools } from '../tool-aliases/copilot.ts';
import { isAboutCall, matchNames } from '../tool-aliases/index.ts';
import type { DeclaredHook } from '../types.ts';

const matched: ReadonlySet<string> = new Set([
  'notification',
  'permissionRequest',
  'postToolUse',
  'postToolUseFailure',
  'preCompact',
  'preToolUse',
  'subagentStart',
]);

export function takesMatcher(declaredAs: string): boolean {
  return matched.has(declaredAs);
}

/** The whole value has to match. A string says why the matcher is no regular expression. */
export function parseMatcher(matcher: string): Pattern | string {
  return expressionOf(matcher, 'whole');
}

export function matches({ declaredAs, matcher }: DeclaredHook, payload: HookPayload): Soon<Fit> {
  if (!fires(declaredAs, payload)) return false;
  if (!matcher) return true;
  const expression = parseMatcher(matcher);
  return typeof expression === 'string' ? false : anyFits(valuesOf(payload), (value) => expression.test(value));
}

function fires(declaredAs: string, payload: HookPayload): boolean {
  switch (declaredAs) {
    case 'postToolUse':
      return 'status' in payload && payload.status === 'success';
    case 'postToolUseFailure':
      return 'status' in payload && (payload.status === 'error' || payload.status === 'timeout');
    case 'agentStop':
      return payload.agent_id === undefined;
    default:
      return true;
  }
}

function valuesOf(payload: HookPayload): readonly string[] {
  if (isAboutCall(payload)) return matchNames(copilotTools, payload);
  if ('trigger' in payload) return [payload.trigger];
  if ('notification_type' in payload) return [payload.notification_type];
  return 'child_name' in payload ? [payload.agent_type ?? payload.child_name] : [];
}
