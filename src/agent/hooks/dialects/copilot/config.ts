import * as z from 'zod';
import { anyObject, issuesOf, type JsonText, readJsonText } from '../../../declarations/json-text.ts';
import { type ListedEntry, readEntries, supportOf, unknownFields, unreadable } from '../declared.ts';
import { refusedMatcher } from '../expression.ts';
import type { DeclaredHandler, DeclaredHook, ReadConfig } from '../types.ts';
import { commandFor, switchedOff } from '../vscode/config.ts';
import { absent, events, unasked } from './events.ts';
import { parseMatcher, takesMatcher } from './matcher.ts';

const line = z.string().trim().min(1).optional();
const common = {
  matcher: z.string().nullish(),
  timeout: z.number().positive().optional(),
  timeoutSec: z.number().positive().optional(),
};

const command = z.object({
  type: z.literal('command').default('command'),
  ...common,
  bash: line,
  powershell: line,
  command: line,
  exec: line,
  args: z.array(z.string()).default([]),
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});

const http = z.object({
  type: z.literal('http'),
  ...common,
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  allowedEnvVars: z.array(z.string()).default([]),
});

const prompt = z.object({ type: z.literal('prompt'), ...common, prompt: z.string() });

const entry = z.union([http, prompt, command]);
const shapes = { command, http, prompt };
const rootKeys = ['version', 'hooks', 'disableAllHooks'];

type Entry = z.infer<typeof entry>;

export function readConfig(text: string): ReadConfig {
  const file = readJsonText(text);
  if (typeof file === 'string') return { hooks: [], warnings: [], broken: file };
  const root = anyObject.safeParse(file.value);
  if (!root.success) return { hooks: [], warnings: [], broken: 'The file holds no JSON object.' };
  const { version, hooks: block, disableAllHooks } = root.data;
  const warnings = [
    ...unknownFields(root.data, rootKeys),
    ...(version === 1 ? [] : ['Copilot itself wants "version": 1; here the hooks run.']),
  ];
  if (block === undefined) return { hooks: [], warnings };
  const read = readEntries(block, (one) => [declared(one, file)]);
  const hooks = disableAllHooks === true ? read.hooks.map(switchedOff) : read.hooks;
  return { ...read, hooks, warnings: [...warnings, ...read.warnings] };
}

function declared({ declaredAs, index, value, place }: ListedEntry, file: JsonText): DeclaredHook {
  const offset = file.offset(['hooks', declaredAs, index]);
  const read = entry.safeParse(value);
  if (!read.success) return unreadable(declaredAs, place, wrongWith(value), offset);
  const handler = handlerOf(read.data);
  if (typeof handler === 'string') return unreadable(declaredAs, place, handler, offset);
  const matcher = read.data.matcher ?? undefined;
  const broken = takesMatcher(declaredAs) ? brokenMatcher(matcher) : undefined;
  const support = supportFor(declaredAs, read.data.type);
  return {
    declaredAs,
    ...support,
    place,
    kind: handler.type,
    timeout: (read.data.timeoutSec ?? read.data.timeout ?? unasked) * 1000,
    failClosed: false,
    handler,
    warnings: [
      ...unknownFields(value as object, Object.keys(shapes[read.data.type].shape)),
      ...matcherWarnings(declaredAs, matcher),
    ],
    ...(broken === undefined ? {} : { broken }),
    ...(matcher && takesMatcher(declaredAs) ? { matcher } : {}),
    ...(offset === undefined ? {} : { offset }),
  };
}

function supportFor(declaredAs: string, type: Entry['type']): Pick<DeclaredHook, 'event' | 'answers' | 'unsupported'> {
  const why = Object.hasOwn(absent, declaredAs) ? absent[declaredAs] : undefined;
  const unsupported =
    why ?? (type === 'prompt' ? 'Midcourse does not send texts of a file as if you had written them.' : undefined);
  if (unsupported !== undefined) return { event: undefined, answers: false, unsupported };
  return supportOf(declaredAs, events, "Copilot's command line");
}

/** Which of the forms was meant, and what is wrong about it. */
function wrongWith(value: unknown): string {
  const { type = 'command' } = anyObject.safeParse(value).data ?? {};
  if (type !== 'command' && type !== 'http' && type !== 'prompt')
    return `There are no hooks of the type ${String(type)}.`;
  const { error } = shapes[type].safeParse(value);
  return error ? `It cannot be read: ${issuesOf(error)}.` : 'It cannot be read.';
}

function handlerOf(read: Entry): DeclaredHandler | string {
  switch (read.type) {
    case 'command':
      return commandOf(read);
    case 'http':
      return isSafe(new URL(read.url))
        ? { type: 'http', url: read.url, headers: read.headers, allowedEnvVars: read.allowedEnvVars }
        : `${read.url} is not encrypted: an answer from there could allow anything. Use https.`;
    case 'prompt':
      return { type: 'prompt', prompt: read.prompt };
    default:
      return read satisfies never;
  }
}

function commandOf({ exec, args, cwd, env, ...commands }: z.infer<typeof command>): DeclaredHandler | string {
  const place = { ...(cwd === undefined ? {} : { cwd }), ...(env === undefined ? {} : { env }) };
  if (exec !== undefined) {
    const both = commands.bash ?? commands.powershell ?? commands.command;
    if (both !== undefined) return 'exec cannot be beside bash, powershell or command.';
    return { type: 'command', command: exec, args, ...place };
  }
  const chosen = commandFor(process.platform, commands);
  return chosen ? { type: 'command', ...chosen, ...place } : `It has no command for ${process.platform}.`;
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

function matcherWarnings(declaredAs: string, matcher: string | undefined): readonly string[] {
  if (!matcher) return [];
  if (!takesMatcher(declaredAs)) return [`${declaredAs} has no matcher: the hook always runs.`];
  return refusedMatcher(parseMatcher(matcher));
}

function brokenMatcher(matcher: string | undefined): string | undefined {
  const parsed = matcher === undefined ? undefined : parseMatcher(matcher);
  return typeof parsed === 'string' ? `The matcher ${matcher} is no regular expression: ${parsed}.` : undefined;
}
