import * as vscode from 'vscode';

/** Shows files that have no tab for a while, without taking the focus, and closes the tabs it opened. */
export class PreviewTabs {
  readonly #opened: vscode.Uri[] = [];

  /**
   * `preview` asks for the tab in italics that the next file replaces. It is not taken when the user has one already:
   * theirs would be replaced.
   */
  async show(document: vscode.TextDocument, options: { readonly preview: boolean }): Promise<void> {
    const { uri } = document;
    if (tabsOf(uri).length > 0) return;
    this.#opened.push(uri);
    await vscode.window.showTextDocument(document, {
      viewColumn: quietColumn(),
      preserveFocus: true,
      preview: options.preview && !vscode.window.tabGroups.all.some((group) => group.tabs.some((tab) => tab.isPreview)),
    });
  }

  async close(): Promise<void> {
    const tabs = this.#opened.flatMap(tabsOf).filter((tab) => !tab.isDirty && !tab.isPinned);
    this.#opened.length = 0;
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) =>
    group.tabs.filter((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString()),
  );
}

/** A group whose visible tab is no page of ours: a tab in front of the chat would hide it. */
function quietColumn(): vscode.ViewColumn {
  const groups = vscode.window.tabGroups.all;
  const active = vscode.window.tabGroups.activeTabGroup;
  if (!showsWebview(active)) return active.viewColumn;
  return groups.find((group) => !showsWebview(group))?.viewColumn ?? vscode.ViewColumn.Beside;
}

function showsWebview(group: vscode.TabGroup): boolean {
  return group.activeTab?.input instanceof vscode.TabInputWebview;
}
