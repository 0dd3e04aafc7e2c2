/** Words for a call, where the host has sent none: verb and object, from the call's name and input. */

import type { PendingApproval } from '../../src/api.ts';
import { t } from '../l10n.ts';

type Input = Readonly<Record<string, unknown>>;

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
};

function text(fields: Input, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function oneLine(command: string): string {
  const [first = '', ...rest] = command.trim().split('\n');
  return rest.length > 0 ? `${first} …` : first;
}

/** A command stands whole in its block; the title says only what it is and where. Its summary is `Run in FOLDER: …`. */
export function approvalTitle({ command, summary }: Pick<PendingApproval, 'command' | 'summary'>): string {
  if (command === undefined) return summary;
  const [, background, folder] = /^(?:Run|(Start in the background))(?: in (.+?))?: /.exec(summary) ?? [];
  if (background === undefined) return folder === undefined ? t('Run a command') : t('Run a command in {0}', folder);
  return folder === undefined
    ? t('Run a command in the background')
    : t('Run a command in the background, in {0}', folder);
}
