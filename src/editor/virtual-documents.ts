import { basename } from 'node:path';
import * as vscode from 'vscode';

const scheme = 'midcourse';

interface FileDiff {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

interface Content {
  text(): string;
  /** Ends what it follows. */
  dispose(): void;
}

/** Between two updates of a document that follows something (ms). */
const pause = 300;

/** Read-only documents that exist while they are open: both sides of a diff, the full output of a call. */
export class VirtualDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #contents = new Map<string, Content>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #subscriptions: readonly vscode.Disposable[];
  #next = 1;

  constructor() {
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (document.uri.scheme === scheme) this.#forget(document.uri.toString());
      }),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#contents.get(uri.toString())?.text() ?? '';
  }

  /** Shows before and after of an edit in VS Code's own diff editor. */
  async showDiff({ path, before, after }: FileDiff): Promise<void> {
    const title = vscode.l10n.t('{0} (Midcourse)', basename(path));
    await vscode.commands.executeCommand('vscode.diff', this.#add(path, before), this.#add(path, after), title, {
      preview: true,
    });
  }

  /** Several diffs with one title, in one editor of VS Code. */
  async showDiffs(title: string, diffs: readonly FileDiff[]): Promise<void> {
    const [only, ...others] = diffs.map(({ path, before, after }) => {
      const left = this.#add(path, before);
      return [left, left, this.#add(path, after)] as const;
    });
    if (!only) return;
    if (others.length > 0) await vscode.commands.executeCommand('vscode.changes', title, [only, ...others]);
    else await vscode.commands.executeCommand('vscode.diff', only[1], only[2], title, { preview: true });
  }

  async showText(name: string, text: string): Promise<void> {
    await this.#show(this.#add(`/${name}`, text));
  }

  /**
   * Shows a text that changes; the document follows it until it is closed.
   *
   * @param listen calls back with each change, until what it returns is disposed
   */
  async follow(
    name: string,
    text: () => string,
    listen: (changed: () => void) => { dispose(): unknown },
  ): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const uri = this.#uri(`/${name}`);
    const listening = listen(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        this.#changed.fire(uri);
      }, pause);
    });
    this.#contents.set(uri.toString(), {
      text,
      dispose() {
        clearTimeout(timer);
        listening.dispose();
      },
    });
    await this.#show(uri);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const key of [...this.#contents.keys()]) this.#forget(key);
    this.#changed.dispose();
  }

  async #show(uri: vscode.Uri): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  #add(path: string, content: string): vscode.Uri {
    const uri = this.#uri(path);
    this.#contents.set(uri.toString(), { text: () => content, dispose: () => undefined });
    return uri;
  }

  /** The path keeps the file's name, so that the document gets its language. */
  #uri(path: string): vscode.Uri {
    return vscode.Uri.file(path).with({ scheme, query: String(this.#next++) });
  }

  #forget(key: string): void {
    this.#contents.get(key)?.dispose();
    this.#contents.delete(key);
  }
}
