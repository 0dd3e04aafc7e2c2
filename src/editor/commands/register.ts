import * as vscode from 'vscode';
import type { OutputLog } from '../log.ts';
import type { CommandHost } from './command.ts';

/** Every command of package.json but the two that need nothing loaded (`focusChat`, `showLog`). */
const ids = [
  'midcourse.send',
  'midcourse.steer',
  'midcourse.redirect',
  'midcourse.queue',
  'midcourse.stop',
  'midcourse.stopAfterStep',
  'midcourse.stopAndSend',
  'midcourse.stopEverything',
  'midcourse.takeOverSession',
  'midcourse.continueTurn',
  'midcourse.retryTurn',
  'midcourse.compact',
  'midcourse.stopCommand',
  'midcourse.moveCommandToBackground',
  'midcourse.resumeQueue',
  'midcourse.clearQueue',
  'midcourse.withdrawItem',
  'midcourse.editItem',
  'midcourse.moveItemUp',
  'midcourse.moveItemDown',
  'midcourse.sendItemNow',
  'midcourse.redirectItemNow',
  'midcourse.approve',
  'midcourse.deny',
  'midcourse.manageApprovals',
  'midcourse.newSession',
  'midcourse.openSession',
  'midcourse.searchSessions',
  'midcourse.renameSession',
  'midcourse.exportSession',
  'midcourse.deleteSession',
  'midcourse.copyLastAnswer',
  'midcourse.selectModel',
  'midcourse.selectEffort',
  'midcourse.setApiKey',
  'midcourse.setWebhookSecret',
  'midcourse.testConnection',
  'midcourse.startPractice',
  'midcourse.openInEditor',
  'midcourse.showProcesses',
  'midcourse.showCustomisations',
  'midcourse.openDataFolder',
  'midcourse.openSettings',
  'midcourse.accessibilityHelp',
  'midcourse.managePlugins',
  'midcourse.createPlugin',
  'midcourse.enablePlugin',
  'midcourse.disablePlugin',
  'midcourse.reloadPlugin',
  'midcourse.allowPlugin',
  'midcourse.revokePlugin',
  'midcourse.configurePlugin',
  'midcourse.showPluginLog',
  'midcourse.openPlugin',
  'midcourse.manageHooks',
  'midcourse.reviewWaiting',
  'midcourse.allowHook',
  'midcourse.revokeHook',
  'midcourse.runHook',
  'midcourse.showHookRun',
  'midcourse.openHook',
  'midcourse.refreshHooks',
  'midcourse.groupHooksByEvent',
  'midcourse.groupHooksBySource',
  'midcourse.disableHooks',
  'midcourse.enableHooks',
  'midcourse.manageMcpServers',
  'midcourse.startMcpServer',
  'midcourse.stopMcpServer',
  'midcourse.restartMcpServer',
  'midcourse.allowMcpServer',
  'midcourse.revokeMcpServer',
  'midcourse.signInMcpServer',
  'midcourse.signOutMcpServer',
  'midcourse.forgetMcpInputs',
  'midcourse.showMcpServerLog',
  'midcourse.openMcpServer',
  'midcourse.restartLanguageServer',
  'midcourse.stopLanguageServer',
  'midcourse.allowLanguageServer',
  'midcourse.revokeLanguageServer',
  'midcourse.showLanguageServerLog',
  'midcourse.openLanguageServer',
] as const;

export type CommandId = (typeof ids)[number];

/** The title menu of the chat's view: what is chosen there is about the session that the view shows. */
export const ofTheView: ReadonlySet<string> = new Set<CommandId | 'midcourse.showLog'>([
  'midcourse.newSession',
  'midcourse.openSession',
  'midcourse.searchSessions',
  'midcourse.renameSession',
  'midcourse.exportSession',
  'midcourse.deleteSession',
  'midcourse.selectModel',
  'midcourse.selectEffort',
  'midcourse.setApiKey',
  'midcourse.testConnection',
  'midcourse.openInEditor',
  'midcourse.showProcesses',
  'midcourse.manageApprovals',
  'midcourse.openDataFolder',
  'midcourse.openSettings',
  'midcourse.showLog',
]);

/** Registers the commands; their code and all that is behind it is loaded when the first of them runs. */
export function registerCommands(host: () => Promise<CommandHost>, log: OutputLog): vscode.Disposable {
  const run = async (id: CommandId, argument: unknown): Promise<unknown> => {
    try {
      const [{ commands }, opened] = await Promise.all([import('./index.ts'), host()]);
      if (!isOfTitleMenu(argument)) return await commands[id](opened, argument);
      if (ofTheView.has(id)) opened.pages.useView();
      return await commands[id](opened, undefined);
    } catch (error) {
      log.failed(`The command ${id} failed`, error);
      throw error;
    }
  };
  return vscode.Disposable.from(
    ...ids.map((id) => vscode.commands.registerCommand(id, (argument: unknown) => run(id, argument))),
  );
}

/** VS Code 1.139 gives the commands of a view's title menu an argument of its own, and nobody else does. */
function isOfTitleMenu(argument: unknown): boolean {
  return typeof argument === 'object' && argument !== null && Object.keys(argument).join() === 'preserveFocus';
}
