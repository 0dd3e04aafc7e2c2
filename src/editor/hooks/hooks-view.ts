import * as vscode from 'vscode';
import type { HookFiles } from '../../agent/hooks/files/index.ts';
import type { HookManager } from '../../agent/hooks/index.ts';
import { showManageContainer } from '../manage-container.ts';
import { type HookEntry, hookEntries } from './hook-entry.ts';
import { childNodes, type HookNode, rootNodes, treeItem } from './hook-tree.ts';

export interface HooksViewParts {
  readonly files: HookFiles;
  readonly manager: HookManager;
  readonly memory: vscode.Memento;
  /** The user looks at the view. */
  seen(): void;
}

const memoryKey = 'midcourse.hooks.by';

/** Between two updates of the tree (ms): a turn runs many hooks. */
const pause = 300;

/** The view *Hooks*: every hook with its state and its last runs. */
export class HooksView implements vscode.TreeDataProvider<HookNode>, vscode.Disposable {
  readonly #parts: HooksViewParts;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<HookNode>;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #by: 'event' | 'source';

  constructor(parts: HooksViewParts) {
    this.#parts = parts;
    this.#by = parts.memory.get<string>(memoryKey) === 'source' ? 'source' : 'event';
    this.#view = vscode.window.createTreeView('midcourse.hooks', { treeDataProvider: this, showCollapseAll: true });
    const refresh = () => this.#refresh();
    this.#subscriptions = [
      this.#changed,
      this.#view,
      parts.files.onDidChange(refresh),
      parts.manager.onDidChange(refresh),
      parts.manager.onDidRun(refresh),
      this.#view.onDidChangeVisibility(({ visible }) => visible && parts.seen()),
    ];
    this.#setKey();
  }

  /** Every hook, in the order in which they are heard. */
  entries(): readonly HookEntry[] {
    const { files, manager } = this.#parts;
    return hookEntries(files.list(), manager.list(), manager.enabled);
  }

  groupBy(by: 'event' | 'source'): void {
    this.#by = by;
    void this.#parts.memory.update(memoryKey, by);
    this.#setKey();
    this.#changed.fire(undefined);
  }

  getTreeItem(node: HookNode): vscode.TreeItem {
    return treeItem(node, this.#by);
  }

  getChildren(node?: HookNode): HookNode[] {
    const { files, manager } = this.#parts;
    const runs = (hookId: string) => manager.runs(hookId);
    if (node) return [...childNodes(node, { runs })];
    return [...rootNodes({ entries: this.entries(), files: files.files(), by: this.#by, runs })];
  }

  /** For `reveal`: runs are never revealed. */
  getParent(node: HookNode): HookNode | undefined {
    if (node.is !== 'hook') return undefined;
    return this.getChildren().find((root) => root.is === 'group' && root.hooks.some(({ id }) => id === node.entry.id));
  }

  /** Selects the hook that people know by that name, where there is one. */
  async show(name: string): Promise<void> {
    const hooks = this.getChildren().flatMap((root) => this.getChildren(root));
    const found = hooks.find((node) => node.is === 'hook' && node.entry.name === name);
    if (found) await this.#view.reveal(found, { select: true, focus: true, expand: true });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #refresh(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#showBadge();
      this.#changed.fire(undefined);
    }, pause);
  }

  #showBadge(): void {
    const entries = this.entries();
    const problems = this.#parts.files.files().some(({ broken }) => broken !== undefined);
    if (entries.length > 0 || problems) showManageContainer();
    const waiting = entries.filter(({ state }) => state.is === 'waiting' || state.is === 'changed').length;
    const words =
      waiting === 1
        ? vscode.l10n.t('1 hook waits for your consent')
        : vscode.l10n.t('{0} hooks wait for your consent', waiting);
    this.#view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: words };
    this.#view.message = this.#message();
  }

  /** Of an empty view the welcome text says what could be there. */
  #message(): string {
    if (!vscode.workspace.isTrusted) {
      return vscode.l10n.t('This workspace is not trusted: no hook runs, your own included.');
    }
    if (!this.#parts.manager.enabled) return vscode.l10n.t('All hooks are switched off by midcourse.hooks.enabled.');
    return '';
  }

  #setKey(): void {
    void vscode.commands.executeCommand('setContext', 'midcourse.hooksBySource', this.#by === 'source');
  }
}
