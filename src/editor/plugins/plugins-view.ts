import * as vscode from 'vscode';
import { isBroken, type ListedPlugin, type PluginSet } from '../../agent/plugins/index.ts';
import { showManageContainer } from '../manage-container.ts';
import { caveatOf, lookOf } from '../trust/index.ts';
import { type Provided, processWords, providedBy } from './plugin-words.ts';

export type PluginNode =
  | { readonly of: 'plugin'; readonly listed: ListedPlugin }
  | { readonly of: 'provided'; readonly provided: Provided }
  | { readonly of: 'warning'; readonly words: string };

/** Between two updates of the tree (ms): a start changes several things at once. */
const PAUSE = 150;

/** The view *Plugins*: each plugin with its state and its process, below it what it provides and what is to be said of it. */
export class PluginsView implements vscode.TreeDataProvider<PluginNode>, vscode.Disposable {
  readonly #plugins: PluginSet;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  readonly #view: vscode.TreeView<PluginNode>;
  #timer: NodeJS.Timeout | undefined;

  constructor(plugins: PluginSet) {
    this.#plugins = plugins;
    this.#view = vscode.window.createTreeView('midcourse.plugins', { treeDataProvider: this });
    this.#subscriptions = [this.#changed, this.#view, plugins.onDidChange(() => this.#refresh())];
  }

  getTreeItem(node: PluginNode): vscode.TreeItem {
    switch (node.of) {
      case 'plugin':
        return pluginItem(node.listed);
      case 'provided':
        return providedItem(node.provided);
      case 'warning':
        return warningItem(node.words);
      default:
        return node satisfies never;
    }
  }

  getChildren(node?: PluginNode): PluginNode[] {
    if (node === undefined) return this.#plugins.list().map((listed) => ({ of: 'plugin', listed }));
    if (node.of !== 'plugin') return [];
    return [
      ...node.listed.warnings.map((words): PluginNode => ({ of: 'warning', words })),
      ...providedBy(node.listed).map((provided): PluginNode => ({ of: 'provided', provided })),
    ];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #refresh(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#plugins.list().length > 0) showManageContainer();
      this.#showBadge();
      this.#changed.fire(undefined);
    }, PAUSE);
  }

  #showBadge(): void {
    const waiting = this.#plugins.list().filter(({ state: { is } }) => is === 'waiting' || is === 'changed').length;
    const words =
      waiting === 1
        ? vscode.l10n.t('1 plugin waits for your consent')
        : vscode.l10n.t('{0} plugins wait for your consent', waiting);
    this.#view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: words };
  }
}

function pluginItem(listed: ListedPlugin): vscode.TreeItem {
  const { plugin, state, warnings } = listed;
  const look = lookOf(state);
  const item = new vscode.TreeItem(isBroken(plugin) ? plugin.id : plugin.label);
  const hasChildren = warnings.length + providedBy(listed).length > 0;
  if (hasChildren) item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
  item.id = plugin.id;
  item.description = [look.words, processWords(listed)].filter(Boolean).join(' · ');
  item.iconPath = look.icon;
  item.contextValue = [
    `plugin.${state.is}`,
    ...(caveatOf(state)?.isNews ? ['news'] : []),
    ...(!isBroken(plugin) && plugin.config ? ['config'] : []),
    ...(listed.process ? ['code'] : []),
  ].join('.');
  const scope =
    plugin.scope === 'workspace' ? vscode.l10n.t('This workspace brings it.') : vscode.l10n.t('It is yours.');
  const about = isBroken(plugin) ? [] : [`${plugin.id} ${plugin.version}`.trim(), plugin.description, plugin.author];
  item.tooltip = [...about, look.words, look.why, scope, plugin.root].filter(Boolean).join('\n\n');
  item.accessibilityInformation = { label: `${item.label}, ${item.description}. ${look.why ?? ''}` };
  return item;
}

function providedItem({ label, description, icon, path, line = 1, problem }: Provided): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.description = description;
  item.iconPath = new vscode.ThemeIcon(icon);
  if (problem) item.tooltip = problem;
  if (path !== undefined) {
    const selection = new vscode.Range(line - 1, 0, line - 1, 0);
    item.command = {
      title: vscode.l10n.t('Open'),
      command: 'vscode.open',
      arguments: [vscode.Uri.file(path), { selection }],
    };
  }
  return item;
}

function warningItem(words: string): vscode.TreeItem {
  const item = new vscode.TreeItem(words);
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.tooltip = words;
  return item;
}
