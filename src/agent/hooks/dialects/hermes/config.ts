import { isMap, type Node, parseDocument } from 'yaml';
import * as z from 'zod';
import { anyObject, issuesOf } from '../../../declarations/json-text.ts';
import { type ListedEntry, readEntries, supportOf, unknownFields, unreadable } from '../declared.ts';
import { expressionOf, refusedMatcher } from '../expression.ts';
import type { DeclaredHook, ReadConfig } from '../types.ts';
import { absent, events, hasMatcher, reserved } from './events.ts';
import { trimmed } from './matcher.ts';

const entry = z.object({
  command: z.string().trim().min(1),
  matcher: z.string().nullish(),
  timeout: z.unknown().optional(),
  fail_closed: z.boolean().optional(),
  failClosed: z.boolean().optional(),
});

/** Seconds. */
const limit = { unasked: 60, most: 300 };

type OffsetOf = (path: readonly (string | number)[]) => number | undefined;

/** Reads the `hooks:` block of a `config.yaml`; the rest of the file is Hermes' own. */
export function readConfig(text: string): ReadConfig {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) return { hooks: [], warnings: [], broken: `It is not valid YAML: ${error.message.split('\n')[0]}` };
  const root = document.contents === null ? {} : (document.toJS() as unknown);
  const file = anyObject.safeParse(root);
  if (!file.success) return { hooks: [], warnings: [], broken: 'The file holds no keys with values.' };
  const block = file.data.hooks;
  if (block === undefined || block === null) return { hooks: [], warnings: [] };
  const offsetOf: OffsetOf = (path) => {
    const node = isMap(document.contents) ? (document.getIn(['hooks', ...path], true) as Node | undefined) : undefined;
    return node?.range?.[0];
  };
  return readBlock(block, offsetOf);
}

function readBlock(block: unknown, offsetOf: OffsetOf): ReadConfig {
  const own = anyObject.safeParse(block).data ?? {};
  const kept = Object.entries(reserved).filter(([key]) => Object.hasOwn(own, key));
  const listed = Object.fromEntries(Object.entries(own).filter(([key]) => !Object.hasOwn(reserved, key)));
  const read = readEntries(anyObject.safeParse(block).success ? listed : block, (one) => [declared(one, offsetOf)]);
  const { hooks, warnings } = once(read.hooks);
  return { ...read, hooks, warnings: [...kept.map(([, words]) => words), ...read.warnings, ...warnings] };
}

/** The same event, matcher and command twice is one hook; the same command with another matcher is another one. */
function once(hooks: readonly DeclaredHook[]): { hooks: readonly DeclaredHook[]; warnings: readonly string[] } {
  const keys = hooks.map((hook) => JSON.stringify([hook.declaredAs, hook.matcher, hook.handler, hook.broken]));
  const isFirst = (_: unknown, index: number) => keys.indexOf(keys[index] ?? '') === index;
  const again = hooks.filter((hook, index) => !isFirst(hook, index));
  return {
    hooks: hooks.filter(isFirst),
    warnings: again.map(({ place }) => `${place} is written above already; it runs once.`),
  };
}

function declared({ declaredAs, index, value, place }: ListedEntry, offsetOf: OffsetOf): DeclaredHook {
  const offset = offsetOf([declaredAs, index]);
  const read = entry.safeParse(value);
  if (!read.success) return unreadable(declaredAs, place, `It cannot be read: ${issuesOf(read.error)}.`, offset);
  const { command, fail_closed, failClosed = fail_closed ?? false } = read.data;
  const support = absent.has(declaredAs)
    ? { event: undefined, answers: false, unsupported: `Midcourse has no occasion for ${declaredAs}.` }
    : supportOf(declaredAs, events, 'Hermes');
  const timeout = timeoutOf(read.data.timeout);
  const written = trimmed(read.data.matcher ?? undefined);
  const matcher = hasMatcher(declaredAs) ? written : undefined;
  const closes = failClosed && declaredAs === 'pre_tool_call';
  return {
    ...support,
    declaredAs,
    place,
    kind: 'command',
    timeout: timeout.seconds * 1000,
    failClosed: closes,
    handler: { type: 'command', command, noShell: true },
    warnings: [
      ...unknownFields(value as object, Object.keys(entry.shape)),
      ...timeout.warnings,
      ...matcherWarnings(written, matcher, declaredAs),
      ...(failClosed && !closes ? [`fail_closed counts at pre_tool_call only, not at ${declaredAs}.`] : []),
    ],
    ...(matcher === undefined ? {} : { matcher }),
    ...(offset === undefined ? {} : { offset }),
  };
}

function matcherWarnings(written: string | undefined, matcher: string | undefined, declaredAs: string): string[] {
  if (written === undefined) return [];
  if (matcher === undefined) return [`${declaredAs} has no matcher: the hook always runs.`];
  const expression = expressionOf(matcher, 'whole');
  if (typeof expression !== 'string') return [...refusedMatcher(expression)];
  return [`The matcher ${matcher} is no regular expression and is compared with the name as it stands.`];
}

function timeoutOf(value: unknown): { readonly seconds: number; readonly warnings: readonly string[] } {
  if (value === undefined || value === null) return { seconds: limit.unasked, warnings: [] };
  const asked = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  if (asked > limit.most) {
    return { seconds: limit.most, warnings: [`A hook gets at most ${limit.most} seconds, not ${asked}.`] };
  }
  if (asked >= 1) return { seconds: asked, warnings: [] };
  const instead = `The hook gets ${limit.unasked}.`;
  return {
    seconds: limit.unasked,
    warnings: [`timeout ${String(value)} is no number of seconds from 1 to ${limit.most}. ${instead}`],
  };
}
