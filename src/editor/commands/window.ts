import * as vscode from 'vscode';
import type { BackgroundProcess } from '../../api.ts';
import { startPractice } from '../practice.ts';
import { forms, read } from './arguments.ts';
import type { Command } from './command.ts';
import { pick } from './pick.ts';

/** What opens something in the window. */
export const windowCommands = {
  'midcourse.openInEditor': ({ pages }) => pages.openTab(),
  'midcourse.accessibilityHelp': ({ pages }) => pages.visible()?.post({ type: 'showHelp' }),
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

  /** Lists the background processes of the session; one of them can be shown or ended. */
  'midcourse.showProcesses': async ({ core }, argument) => {
    const session = core.sessions.find(read(forms.session, argument).sessionId);
    const process = await pick(
      session.processes().map((one) => ({ label: one.command, description: description(one), value: one })),
      { title: vscode.l10n.t('Background processes'), none: vscode.l10n.t('No background process was started.') },
    );
    if (!process) return;
    const end = { label: vscode.l10n.t('End it and all it started'), value: 'end' as const };
    const show = { label: vscode.l10n.t('Show its output'), value: 'show' as const };
    const action = await pick(process.state === 'running' ? [show, end] : [show], { title: process.command, none: '' });
    if (action === 'end') await session.killProcess(process.id);
    if (action === 'show') await core.documents.showText(`${process.id}.txt`, session.processOutput(process.id) ?? '');
  },
} satisfies Record<string, Command>;

async function offerPath(path: string): Promise<void> {
  const copy = vscode.l10n.t('Copy path');
  const answer = await vscode.window.showInformationMessage(vscode.l10n.t('Sessions are kept in {0}', path), copy);
  if (answer === copy) await vscode.env.clipboard.writeText(path);
}

function description(process: BackgroundProcess): string {
  const state = {
    running: vscode.l10n.t('running'),
    exited: vscode.l10n.t('ended with {0}', process.exitCode ?? '?'),
    killed: vscode.l10n.t('ended by you'),
    unreachable: vscode.l10n.t('could not be ended'),
  }[process.state];
  return `${state} · pid ${process.pid}`;
}
