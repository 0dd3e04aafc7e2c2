import * as z from 'zod';
import { anyObject, issuesOf, type JsonText, readJsonText } from '../../../declarations/json-text.ts';
import { type ListedEntry, readEntries, supportOf, unknownFields, unreadable } from '../declared.ts';
import type { DeclaredHandler, DeclaredHook, ReadConfig } from '../types.ts';
import { events, timeoutOf } from './events.ts';
import { ignoresMatcher, lintMatcher, parseMatcher } from './matcher.ts';

/** `commandWindows` takes the place of `command` there. */
const command = z.object({
  type: z.literal('command'),
  command: z.string().trim().min(1),
  commandWindows: z.string().optional(),
  command_windows: z.string().optional(),
  timeout: z.number().positive().optional(),
  async: z.boolean().default(false),
  statusMessage: z.string().optional(),
  additionalContextLimit: z.int().min(0).optional(),
});

const mcpTool = z.object({
  type: z.literal('mcp_tool'),
  server: z.string().min(1),
  tool: z.string().min(1),
  input: z.unknown().optional(),
  timeout: z.number().positive().optional(),
  statusMessage: z.string().optional(),
});

/** Codex reads these and passes over them. */
const elsewhere = z.object({ type: z.enum(['prompt', 'agent']) });

const handler = z.discriminatedUnion('type', [command, mcpTool, elsewhere]);
const group = z.object({ matcher: z.string().nullish(), hooks: z.array(z.unknown()) });

type Handler = z.infer<typeof handler>;

const fields: Record<Handler['type'], readonly string[]> = {
  command: Object.keys(command.shape),
  mcp_tool: Object.keys(mcpTool.shape),
  prompt: ['type', 'prompt', 'model', 'timeout'],
  agent: ['type', 'prompt', 'model', 'timeout'],
};

export function readConfig(text: string): ReadConfig {
  const file = readJsonText(text);
  if (typeof file === 'string') return { hooks: [], warnings: [], broken: file };
  const root = anyObject.safeParse(file.value);
  if (!root.success) return { hooks: [], warnings: [], broken: 'The file holds no JSON object.' };
  const warnings = Object.keys(root.data)
    .filter((key) => key !== 'hooks' && key !== 'description')
    .map((key) => `Codex itself refuses the whole file because of ${key}; here the hooks run.`);
  if (root.data.hooks === undefined) return { hooks: [], warnings };
  const read = readEntries(root.data.hooks, (entry) => hooksOfGroup(entry, file));
  return { ...read, warnings: [...warnings, ...read.warnings] };
}

function hooksOfGroup({ declaredAs, index, value, place }: ListedEntry, file: JsonText): readonly DeclaredHook[] {
  const read = group.safeParse(value);
  const path = ['hooks', declaredAs, index];
  if (!read.success) {
    return [unreadable(declaredAs, place, `It cannot be read: ${issuesOf(read.error)}.`, file.offset(path))];
  }
  const matcher = read.data.matcher ?? undefined;
  return read.data.hooks.map((one, number) => {
    const offset = file.offset([...path, 'hooks', number]);
    return declared({ declaredAs, matcher, place: `${place}.hooks[${number}]`, offset }, one);
  });
}

type Place = Pick<DeclaredHook, 'declaredAs' | 'place'> & { matcher: string | undefined; offset: number | undefined };

function declared({ declaredAs, matcher, place, offset }: Place, value: unknown): DeclaredHook {
  const read = handler.safeParse(value);
  if (!read.success) return unreadable(declaredAs, place, wrongWith(value, read.error), offset);
  const support = supportOf(declaredAs, events, 'Codex');
  const timeout = timeoutOf(declaredAs, 'timeout' in read.data ? read.data.timeout : undefined);
  const unsupported = support.unsupported ?? unsupportedHandler(read.data, declaredAs);
  const handles = handlerOf(read.data, declaredAs);
  const isAsync = handles.type === 'command' && handles.async === true;
  const broken = ignoresMatcher(declaredAs) ? undefined : brokenMatcher(matcher);
  return {
    declaredAs,
    event: unsupported === undefined ? support.event : undefined,
    place,
    kind: handles.type,
    timeout: timeout.timeout,
    failClosed: false,
    answers: support.answers && !isAsync,
    handler: handles,
    warnings: [
      ...unknownFields(value as object, fields[read.data.type]),
      ...timeout.warnings,
      ...matcherWarnings(declaredAs, matcher),
    ],
    ...(unsupported === undefined ? {} : { unsupported }),
    ...(broken === undefined ? {} : { broken }),
    ...(matcher === undefined ? {} : { matcher }),
    ...(offset === undefined ? {} : { offset }),
    ...('statusMessage' in read.data && read.data.statusMessage !== undefined
      ? { statusMessage: read.data.statusMessage }
      : {}),
    ...('additionalContextLimit' in read.data && read.data.additionalContextLimit !== undefined
      ? { contextLimit: read.data.additionalContextLimit }
      : {}),
  };
}

function wrongWith(value: unknown, error: z.ZodError): string {
  const type = anyObject.safeParse(value).data?.type;
  if (typeof type === 'string' && !Object.hasOwn(fields, type)) return `Codex has no hooks of the type ${type}.`;
  return `It cannot be read: ${issuesOf(error)}.`;
}

function unsupportedHandler({ type }: Handler, declaredAs: string): string | undefined {
  if (type === 'prompt' || type === 'agent') return `Codex does not run hooks of the type ${type}.`;
  if (type === 'mcp_tool' && declaredAs === 'SessionEnd')
    return 'At the end of a session no tool of a server is called.';
  return undefined;
}

function handlerOf(read: Handler, declaredAs: string): DeclaredHandler {
  switch (read.type) {
    case 'command': {
      const windows = process.platform === 'win32' ? (read.commandWindows ?? read.command_windows) : undefined;
      const runs = { type: 'command', command: windows ?? read.command } as const;
      return read.async && declaredAs !== 'SessionEnd' ? { ...runs, async: true } : runs;
    }
    case 'mcp_tool':
      return { type: 'mcp_tool', server: read.server, tool: read.tool, input: read.input };
    case 'prompt':
    case 'agent':
      return { type: 'prompt', prompt: '' };
    default:
      return read satisfies never;
  }
}

function brokenMatcher(matcher: string | undefined): string | undefined {
  const parsed = parseMatcher(matcher);
  return typeof parsed === 'string' ? `The matcher ${matcher} is no regular expression: ${parsed}.` : undefined;
}

function matcherWarnings(declaredAs: string, matcher: string | undefined): readonly string[] {
  if (matcher === undefined || matcher === '' || matcher === '*') return [];
  if (ignoresMatcher(declaredAs)) return [`${declaredAs} has no matcher: the hook always runs.`];
  return lintMatcher(matcher);
}
