/** The hooks of a settings file, or of a plugin's `hooks.json`. */

import * as z from 'zod';
import { anyObject, issuesOf, type JsonText, readJsonText } from '../../../declarations/json-text.ts';
import { patternOf, surelyFits, wildcardSource } from '../../../kernel/patterns/index.ts';
import { type ListedEntry, readEntries, supportOf, unknownFields, unreadable } from '../declared.ts';
import type { DeclaredHandler, DeclaredHook, ReadConfig } from '../types.ts';
import { events, ruleOf, unsupported } from './events.ts';
import { type Handler, handlerSchemas, isHandlerType } from './handler-schemas.ts';
import { lintMatcher, parseMatcher } from './matcher.ts';
import { parseRule } from './permission-rule.ts';

const group = z.looseObject({ matcher: z.string().nullish(), hooks: z.array(z.unknown()) });

const settings = z.object({
  disableAllHooks: z.boolean().default(false),
  allowedHttpHookUrls: z.array(z.string()).optional(),
  httpHookAllowedEnvVars: z.array(z.string()).optional(),
});
type Settings = z.infer<typeof settings>;

/** Other keys of a settings file are not about hooks. */
export function readConfig(text: string): ReadConfig {
  const file = readJsonText(text);
  if (typeof file === 'string') return { hooks: [], warnings: [], broken: file };
  const root = anyObject.safeParse(file.value);
  if (!root.success) return { hooks: [], warnings: [], broken: 'The file holds no JSON object.' };
  const read = settings.safeParse(root.data);
  if (!read.success) return { hooks: [], warnings: [], broken: `It cannot be read: ${issuesOf(read.error)}.` };
  const disablesAll = read.data.disableAllHooks ? { disablesAll: true } : {};
  if (root.data.hooks === undefined) return { hooks: [], warnings: [], ...disablesAll };
  return { ...readEntries(root.data.hooks, (entry) => hooksOfGroup(entry, file, read.data)), ...disablesAll };
}

function hooksOfGroup({ declaredAs, index, value, place }: ListedEntry, file: JsonText, of: Settings) {
  const path = ['hooks', declaredAs, index];
  const read = group.safeParse(value);
  if (!read.success) {
    const flat = anyObject.safeParse(value).data?.type !== undefined;
    const hint = flat ? ' A handler stands in a group: { "hooks": [ … ] }.' : '';
    return [unreadable(declaredAs, place, `It cannot be read: ${issuesOf(read.error)}.${hint}`, file.offset(path))];
  }
  const matcher = read.data.matcher ?? undefined;
  return read.data.hooks.map((one, number) => {
    const offset = file.offset([...path, 'hooks', number]);
    const at = { declaredAs, place: `${place}.hooks[${number}]`, ...(offset === undefined ? {} : { offset }) };
    return declared(at, matcher, one, of);
  });
}

type Place = Pick<DeclaredHook, 'declaredAs' | 'place' | 'offset'>;

function declared(at: Place, matcher: string | undefined, value: unknown, of: Settings): DeclaredHook {
  const type = anyObject.safeParse(value).data?.type;
  if (!isHandlerType(type)) {
    return unreadable(at.declaredAs, at.place, `Claude Code has no hooks of the type ${String(type)}.`, at.offset);
  }
  const read = handlerSchemas[type].safeParse(value);
  if (!read.success) {
    return unreadable(at.declaredAs, at.place, `It cannot be read: ${issuesOf(read.error)}.`, at.offset);
  }
  const handler: Handler = read.data;
  const support = supportOf(at.declaredAs, events, 'Claude Code');
  const why =
    (Object.hasOwn(unsupported, at.declaredAs) ? unsupported[at.declaredAs] : support.unsupported) ??
    (type === 'agent' ? 'Midcourse runs no agent to judge a hook; a hook of the type prompt asks a model.' : undefined);
  const broken = brokenBecause(at.declaredAs, matcher, handler, of);
  const timeout = limitOf(at.declaredAs, handler);
  const handles = handlerOf(handler, of);
  return {
    ...at,
    event: why === undefined ? support.event : undefined,
    kind: handles.type,
    timeout: timeout.ms,
    failClosed: handler.failClosed,
    answers: support.answers && !(handles.type === 'command' && handles.async === true),
    handler: handles,
    warnings: [
      ...unknownFields(value as object, Object.keys(handlerSchemas[type].shape)),
      ...timeout.warnings,
      ...lintMatcher(at.declaredAs, matcher),
      ...lintHandler(at.declaredAs, handler),
    ],
    ...(why === undefined ? {} : { unsupported: why }),
    ...(broken === undefined ? {} : { broken }),
    ...(matcher === undefined ? {} : { matcher }),
    ...(handler.if === undefined ? {} : { when: handler.if }),
    ...(handler.statusMessage === undefined ? {} : { statusMessage: handler.statusMessage }),
  };
}

