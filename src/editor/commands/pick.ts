import * as vscode from 'vscode';

export interface Choice<Value> extends vscode.QuickPickItem {
  readonly value: Value;
}

/** Lets the user choose one; says so when there is nothing to choose from. Undefined when none was chosen. */
export async function pick<Value>(
  choices: readonly Choice<Value>[],
  words: { readonly title: string; readonly none: string },
): Promise<Value | undefined> {
  if (choices.length === 0) {
    void vscode.window.showInformationMessage(words.none);
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(choices, {
    title: words.title,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.value;
}
