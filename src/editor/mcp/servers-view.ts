import * as vscode from 'vscode';
import type { McpServer, McpTool } from '../../agent/mcp/index.ts';
import { visibleLine, visibleText } from '../../words/visible-text.ts';
import type { LanguageServer, WindowLanguageServers } from '../language-servers/index.ts';
import { showManageContainer } from '../manage-container.ts';
import { caveatOf, type Look } from '../trust/index.ts';
import { lookOfLanguageServer, lookOfServer } from './state-words.ts';
import type { WindowServers } from './window-servers.ts';

export type ServerNode =
  | { readonly of: 'mcp'; readonly server: McpServer }
  | { readonly of: 'tool'; readonly server: McpServer; readonly tool: McpTool }
  | { readonly of: 'language'; readonly server: LanguageServer };

export interface ServersViewParts {
  readonly mcp: WindowServers;
  readonly languageServers: WindowLanguageServers;
}

/** Between two updates of the tree (ms): a start changes several things at once. */
const PAUSE = 150;

/** The view *Servers*: MCP servers with their tools, then language servers. */
export class ServersView implements vscode.TreeDataProvider<ServerNode>, vscode.Disposable {
  readonly #parts: ServersViewParts;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  readonly #view: vscode.TreeView<ServerNode>;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ServersViewParts) {
    this.#parts = parts;
    this.#view = vscode.window.createTreeView('midcourse.mcpServers', { treeDataProvider: this });
    this.#subscriptions = [
      this.#changed,
      this.#view,
      parts.mcp.servers.onDidChange(() => this.#refresh()),
      // What lies beside their scripts is not watched.
      this.#view.onDidChangeVisibility(({ visible }) => visible && void parts.mcp.servers.review()),
      parts.languageServers.onDidChange(() => this.#refresh()),
    ];
    this.#refresh();
  }

  getTreeItem(node: ServerNode): vscode.TreeItem {
    switch (node.of) {
      case 'mcp':
        return mcpItem(node.server);
      case 'tool':
        return toolItem(node.tool);
      case 'language':
        return languageItem(node.server);
      default:
        return node satisfies never;
    }
  }

  getChildren(node?: ServerNode): ServerNode[] {
    if (node)
      return node.of === 'mcp' ? node.server.tools.map((tool) => ({ of: 'tool', server: node.server, tool })) : [];
    const { mcp, languageServers } = this.#parts;
    return [
      ...mcp.servers.list().map((server): ServerNode => ({ of: 'mcp', server })),
      ...languageServers.list().map((server): ServerNode => ({ of: 'language', server })),
    ];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #refresh(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.getChildren().length > 0) showManageContainer();
      this.#showBadge();
      this.#changed.fire(undefined);
    }, PAUSE);
  }

  #showBadge(): void {
    const { mcp, languageServers } = this.#parts;
    const names = [...mcp.servers.list(), ...languageServers.list()].map(stateName);
    const waiting = names.filter((name) => name === 'waiting' || name === 'changed').length;
    const words =
      waiting === 1
        ? vscode.l10n.t('1 server waits for your consent')
        : vscode.l10n.t('{0} servers wait for your consent', waiting);
    this.#view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: words };
  }
}

function mcpItem(server: McpServer): vscode.TreeItem {
  const look = lookOfServer(server);
  const { tools, declared } = server;
  const item = new vscode.TreeItem(server.name);
  if (tools.length > 0) item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
  const count = tools.length === 1 ? vscode.l10n.t('1 tool') : vscode.l10n.t('{0} tools', tools.length);
  item.description = tools.length > 0 ? `${look.words} · ${count}` : look.words;
  item.iconPath = look.icon;
  item.contextValue = `mcp.${stateName(server)}${news(server)}.${declared.source.is}`;
  item.tooltip = tooltip(look, sourceWords(declared.source), declared.warnings);
  item.accessibilityInformation = { label: `${server.name}, MCP, ${item.description}. ${look.why ?? ''}` };
  return item;
}

function toolItem(tool: McpTool): vscode.TreeItem {
  const item = new vscode.TreeItem(visibleLine(tool.name));
  item.iconPath = new vscode.ThemeIcon('tools');
  const description = visibleText(tool.description);
  item.description = description.split('\n', 1)[0] ?? '';
  item.tooltip = description;
  item.contextValue = 'mcpTool';
  return item;
}

function languageItem(server: LanguageServer): vscode.TreeItem {
  const { declared } = server;
  const look = lookOfLanguageServer(server);
  const item = new vscode.TreeItem(server.name);
  const endings = Object.keys(declared.definition?.languages ?? {}).join(' ');
  item.description = [look.words, endings].filter(Boolean).join(' · ');
  item.iconPath = look.icon;
  item.contextValue = `language.${stateName(server)}${news(server)}.${declared.source.is}`;
  item.tooltip = tooltip(look, sourceWords(declared.source), declared.warnings);
  item.accessibilityInformation = {
    label: `${server.name}, ${vscode.l10n.t('language server')}, ${item.description}. ${look.why ?? ''}`,
  };
  return item;
}

/** For menus: what holds a server says what can be done about it. */
function stateName({ state }: McpServer | LanguageServer): string {
  return state.is === 'held' ? state.run.is : state.is;
}

/** For menus: it can be reviewed again. */
function news({ run }: McpServer | LanguageServer): string {
  return caveatOf(run)?.isNews ? '.news' : '';
}

type AnySource = McpServer['declared']['source'] | LanguageServer['declared']['source'];

function sourceWords(source: AnySource): string {
  switch (source.is) {
    case 'settings':
      return vscode.l10n.t('from your settings');
    case 'plugin':
      return vscode.l10n.t('from the plugin {0}', source.plugin);
    case 'file':
      return vscode.l10n.t('from {0}', vscode.workspace.asRelativePath(source.path));
    default:
      return source satisfies never;
  }
}

function tooltip(look: Look, source: string, warnings: readonly string[]): string {
  return [look.words, look.why, source, ...warnings].filter((line) => line !== undefined && line !== '').join('\n\n');
}