function brokenBecause(declaredAs: string, matcher: string | undefined, handler: Handler, of: Settings) {
  if (of.disableAllHooks) return 'disableAllHooks in this file switches all hooks off.';
  const hasMatcher = ruleOf(declaredAs)?.subject !== undefined;
  const parsed = hasMatcher ? parseMatcher(matcher) : undefined;
  if (typeof parsed === 'string') return `The matcher ${matcher} is no regular expression: ${parsed}.`;
  if (handler.type !== 'http') return undefined;
  if (!/^https?:$/.test(new URL(handler.url).protocol)) return `${handler.url} is no HTTP address.`;
  const { allowedHttpHookUrls: allowed } = of;
  if (!allowed || allowed.some((pattern) => allowsUrl(pattern, handler.url))) return undefined;
  return `${handler.url} is not among allowedHttpHookUrls.`;
}

/** False also for a pattern that cannot be judged: an address is allowed only where that is certain. */
function allowsUrl(allowed: string, url: string): boolean {
  const pattern = patternOf(`^${wildcardSource(allowed)}$`);
  return typeof pattern !== 'string' && surelyFits(pattern.testNow(url));
}

/** Seconds: the most that a hook of SessionEnd may hold up the end. */
const LONGEST_END = 60;

function limitOf(declaredAs: string, { type, timeout }: Handler): { ms: number; warnings: readonly string[] } {
  const ofType = { command: 600, http: 600, mcp_tool: 600, prompt: 30, agent: 60 }[type];
  const unasked = Math.min(ofType, ruleOf(declaredAs)?.seconds ?? ofType);
  if (timeout === undefined) return { ms: unasked * 1000, warnings: [] };
  if (typeof timeout !== 'number' || !(timeout > 0)) {
    const given = JSON.stringify(timeout);
    return { ms: unasked * 1000, warnings: [`timeout ${given} is no number of seconds; it gets ${unasked} s.`] };
  }
  if (declaredAs !== 'SessionEnd' || timeout <= LONGEST_END) return { ms: timeout * 1000, warnings: [] };
  return { ms: LONGEST_END * 1000, warnings: [`SessionEnd gets at most ${LONGEST_END} seconds, not ${timeout}.`] };
}

function lintHandler(declaredAs: string, handler: Handler): readonly string[] {
  const warnings: string[] = [];
  if (handler.if !== undefined) {
    if (ruleOf(declaredAs)?.subject !== 'tool')
      warnings.push(`"if" has no effect at ${declaredAs}: it is about calls of tools.`);
    else if (!parseRule(handler.if))
      warnings.push(`"if": "${handler.if}" is no permission rule; the hook runs for every call.`);
  }
  if (handler.once) warnings.push('"once" only has an effect in skills.');
  if (handler.type === 'command' && handler.asyncRewake) {
    warnings.push('asyncRewake: the hook runs beside the turn, and its exit code 2 does not wake the agent here.');
  }
  return warnings;
}

function handlerOf(read: Handler, { httpHookAllowedEnvVars }: Settings): DeclaredHandler {
  switch (read.type) {
    case 'command':
      return {
        type: 'command',
        command: read.command,
        ...(read.args === undefined ? {} : { args: read.args }),
        ...(read.shell === undefined ? {} : { shell: read.shell }),
        ...(read.async || read.asyncRewake ? { async: true } : {}),
      };
    case 'http':
      return {
        type: 'http',
        url: read.url,
        headers: read.headers,
        allowedEnvVars: read.allowedEnvVars.filter((name) => httpHookAllowedEnvVars?.includes(name) ?? true),
      };
    case 'mcp_tool':
      return { type: 'mcp_tool', server: read.server, tool: read.tool, input: read.input ?? {} };
    case 'prompt':
    case 'agent':
      return {
        type: 'prompt',
        prompt: read.prompt,
        ...(read.model === undefined ? {} : { model: read.model }),
        ...(read.type === 'prompt' && read.continueOnBlock ? { continueOnBlock: true } : {}),
      };
    default:
      return read satisfies never;
  }
}
