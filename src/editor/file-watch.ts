import * as vscode from 'vscode';
import { Debounce } from '../debounce.ts';

/** A checkout, or a save of several files, is one change. */
const TIMES = { pause: 150, longest: 2_000 };

export interface WatchedFiles {
  /** Absolute. It may come and go, and with it what is below it. */
  readonly folder: string;
  readonly glob: string;
}

/** Tells when files have come, changed or gone, once for changes that follow each other. */
export class FileWatch implements vscode.Disposable {
  readonly #changed: Debounce;
  #watchers: readonly vscode.Disposable[] = [];

  constructor(changed: () => void) {
    this.#changed = new Debounce(TIMES, changed);
  }

  /** Watches these from now on, and no others. */
  set(files: readonly WatchedFiles[]): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = files.flatMap(({ folder, glob }) => {
      const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), glob);
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      const soon = () => this.#changed.touch();
      return [watcher, watcher.onDidCreate(soon), watcher.onDidChange(soon), watcher.onDidDelete(soon)];
    });
  }

  dispose(): void {
    this.#changed.cancel();
    this.set([]);
  }
}
