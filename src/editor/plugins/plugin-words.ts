import * as vscode from 'vscode';
import { isBroken, type ListedPlugin, type ReadPlugin } from '../../agent/plugins/index.ts';

/** Something that a plugin provides, for a line of the view. */
export interface Provided {
  readonly label: string;
  readonly description: string;
  readonly icon: string;
  /** Absolute, to open it. */
  readonly path?: string;
  /** 1-based. */
  readonly line?: number;
  readonly problem?: string;
}

/** All that a plugin gives, as far as it is known. */
export function providedBy({ plugin, registrations, fileHooks }: ListedPlugin): readonly Provided[] {
  const all: Provided[] = [];
  for (const registration of registrations.values()) {
    switch (registration.is) {
      case 'hook':
        all.push({ label: registration.event, description: vscode.l10n.t('hook'), icon: 'plug' });
        break;
      case 'tool':
        all.push({ label: registration.name, description: vscode.l10n.t('tool'), icon: 'tools' });
        break;
      case 'command':
        all.push({ label: `/${registration.name}`, description: vscode.l10n.t('command'), icon: 'terminal' });
        break;
      case 'skill':
        all.push({ label: registration.folder, description: vscode.l10n.t('skill'), icon: 'book' });
        break;
      case 'section':
        all.push({ label: registration.title, description: vscode.l10n.t('part of the system prompt'), icon: 'note' });
        break;
      default:
        registration satisfies never;
    }
  }
  for (const { declared, path, line } of fileHooks) {
    const problem = declared.broken ?? declared.unsupported;
    all.push({
      label: declared.declaredAs,
      description: problem ?? vscode.l10n.t('hook of a file'),
      icon: problem ? 'warning' : 'plug',
      path,
      ...(line === undefined ? {} : { line }),
      ...(problem ? { problem } : {}),
    });
  }
  if (isBroken(plugin)) return all;
  for (const { path } of plugin.mcp)
    all.push({ label: 'MCP', description: vscode.l10n.t('servers'), icon: 'server', path });
  for (const { path } of plugin.languageServers) {
    all.push({ label: 'LSP', description: vscode.l10n.t('language servers'), icon: 'server', path });
  }
  for (const [kind, paths] of folders(plugin)) {
    for (const path of paths)
      all.push({ label: path.slice(plugin.root.length + 1), description: kind, icon: 'folder' });
  }
  return all;
}

function folders(plugin: Exclude<ReadPlugin, { broken: string }>): readonly (readonly [string, readonly string[]])[] {
  return [
    [vscode.l10n.t('skills'), plugin.skills],
    [vscode.l10n.t('commands'), plugin.commands],
    [vscode.l10n.t('agents'), plugin.agents],
  ];
}

/** What its process does; empty where it has none. */
export function processWords({ process }: ListedPlugin): string {
  switch (process?.is) {
    case undefined:
    case 'broken':
      return '';
    case 'idle':
      return vscode.l10n.t('starts when it is used');
    case 'starting':
      return vscode.l10n.t('starting');
    case 'running':
      return vscode.l10n.t('running, process {0}', process.pid ?? '?');
    default:
      return process satisfies never;
  }
}
