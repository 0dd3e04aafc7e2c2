import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { PluginHome } from '../../agent/plugins/index.ts';

const FOLDER = '.midcourse/plugins';
/** Milliseconds after the last of several changes: a checkout or a save of several files is one. */
const PAUSE = 200;

/** @param folders absolute */
export function pluginHomes(folders: readonly string[]): readonly PluginHome[] {
  return [
    { path: join(homedir(), FOLDER), scope: 'user' },
    ...folders.map((folder) => ({ path: join(folder, FOLDER), scope: 'workspace' as const, folder })),
  ];
}

/** Tells when something below the folders of plugins has changed. */
export class PluginWatch implements vscode.Disposable {
  readonly #changed: () => void;
  #watchers: readonly vscode.Disposable[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  set(folders: readonly string[]): void {
    for (const watcher of this.#watchers) watcher.dispose();
    const roots = [homedir(), ...folders];
    this.#watchers = roots.flatMap((root) => {
      // From the folder that is there in any case: `.midcourse` may come later.
      const pattern = root === homedir() ? below(join(root, FOLDER), '**') : below(root, `${FOLDER}/**`);
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      const soon = () => this.#soon();
      return [watcher, watcher.onDidCreate(soon), watcher.onDidChange(soon), watcher.onDidDelete(soon)];
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.dispose();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#changed(), PAUSE);
  }
}

function below(folder: string, glob: string): vscode.RelativePattern {
  return new vscode.RelativePattern(vscode.Uri.file(folder), glob);
}
