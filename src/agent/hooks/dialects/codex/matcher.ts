import type { HookPayload } from '../../../../hooks-api.ts';
import { anyFits, type Fit, type Soon } from '../../../kernel/patterns/index.ts';
import { expressionOf, refusedMatcher } from '../expression.ts';
import { codexTools } from '../tool-aliases/codex.ts';
import { isAboutCall, matchNames } from '../tool-aliases/index.ts';
import type { DeclaredHook } from '../types.ts';

const without: ReadonlySet<string> = new Set([
  'UserPromptSubmit',
  'Stop',
  'Interrupt',
  'PreModelRequest',
  'PostModelRequest',
]);

/** True for an event whose hooks run whatever their matcher says. */
export function ignoresMatcher(event: string): boolean {
  return without.has(event);
}

/** Undefined for all; a string says why it can match nothing. */
export function parseMatcher(matcher: string | undefined): ((value: string) => Soon<Fit>) | undefined | string {
  if (matcher === undefined || matcher === '' || matcher === '*') return undefined;
  if (/^[A-Za-z0-9_|]+$/.test(matcher)) {
    const names = new Set(matcher.split('|'));
    return (value) => names.has(value);
  }
  const expression = expressionOf(matcher, 'part');
  return typeof expression === 'string' ? expression : (value) => expression.test(value);
}

/** Why a matcher that is a good expression will probably match nothing. */
export function lintMatcher(matcher: string | undefined): readonly string[] {
  const argument = /^([A-Za-z_]+)\((.+)\)$/.exec(matcher ?? '');
  if (!argument) return refusedMatcher(expressionOf(matcher ?? '', 'part'));
  return [
    `The matcher ${matcher} is compared with names of tools only, never with arguments: it matches no call. Write ${argument[1]} and look at tool_input in the hook.`,
  ];
}

export function matches(hook: DeclaredHook, payload: HookPayload): Soon<Fit> {
  if (!fires(hook, payload)) return false;
  if (ignoresMatcher(hook.declaredAs)) return true;
  const matcher = parseMatcher(hook.matcher);
  if (matcher === undefined) return true;
  return typeof matcher === 'string' ? false : anyFits(valuesOf(payload), matcher);
}

/** Codex knows of fewer occasions than we do. */
function fires({ declaredAs }: DeclaredHook, payload: HookPayload): boolean {
  switch (declaredAs) {
    case 'PostToolUse':
      return 'status' in payload && payload.status === 'success';
    case 'Stop':
      // Of a delegated agent it is SubagentStop.
      return payload.agent_id === undefined;
    default:
      return true;
  }
}

function valuesOf(payload: HookPayload): readonly string[] {
  if (isAboutCall(payload)) return matchNames(codexTools, payload);
  if ('source' in payload) return [payload.source];
  if ('trigger' in payload) return [payload.trigger];
  if ('child_name' in payload) return [payload.agent_type ?? payload.child_name];
  return ['reason' in payload ? 'other' : ''];
}
