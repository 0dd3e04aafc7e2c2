/** What a call is about, where the host has not said it: while it is written, and in sessions of 0.4. */

import type { CallSubject, PendingApproval, PlanStep } from '../../src/api.ts';
import { t } from '../l10n.ts';

/** The tool that starts an agent; its calls have cards of their own. */
export const delegateTool = 'delegate';

/**
 * Every field of a tool's input that the page reads by its name. The tools' own schemas are held against it, and it
 * alone can be asked for: a name that no tool sends shows nothing, as `todos` did for the plan of 0.4.
 */
export const fieldsRead = {
  read_file: ['path'],
  list_files: ['path'],
  search_files: ['pattern', 'path', 'target'],
  write_file: ['path'],
  patch: ['path'],
  terminal: ['command', 'background'],
  process: ['action', 'id'],
  diagnostics: ['paths'],
  ask_user: ['question'],
  todo: ['items'],
  delegate: ['name', 'task', 'background'],
} as const;

export type KnownTool = keyof typeof fieldsRead;

/** The tool's fields out of what the model wrote, so nothing about their types is sure. */
export function fieldsOf<T extends KnownTool>(
  _tool: T,
  input: unknown,
): Readonly<Partial<Record<(typeof fieldsRead)[T][number], unknown>>> {
  const fields: object = typeof input === 'object' && input !== null ? input : {};
  return fields as Readonly<Partial<Record<(typeof fieldsRead)[T][number], unknown>>>;
}

export function callSubject(name: string, input: unknown): CallSubject {
  return isKnown(name) ? subjects[name](input) : { verb: 'use', object: name };
}

const subjects: Readonly<Record<KnownTool, (input: unknown) => CallSubject>> = {
  read_file: (input) => ofFile('read', fieldsOf('read_file', input).path),
  write_file: (input) => ofFile('write', fieldsOf('write_file', input).path),
  patch: (input) => ofFile('edit', fieldsOf('patch', input).path),
  list_files: (input) => {
    const path = text(fieldsOf('list_files', input).path);
    return { verb: 'list', object: path === '' || path === '.' ? 'the workspace' : path };
  },
  search_files: (input) => {
    const { pattern, path, target } = fieldsOf('search_files', input);
    const where = text(path);
    return {
      verb: target === 'files' ? 'findFiles' : 'search',
      object: pattern === undefined ? '' : `"${text(pattern)}"`,
      ...(where !== '' && where !== '.' && { where }),
    };
  },
  terminal: (input) => {
    const { command, background } = fieldsOf('terminal', input);
    return { verb: background === true ? 'start' : 'run', object: oneLine(text(command)) };
  },
  process: (input) => {
    const { action, id } = fieldsOf('process', input);
    if (action === 'list' || action === undefined) return { verb: 'listProcesses', object: '' };
    return { verb: action === 'poll' ? 'pollProcess' : 'endProcess', object: text(id) };
  },
  diagnostics: (input) => {
    const { paths } = fieldsOf('diagnostics', input);
    return { verb: 'check', object: Array.isArray(paths) ? paths.map(text).join(', ') : '' };
  },
  ask_user: (input) => ({ verb: 'ask', object: text(fieldsOf('ask_user', input).question) }),
  todo: (input) => {
    const { items } = fieldsOf('todo', input);
    if (items === undefined) return { verb: 'readPlan', object: '' };
    return { verb: 'plan', object: '', steps: Array.isArray(items) ? items.flatMap(stepsOf) : [] };
  },
  delegate: (input) => {
    const { name, background } = fieldsOf('delegate', input);
    return { verb: background === true ? 'delegateInBackground' : 'delegate', object: text(name) };
  },
};

function stepsOf(one: unknown): readonly PlanStep[] {
  const { content, status } = Object(one) as { readonly content?: unknown; readonly status?: unknown };
  if (typeof content !== 'string') return [];
  const known = (['pending', 'in_progress', 'completed', 'cancelled'] as const).find((name) => name === status);
  return [{ content, status: known ?? 'pending' }];
}

function isKnown(name: string): name is KnownTool {
  return Object.hasOwn(fieldsRead, name);
}

function ofFile(verb: 'read' | 'write' | 'edit', value: unknown): CallSubject {
  const path = text(value);
  return { verb, object: path, ...(path !== '' && { path }) };
}

export function callIcon(name: string): string {
  return icons[name] ?? 'tools';
}

/** Calls that only look, and so fold into one line. */
export function isLooking(name: string): boolean {
  return name === 'read_file' || name === 'list_files' || name === 'search_files';
}

const icons: Readonly<Record<string, string>> = {
  read_file: 'file',
  list_files: 'list-tree',
  search_files: 'search',
  write_file: 'new-file',
  patch: 'edit',
  terminal: 'terminal',
  processes: 'server-process',
  process: 'server-process',
  diagnostics: 'checklist',
  ask_user: 'question',
  todo: 'tasklist',
  [delegateTool]: 'robot',
};

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function oneLine(command: string): string {
  const [first = '', ...rest] = command.trim().split('\n');
  return rest.length > 0 ? `${first} …` : first;
}

/** What a call that started an agent says of it, before the agent itself is known. */
export function delegatedTask(input: unknown): { readonly name: string; readonly task: string } {
  const { name, task } = fieldsOf(delegateTool, input);
  return { name: text(name), task: text(task) };
}

/** A command stands whole in its block; the title says only what it is and where. Its summary is `Run in FOLDER: …`. */
export function approvalTitle({
  command,
  cwd,
  summary,
  child,
}: Pick<PendingApproval, 'command' | 'cwd' | 'summary' | 'child'>): string {
  const isCommand = command !== undefined && /^(?:Run|Start in the background)\b/.test(summary);
  const title = isCommand ? commandTitle(summary, cwd === undefined) : summary;
  if (!child) return title;
  return t('Agent {0} wants to {1}', child.name, title.charAt(0).toLocaleLowerCase() + title.slice(1));
}

/** @param withFolder false where a line of the card's own names it */
function commandTitle(summary: string, withFolder: boolean): string {
  const [, background, named] = /^(?:Run|(Start in the background))(?: in (.+?))?: /.exec(summary) ?? [];
  const folder = withFolder ? named : undefined;
  if (background === undefined) return folder === undefined ? t('Run a command') : t('Run a command in {0}', folder);
  return folder === undefined
    ? t('Run a command in the background')
    : t('Run a command in the background, in {0}', folder);
}
