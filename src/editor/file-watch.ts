import * as vscode from 'vscode';

/** Milliseconds after the last of several changes: a checkout, or a save of several files, is one. */
const PAUSE = 150;

export interface WatchedFiles {
  /** Absolute. It may come and go, and with it what is below it. */
  readonly folder: string;
  readonly glob: string;
}

/** Tells when files have come, changed or gone, once for changes that follow each other. */
export class FileWatch implements vscode.Disposable {
  readonly #changed: () => void;
  #watchers: readonly vscode.Disposable[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Watches these from now on, and no others. */
  set(files: readonly WatchedFiles[]): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = files.flatMap(({ folder, glob }) => {
      const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), glob);
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      const soon = () => this.#soon();
      return [watcher, watcher.onDidCreate(soon), watcher.onDidChange(soon), watcher.onDidDelete(soon)];
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.set([]);
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#changed, PAUSE);
  }
}
