/** Words for a call, where the host has sent none: verb and object, from the call's name and input. */

import type { PendingApproval } from '../../src/api.ts';
import { t } from '../l10n.ts';

type Input = Readonly<Record<string, unknown>>;

/** The tool that starts an agent; its calls have cards of their own. */
export const delegateTool = 'delegate';

export function callLabel(name: string, input: unknown): string {
  const fields: Input = typeof input === 'object' && input !== null ? (input as Input) : {};
  const path = text(fields, 'path') ?? text(fields, 'file') ?? '';
  switch (name) {
    case 'read_file':
      return t('Read {0}', path);
    case 'list_files':
      return t('Listed {0}', text(fields, 'glob') ?? text(fields, 'pattern') ?? (path || '.'));
    case 'search_files':
      return t('Searched for {0}', text(fields, 'query') ?? text(fields, 'pattern') ?? '');
    case 'write_file':
      return t('Wrote {0}', path);
    case 'patch':
      return t('Edited {0}', path);
    case 'terminal':
      return t('Ran {0}', oneLine(text(fields, 'command') ?? ''));
    case 'diagnostics':
      return t('Checked for problems');
    case 'ask_user':
      return t('Asked you');
    case 'todo':
      return t('Updated the plan');
    case delegateTool:
      return t('Delegated: {0}', text(fields, 'name') ?? '');
    default:
      return name;
  }
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

function text(fields: Input, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function oneLine(command: string): string {
  const [first = '', ...rest] = command.trim().split('\n');
  return rest.length > 0 ? `${first} …` : first;
}

/** What a call that started an agent says of it, before the agent itself is known. */
export function delegatedTask(input: unknown): { readonly name: string; readonly task: string } {
  const fields: Input = typeof input === 'object' && input !== null ? (input as Input) : {};
  return { name: text(fields, 'name') ?? '', task: text(fields, 'task') ?? '' };
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
