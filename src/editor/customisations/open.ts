import { homedir } from 'node:os';
import type * as vscode from 'vscode';
import { Customisations } from '../../agent/customisations/index.ts';
import { FileWatch } from '../file-watch.ts';
import type { OutputLog } from '../log.ts';
import type { Workspace } from '../workspace.ts';
import { HeldNotice } from './held-notice.ts';
import { ReadableFiles } from './readable-files.ts';

/** What may hold customisations in a workspace folder; the user's own are read anew with each session. */
const watched = [
  '{AGENTS.md,CLAUDE.md,CLAUDE.local.md}',
  '.github/{copilot-instructions.md,instructions/**,prompts/**,agents/**,skills/**}',
  '.claude/{CLAUDE.md,commands/**,agents/**,skills/**}',
  '{.agents,.midcourse}/skills/**',
];

/** Reads what files say, follows the workspace and its trust, and says once of each file why it is not used. */
export class WindowCustomisations implements vscode.Disposable {
  readonly all: Customisations;
  readonly readable: ReadableFiles;
  readonly #workspace: Workspace;
  readonly #log: OutputLog;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  readonly #told = new Set<string>();
  readonly #watch = new FileWatch(() => void this.all.refresh());

  /** @param memory of the user, not of the workspace */
  constructor(workspace: Workspace, memory: vscode.Memento, log: OutputLog) {
    this.readable = new ReadableFiles(memory);
    this.#workspace = workspace;
    this.#log = log;
    this.all = new Customisations({
      // Untrusted folders are none: nothing of them is read.
      roots: () => ({ folders: workspace.facts().folders, home: homedir() }),
      readable: this.readable,
      log,
    });
    const notice = new HeldNotice(this.all, this.readable, log);
    this.#subscriptions = [
      this.#watch,
      this.all,
      this.all.onDidChange(() => {
        this.#tellUnused();
        notice.tell();
      }),
      workspace.onDidChange(() => {
        this.#watchFolders();
        this.all.rootsChanged();
      }),
    ];
    this.#watchFolders();
    void this.all.refresh();
  }

  dispose(): void {
    for (const part of this.#subscriptions) part.dispose();
  }

  #watchFolders(): void {
    const { folders } = this.#workspace.facts();
    this.#watch.set(folders.flatMap((folder) => watched.map((glob) => ({ folder, glob }))));
  }

  #tellUnused(): void {
    for (const { path, why } of this.all.collection.unused) {
      const words = `${path} is not used: ${why}`;
      if (this.#told.has(words)) continue;
      this.#told.add(words);
      this.#log.warn(words);
    }
  }
}
