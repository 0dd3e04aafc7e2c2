import type { HookPayload } from '../../../../hooks-api.ts';
import { type Fit, Pattern, type Soon } from '../../../kernel/patterns/index.ts';
import { fits, parseMatcher } from '../claude/matcher.ts';
import { refusedMatcher } from '../expression.ts';
import { claudeTools, isAboutCall, matchNames } from '../tool-aliases/index.ts';
import { vscodeTools } from '../tool-aliases/vscode.ts';
import type { DeclaredHook } from '../types.ts';
import { eventName } from './events.ts';

const matched: ReadonlySet<string> = new Set([
  'PreToolUse',
  'PostToolUse',
  'SessionStart',
  'PreCompact',
  'SubagentStart',
  'SubagentStop',
]);

export function takesMatcher(declaredAs: string): boolean {
  return matched.has(eventName(declaredAs));
}

/** What is wrong with a matcher. VS Code itself looks at none; here they count, by the rules of Claude Code. */
export function lintMatcher(
  declaredAs: string,
  matcher: string | undefined,
): { readonly warnings: readonly string[]; readonly broken?: string } {
  if (matcher === undefined || matcher === '' || matcher === '*') return { warnings: [] };
  if (!takesMatcher(declaredAs)) return { warnings: [`${declaredAs} has no matcher: the hook always runs.`] };
  const parsed = parseMatcher(matcher);
  if (parsed instanceof Pattern) return { warnings: refusedMatcher(parsed) };
  if (typeof parsed !== 'string') return { warnings: [] };
  return { warnings: [], broken: `The matcher ${matcher} is no regular expression: ${parsed}.` };
}

/** A file may name tools as VS Code does or, in the nested form, as Claude Code does. */
export function matches({ declaredAs, matcher }: DeclaredHook, payload: HookPayload): Soon<Fit> {
  if (!fires(eventName(declaredAs), payload)) return false;
  return matcher === undefined || fits(parseMatcher(matcher), valuesOf(payload));
}

function fires(event: string, payload: HookPayload): boolean {
  switch (event) {
    case 'PostToolUse':
      return 'status' in payload && payload.status === 'success';
    case 'Stop':
      return payload.agent_id === undefined;
    case 'ErrorOccurred':
      return 'will_retry' in payload && !payload.will_retry;
    default:
      return true;
  }
}

function valuesOf(payload: HookPayload): readonly string[] {
  if (isAboutCall(payload)) return [...matchNames(vscodeTools, payload), ...matchNames(claudeTools, payload)];
  if ('source' in payload) return [payload.source, 'new'];
  if ('trigger' in payload) return [payload.trigger];
  return 'child_name' in payload ? [payload.agent_type ?? '', payload.child_name] : [];
}
