import * as z from 'zod';
import { anyObject, issuesOf, type JsonText, readJsonText } from '../../../declarations/json-text.ts';
import { type ListedEntry, readEntries, supportOf, unknownFields, unreadable } from '../declared.ts';
import type { DeclaredHandler, DeclaredHook, ReadConfig } from '../types.ts';
import { eventName, events, unasked } from './events.ts';
import { lintMatcher, takesMatcher } from './matcher.ts';

const line = z.string().trim().min(1).optional();
const seconds = z.number().positive().optional();

/** VS Code's own keys, those of Copilot's command line, and the matcher of Claude Code's form. */
const entry = z.object({
  type: z.string().default('command'),
  matcher: z.string().nullish(),
  command: line,
  windows: line,
  linux: line,
  osx: line,
  bash: line,
  powershell: line,
  cwd: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  timeout: seconds,
  timeoutSec: seconds,
});
const group = z.object({ matcher: z.string().nullish(), hooks: z.array(z.unknown()) });
const rootKeys = ['version', 'hooks', 'disableAllHooks', 'description', '$schema'];

type Entry = z.infer<typeof entry>;

/** VS Code's flat form and the nested one of Claude Code, also side by side. */
export function readConfig(text: string): ReadConfig {
  const file = readJsonText(text);
  if (typeof file === 'string') return { hooks: [], warnings: [], broken: file };
  const root = anyObject.safeParse(file.value);
  if (!root.success) return { hooks: [], warnings: [], broken: 'The file holds no JSON object.' };
  if (root.data.hooks === undefined) return { hooks: [], warnings: unknownFields(root.data, rootKeys) };
  const read = readEntries(root.data.hooks, (one) => hooksOf(one, file));
  const hooks = root.data.disableAllHooks === true ? read.hooks.map(switchedOff) : read.hooks;
  return { ...read, hooks, warnings: [...unknownFields(root.data, rootKeys), ...read.warnings] };
}

/** Stays in the list with the reason. */
export function switchedOff(hook: DeclaredHook): DeclaredHook {
  return { ...hook, broken: 'The file switches all of its hooks off (disableAllHooks).' };
}

function hooksOf({ declaredAs, index, value, place }: ListedEntry, file: JsonText): readonly DeclaredHook[] {
  const path = ['hooks', declaredAs, index];
  const nested = group.safeParse(value);
  if (!nested.success) return [declared({ declaredAs, place, offset: file.offset(path) }, value, undefined)];
  return nested.data.hooks.map((one, number) => {
    const offset = file.offset([...path, 'hooks', number]);
    return declared({ declaredAs, place: `${place}.hooks[${number}]`, offset }, one, nested.data.matcher ?? undefined);
  });
}

type Place = Pick<DeclaredHook, 'declaredAs' | 'place'> & { offset: number | undefined };

function declared({ declaredAs, place, offset }: Place, value: unknown, ofGroup: string | undefined): DeclaredHook {
  const read = entry.safeParse(value);
  if (!read.success) return unreadable(declaredAs, place, `It cannot be read: ${issuesOf(read.error)}.`, offset);
  if (read.data.type !== 'command') {
    const broken = `VS Code has hooks of the type command only, not ${read.data.type}.`;
    return unreadable(declaredAs, place, broken, offset);
  }
  const handler = handlerOf(read.data);
  if (!handler) return unreadable(declaredAs, place, `It has no command for ${process.platform}.`, offset);
  const matcher = read.data.matcher ?? ofGroup;
  const lint = lintMatcher(declaredAs, matcher);
  return {
    declaredAs,
    ...supportOf(eventName(declaredAs), events, 'VS Code'),
    place,
    kind: 'command',
    timeout: (read.data.timeout ?? read.data.timeoutSec ?? unasked) * 1000,
    failClosed: false,
    handler,
    warnings: [...unknownFields(value as object, Object.keys(entry.shape)), ...lint.warnings],
    ...(lint.broken === undefined ? {} : { broken: lint.broken }),
    ...(matcher === undefined || !takesMatcher(declaredAs) ? {} : { matcher }),
    ...(offset === undefined ? {} : { offset }),
  };
}

/** The command for this system; undefined when the entry has none. */
function handlerOf({ cwd, env, ...commands }: Entry): DeclaredHandler | undefined {
  const chosen = commandFor(process.platform, commands);
  if (chosen === undefined) return undefined;
  return { type: 'command', ...chosen, ...(cwd === undefined ? {} : { cwd }), ...(env === undefined ? {} : { env }) };
}

type Commands = Partial<Record<'command' | 'windows' | 'linux' | 'osx' | 'bash' | 'powershell', string | undefined>>;

/** What the entry wants to have run on a system. */
export function commandFor(
  platform: NodeJS.Platform,
  { command, windows, linux, osx, bash, powershell }: Commands,
): { readonly command: string; readonly shell?: 'bash' | 'powershell' } | undefined {
  const own = platform === 'win32' ? windows : platform === 'darwin' ? osx : linux;
  if (own !== undefined) return { command: own };
  const shell = platform === 'win32' ? 'powershell' : 'bash';
  const inShell = platform === 'win32' ? powershell : bash;
  if (inShell !== undefined) return { command: inShell, shell };
  return command === undefined ? undefined : { command };
}
