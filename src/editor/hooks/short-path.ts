import { homedir } from 'node:os';
import * as vscode from 'vscode';

/** From the workspace folder, or from `~`. */
export function shortPath(path: string): string {
  const home = homedir();
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  const inWorkspace = vscode.workspace.asRelativePath(path, several);
  return inWorkspace === path && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : inWorkspace;
}
