import * as vscode from 'vscode';
import type { Sessions } from '../sessions.ts';

/** Lists hits while the user types; resolves with the chosen session's id. */
export function askQuery(sessions: Sessions): Promise<string | undefined> {
  const quickPick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly sessionId: string }>();
  quickPick.title = vscode.l10n.t('Search sessions');
  quickPick.placeholder = vscode.l10n.t('Words of a message, an answer or a title');
  quickPick.onDidChangeValue((query) => {
    const hits = query.trim() === '' ? [] : sessions.search(query, 50);
    quickPick.items = hits.map((hit) => ({
      label: hit.title || vscode.l10n.t('Untitled session'),
      detail: hit.snippet,
      sessionId: hit.sessionId,
      // The search has found it already; VS Code's own filter would drop hits whose words are not in the label.
      alwaysShow: true,
    }));
  });
  return new Promise((resolve) => {
    quickPick.onDidAccept(() => {
      resolve(quickPick.selectedItems[0]?.sessionId);
      quickPick.hide();
    });
    quickPick.onDidHide(() => {
      resolve(undefined);
      quickPick.dispose();
    });
    quickPick.show();
  });
}
