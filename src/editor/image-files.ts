import * as vscode from 'vscode';

const scheme = 'midcourse-image';

interface ShownImage {
  readonly base64: string;
}

/** Images of conversations as read-only files, so that VS Code's own image viewer can show them. */
export class ImageFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #shown = new Map<string, Buffer>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly #subscriptions: readonly vscode.Disposable[];
  /** They never change. */
  readonly onDidChangeFile = this.#changed.event;

  constructor() {
    this.#subscriptions = [
      vscode.workspace.registerFileSystemProvider(scheme, this, { isReadonly: true }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) {
          if (input instanceof vscode.TabInputCustom && input.uri.scheme === scheme) this.#forget(input.uri);
        }
      }),
    ];
  }

  /** @param name the file's, with the ending that belongs to its kind */
  async show(ref: string, name: string, { base64 }: ShownImage): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${ref.slice(0, 16)}/${name.replaceAll(/[/\\]/g, '_') || 'image'}` });
    this.#shown.set(uri.path, Buffer.from(base64, 'base64'));
    await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { File, Directory } = vscode.FileType;
    const bytes = this.#shown.get(uri.path);
    return { type: bytes ? File : Directory, ctime: 0, mtime: 0, size: bytes?.byteLength ?? 0 };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const bytes = this.#shown.get(uri.path);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  watch(): vscode.Disposable {
    return { dispose: () => undefined };
  }

  createDirectory(): never {
    throw readOnly();
  }

  writeFile(): never {
    throw readOnly();
  }

  delete(): never {
    throw readOnly();
  }

  rename(): never {
    throw readOnly();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
    this.#shown.clear();
  }

  #forget(uri: vscode.Uri): void {
    this.#shown.delete(uri.path);
  }
}

function readOnly(): vscode.FileSystemError {
  return vscode.FileSystemError.NoPermissions(vscode.l10n.t('An image of a conversation cannot be changed.'));
}
