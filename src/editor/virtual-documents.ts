import { basename } from 'node:path';
import * as vscode from 'vscode';

const scheme = 'midcourse';

interface FileDiff {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Read-only documents that exist while they are open: both sides of a diff, the full output of a call. */
export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #contents = new Map<string, string>();
  readonly #subscriptions: readonly vscode.Disposable[];
  #next = 1;

  constructor() {
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme === scheme) this.#contents.delete(document.uri.toString());
      }),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#contents.get(uri.toString()) ?? '';
  }

  /** Shows before and after of an edit in VS Code's own diff editor. */
  async showDiff({ path, before, after }: FileDiff): Promise<void> {
    const title = vscode.l10n.t('{0} (Midcourse)', basename(path));
    await vscode.commands.executeCommand('vscode.diff', this.#add(path, before), this.#add(path, after), title, {
      preview: true,
    });
  }

  async showText(name: string, text: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.#add(`/${name}`, text));
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#contents.clear();
  }

  /** The path keeps the file's name, so that the document gets its language. */
  #add(path: string, content: string): vscode.Uri {
    const uri = vscode.Uri.file(path).with({ scheme, query: String(this.#next++) });
    this.#contents.set(uri.toString(), content);
    return uri;
  }
}
