import * as vscode from 'vscode';
import type { Dialect, HookSource } from '../../agent/hooks/index.ts';
import { shortPath } from './short-path.ts';

export function sourceWords(source: HookSource): string {
  switch (source.is) {
    case 'file':
      return shortPath(source.path);
    case 'plugin':
      return vscode.l10n.t('plugin {0}', source.plugin);
    case 'webhook':
      return vscode.l10n.t('webhooks');
    case 'extension':
      return vscode.l10n.t('other extensions');
    default:
      return source satisfies never;
  }
}

const dialects: Readonly<Record<Dialect, string>> = {
  midcourse: 'Midcourse',
  claude: 'Claude Code',
  codex: 'Codex',
  vscode: 'VS Code',
  copilot: 'Copilot CLI',
  hermes: 'Hermes',
  cline: 'Cline',
};

/** Names, which are not translated. */
export function dialectWords(dialect: Dialect): string {
  return dialects[dialect];
}
