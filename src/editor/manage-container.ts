import * as vscode from 'vscode';

let shown = false;

/**
 * Shows the view container *Hooks and Plugins* from now on. It is hidden until there is something in it, or the user asks
 * for it: most people have no hooks, and an icon that leads to an empty view is in their way.
 */
export function showManageContainer(): void {
  if (shown) return;
  shown = true;
  void vscode.commands.executeCommand('setContext', 'midcourse.manages', true);
}
