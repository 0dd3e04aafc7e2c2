import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { Customisations } from '../../agent/customisations/index.ts';
import type { OutputLog } from '../log.ts';
import type { Workspace } from '../workspace.ts';

/** Several files change at once (a checkout, a pull): they are read once, this long after the last, ms. */
const pause = 150;

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
  readonly #workspace: Workspace;
  readonly #log: OutputLog;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  readonly #told = new Set<string>();
  #watchers: readonly vscode.Disposable[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(workspace: Workspace, log: OutputLog) {
    this.#workspace = workspace;
    this.#log = log;
    this.all = new Customisations({
      // Untrusted folders are none: nothing of them is read.
      roots: () => ({ folders: workspace.facts().folders, home: homedir() }),
      log,
    });
    this.#subscriptions = [
      this.all,
      this.all.onDidChange(() => this.#tellUnused()),
      workspace.onDidChange(() => {
        this.#watch();
        this.all.rootsChanged();
      }),
    ];
    this.#watch();
    void this.all.refresh();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const part of [...this.#subscriptions, ...this.#watchers]) part.dispose();
  }

  #watch(): void {
    for (const watcher of this.#watchers) watcher.dispose();
    this.#watchers = this.#workspace.facts().folders.flatMap((folder) =>
      watched.flatMap((glob) => {
        const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), glob);
        const watcher = vscode.workspace.createFileSystemWatcher(pattern);
        const changed = () => this.#refreshSoon();
        return [watcher, watcher.onDidCreate(changed), watcher.onDidChange(changed), watcher.onDidDelete(changed)];
      }),
    );
  }

  #refreshSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.all.refresh(), pause);
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
