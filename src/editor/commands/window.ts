import * as vscode from 'vscode';
import { startPractice } from '../practice.ts';
import type { Command } from './command.ts';

/** What opens something in the window. */
export const windowCommands = {
  'midcourse.openInEditor': ({ pages }) => pages.openTab(),
  'midcourse.accessibilityHelp': ({ pages }) => (pages.focused() ?? pages.visible())?.post({ type: 'showHelp' }),
  'midcourse.startPractice': ({ core }) => startPractice(core),
  'midcourse.openSettings': () =>
    vscode.commands.executeCommand('workbench.action.openSettings', '@ext:midcourse.midcourse'),

  /** The folder's path. It is shown too, since a browser has no file manager to reveal it in. */
  'midcourse.openDataFolder': async ({ core }) => {
    const { dataFolder } = core;
    const local = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
    if (local) {
      await vscode.env.openExternal(dataFolder);
      return dataFolder.fsPath;
    }
    void offerPath(dataFolder.fsPath);
    return dataFolder.fsPath;
  },
} satisfies Record<string, Command>;

async function offerPath(path: string): Promise<void> {
  const copy = vscode.l10n.t('Copy path');
  const answer = await vscode.window.showInformationMessage(vscode.l10n.t('Sessions are kept in {0}', path), copy);
  if (answer === copy) await vscode.env.clipboard.writeText(path);
}
