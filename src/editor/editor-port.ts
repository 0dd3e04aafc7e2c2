import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Diagnostic, DiagnosticsAnswer, EditorPort, FileRules } from '../agent/tools/types.ts';
import { cancellationOf } from './cancellation.ts';
import { DiagnosticsWatch } from './diagnostics.ts';
import { fileRules } from './file-rules.ts';

/** What the tools see of VS Code: unsaved buffers, problems, and names of files. */
export class VSCodeEditor implements EditorPort, vscode.Disposable {
  readonly #diagnostics = new DiagnosticsWatch();

  unsaved(path: string): string | undefined {
    const document = openDocument(path);
    return document?.isDirty ? document.getText() : undefined;
  }

  /** A text in a notebook or in an editor of an extension is no open document. */
  unsavedElsewhere(path: string): 'notebook' | 'custom' | undefined {
    if (vscode.workspace.notebookDocuments.some(({ isDirty, uri }) => isDirty && isAt(uri, path))) return 'notebook';
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const isCustom = tabs.some(({ isDirty, input }) => {
      return isDirty && input instanceof vscode.TabInputCustom && isAt(input.uri, path);
    });
    return isCustom ? 'custom' : undefined;
  }

  fileRules(path: string): Promise<FileRules> {
    return fileRules(path);
  }

  /** Files that language servers of this extension report on, also of languages that VS Code does not know. */
  serversCover(covers: (path: string) => boolean): void {
    this.#diagnostics.serversCover(covers);
  }

  snapshotDiagnostics(paths: readonly string[]): Promise<void> {
    return this.#diagnostics.snapshot(paths);
  }

  diagnostics(
    paths: readonly string[],
    signal: AbortSignal,
    late?: (problems: readonly Diagnostic[]) => void,
  ): Promise<DiagnosticsAnswer> {
    return this.#diagnostics.check(paths, signal, late);
  }

  async findFiles(glob: string, limit: number, signal: AbortSignal): Promise<readonly string[]> {
    using cancellation = cancellationOf(signal);
    const uris = await vscode.workspace.findFiles(glob, undefined, limit, cancellation.token);
    return uris.filter((uri) => uri.scheme === 'file').map((uri) => uri.fsPath);
  }

  dispose(): void {
    this.#diagnostics.dispose();
  }
}

/** The open document of a real path, also when it was opened by a link to it. */
function openDocument(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri }) => isAt(uri, path));
}

function isAt({ scheme, fsPath }: vscode.Uri, path: string): boolean {
  return scheme === 'file' && (fsPath === path || realPath(fsPath) === path);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
