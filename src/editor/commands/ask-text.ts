import * as vscode from 'vscode';
import type { Receipt } from '../../api.ts';

/**
 * Asks for a text and acts with it. A refusal must not cost what somebody typed: the box opens again with the text and
 * says why.
 *
 * @returns undefined when the user leaves the box
 */
export async function askText(
  box: vscode.InputBoxOptions,
  act: (text: string) => Receipt,
): Promise<Receipt | undefined> {
  let text = await vscode.window.showInputBox({ ...box, ignoreFocusOut: true });
  while (text !== undefined) {
    const receipt = act(text);
    if (receipt.outcome !== 'refused') return receipt;
    text = await vscode.window.showInputBox({ ...box, value: text, prompt: receipt.message, ignoreFocusOut: true });
  }
  return undefined;
}
