import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';

/** What the tools may touch in this window. */
export interface WorkspaceFacts {
  /** Absolute real paths of the folders on disk; empty where tools are off. */
  readonly folders: readonly string[];
  /** Why tools are off, in words for the model and the user. */
  readonly toolsOff: string | undefined;
}

/**
 * Folders on disk, trusted or not, as the editor names them: documents have these paths, also where a folder is a link.
 * What tools may touch goes by real paths (`Workspace`).
 */
export function namedFolders(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ uri }) => uri.fsPath);
}

/** Follows the folders and the trust of the window. Each folder is checked by itself: a window may mix kinds. */
export class Workspace implements vscode.Disposable {
  #facts: WorkspaceFacts | undefined;
  #folders: readonly string[] | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly onDidChange = this.#changed.event;

  constructor() {
    const forget = () => {
      this.#facts = undefined;
      this.#folders = undefined;
      this.#changed.fire();
    };
    this.#subscriptions = [
      vscode.workspace.onDidChangeWorkspaceFolders(forget),
      vscode.workspace.onDidGrantWorkspaceTrust(forget),
    ];
  }

  facts(): WorkspaceFacts {
    this.#facts ??= read();
    return this.#facts;
  }

  /** Absolute real paths of all folders on disk, trusted or not: what is listed of them runs nothing. */
  foldersOnDisk(): readonly string[] {
    this.#folders ??= onDisk(vscode.workspace.workspaceFolders ?? []);
    return this.#folders;
  }

  /** Names this workspace where something is stored for it; undefined without one. */
  key(): string | undefined {
    const file = vscode.workspace.workspaceFile;
    if (file && file.scheme !== 'untitled') return file.scheme === 'file' ? file.fsPath : file.toString();
    const folders = vscode.workspace.workspaceFolders ?? [];
    return folders.length === 0 ? undefined : folders.map((folder) => folder.uri.fsPath).join(', ');
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }
}

function read(): WorkspaceFacts {
  const all = vscode.workspace.workspaceFolders ?? [];
  if (all.length === 0) {
    return off(
      vscode.l10n.t('No folder is open, so tools are off. Open a folder to let Midcourse read and change files.'),
    );
  }
  if (!vscode.workspace.isTrusted) {
    return off(
      vscode.l10n.t(
        'This workspace is not trusted, so tools are off. Trust it with the command Workspaces: Manage Workspace Trust.',
      ),
    );
  }
  const folders = onDisk(all);
  if (folders.length > 0) return { folders, toolsOff: undefined };
  return all.some(({ uri }) => uri.scheme === 'file')
    ? off(vscode.l10n.t('The folder of this workspace cannot be found on disk, so tools are off.'))
    : off(vscode.l10n.t('The folders of this workspace are virtual, so tools are off. Tools need folders on disk.'));
}

function onDisk(all: readonly vscode.WorkspaceFolder[]): readonly string[] {
  const files = all.filter(({ uri }) => uri.scheme === 'file');
  return files.map(({ uri }) => realPath(uri.fsPath)).filter((folder) => folder !== undefined);
}

function off(toolsOff: string): WorkspaceFacts {
  return { folders: [], toolsOff };
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // Deleted or unmounted while the window is open.
    return undefined;
  }
}
