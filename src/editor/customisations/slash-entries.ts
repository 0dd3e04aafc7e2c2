import * as vscode from 'vscode';
import type { CustomisationSource } from '../../agent/customisations/index.ts';

/** A command of the editor that has a name in the composer. */
interface BuiltIn {
  readonly name: string;
  readonly description: string;
  readonly command: string;
  /** `text`: what follows the name is sent in the new session. */
  readonly takes: 'nothing' | 'text';
}

export function builtIns(): readonly BuiltIn[] {
  return [
    {
      name: 'new',
      description: vscode.l10n.t('Start a new session'),
      command: 'midcourse.newSession',
      takes: 'text',
    },
    {
      name: 'compact',
      description: vscode.l10n.t('Let a summary stand for the conversation so far'),
      command: 'midcourse.compact',
      takes: 'nothing',
    },
    {
      name: 'model',
      description: vscode.l10n.t('Choose the model'),
      command: 'midcourse.selectModel',
      takes: 'nothing',
    },
    {
      name: 'hooks',
      description: vscode.l10n.t('Show hooks: what runs, when, and what it decided'),
      command: 'midcourse.manageHooks',
      takes: 'nothing',
    },
    {
      name: 'plugins',
      description: vscode.l10n.t('Show plugins and what they bring'),
      command: 'midcourse.managePlugins',
      takes: 'nothing',
    },
    {
      name: 'skills',
      description: vscode.l10n.t('Show instructions, skills and agents'),
      command: 'midcourse.showCustomisations',
      takes: 'nothing',
    },
  ];
}

/** Where something comes from, for lists. */
export function sourceLabel(source: CustomisationSource): string {
  switch (source.is) {
    case 'workspace':
      return vscode.l10n.t('workspace');
    case 'user':
      return vscode.l10n.t('yours');
    case 'plugin':
      return vscode.l10n.t('plugin {0}', source.plugin);
    default:
      return source satisfies never;
  }
}
