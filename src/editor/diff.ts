import { basename } from 'node:path';
import * as vscode from 'vscode';

const scheme = 'midcourse-diff';

export interface FileDiff {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Shows before and after of an edit in VS Code's own diff editor; both sides are virtual and read-only. */
export class DiffViewer implements vscode.TextDocumentContentProvider, vscode.Disposable {
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

  async show(diff: FileDiff): Promise<void> {
    const id = this.#next++;
    const before = this.#side(diff.path, `${id}-before`, diff.before);
    const after = this.#side(diff.path, `${id}-after`, diff.after);
    const title = vscode.l10n.t('{0} (Midcourse)', basename(diff.path));
    await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: true });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#contents.clear();
  }

  /** The path keeps the file's name, so that both sides get its language. */
  #side(path: string, query: string, content: string): vscode.Uri {
    const uri = vscode.Uri.file(path).with({ scheme, query });
    this.#contents.set(uri.toString(), content);
    return uri;
  }
}
