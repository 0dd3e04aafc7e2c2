import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Customisations } from '../../agent/customisations/index.ts';
import { rulesOf } from '../../agent/hooks/dialects/index.ts';
import type { HookParts } from '../../agent/hooks/handlers/index.ts';
import type { HookManager } from '../../agent/hooks/index.ts';
import type { CompletionPort } from '../../agent/model/index.ts';
import { type ListedPlugin, type PluginProblem, PluginSet } from '../../agent/plugins/index.ts';
import type { RecordProcess, ToolRegistry } from '../../agent/tools/index.ts';
import { atMost } from '../../agent/turn/at-most.ts';
import { systemClock } from '../clock.ts';
import { builtIns } from '../customisations/slash-entries.ts';
import { FileWatch } from '../file-watch.ts';
import type { OutputLog } from '../log.ts';
import type { ServersRoom } from '../mcp/index.ts';
import type { Settings } from '../settings.ts';
import type { Trust } from '../trust/index.ts';
import type { Workspace } from '../workspace.ts';
import { PluginLogs } from './plugin-logs.ts';
import { pluginFilesOf, pluginHomes } from './plugin-places.ts';
import { PluginsView } from './plugins-view.ts';

export interface PluginRoomParts {
  readonly context: vscode.ExtensionContext;
  readonly manager: HookManager;
  readonly hookParts: HookParts;
  readonly tools: ToolRegistry;
  readonly customisations: Customisations;
  readonly servers: ServersRoom;
  readonly completion: CompletionPort;
  readonly trust: Trust;
  readonly settings: Settings;
  readonly workspace: Workspace;
  readonly log: OutputLog;
  secretEnv(): readonly string[];
  readonly record: RecordProcess;
}

/** In the workspace's own memory, which no file of it can write. */
const DISABLED = 'midcourse.plugins.disabled';
/** Milliseconds that a window waits for plugins before it opens without them; a turn then waits a little more. */
const PATIENCE = 2000;

/** The plugins of the window: which are on, what they may do, their view and their logs. */
export class PluginRoom {
  readonly plugins: PluginSet;
  readonly logs = new PluginLogs();
  /** Resolves when they have been loaded for the first time, or take too long. Never rejects. */
  readonly ready: Promise<void>;
  readonly #parts: PluginRoomParts;
  readonly #subscriptions: readonly { dispose(): unknown }[];
  readonly #served = new Map<string, string>();

  constructor(parts: PluginRoomParts) {
    this.#parts = parts;
    const { context, manager, trust, settings, workspace, log, tools, customisations } = parts;
    this.plugins = new PluginSet({
      homes: () => pluginHomes(workspace.foldersOnDisk()),
      folders: () => workspace.foldersOnDisk(),
      settings: () => ({
        ofWorkspaces: settings.get('plugins.workspace'),
        memory: settings.get('plugins.memory'),
        mayReplaceTools: settings.get('plugins.mayReplaceTools'),
        models: settings.get('plugins.models'),
        config: settings.get('plugins.config'),
        secretEnv: parts.secretEnv(),
      }),
      isEnabled: (id) => !this.#disabled().includes(id),
      isTrusted: () => trust.isTrusted(),
      consents: trust.consents,
      hooks: manager,
      tools,
      hookParts: parts.hookParts,
      rulesOf,
      completion: parts.completion,
      takenCommands: () => [...builtIns(), ...customisations.slashCommands].map(({ name }) => name),
      dataFolder: join(context.globalStorageUri.fsPath, 'plugins'),
      entry: context.asAbsolutePath('dist/plugin-host.child.js'),
      environment: process.env,
      clock: systemClock,
      record: parts.record,
      log,
      pluginLog: (id) => this.logs.of(id),
      problem: (problem) => void this.#tell(problem),
    });
    const watch = new FileWatch(() => this.#refresh());
    watch.set(pluginFilesOf(workspace.foldersOnDisk()));
    this.#subscriptions = [
      this.logs,
      watch,
      new PluginsView(this.plugins),
      customisations.provide(this.plugins),
      this.plugins.onDidChange(() => this.#changed()),
      trust.onDidChange(() => this.#refresh()),
      settings.onDidChange(() => this.#refresh()),
      workspace.onDidChange(() => {
        watch.set(pluginFilesOf(workspace.foldersOnDisk()));
        this.#refresh();
      }),
    ];
    const loaded = this.plugins.refresh();
    tools.expect(loaded);
    this.ready = atMost(systemClock, PATIENCE, loaded);
  }

  find(id: string): ListedPlugin | undefined {
    return this.plugins.list().find(({ plugin }) => plugin.id === id);
  }

  isEnabled(id: string): boolean {
    return !this.#disabled().includes(id);
  }

  /** For this workspace. */
  async enable(id: string, on: boolean): Promise<void> {
    const others = this.#disabled().filter((other) => other !== id);
    await this.#parts.context.workspaceState.update(DISABLED, on ? others : [...others, id]);
    await this.plugins.refresh();
  }

  /** Takes everything back and ends the plugins' processes. */
  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.dispose();
    await this.plugins.close();
  }

  #disabled(): readonly string[] {
    const kept: unknown = this.#parts.context.workspaceState.get(DISABLED);
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  }

  #refresh(): void {
    void this.plugins.refresh();
  }

  #changed(): void {
    const waiting = this.plugins.list().filter(({ state }) => state.is === 'waiting' || state.is === 'changed');
    this.#parts.trust.waits(
      'plugins',
      waiting.flatMap(({ consentable }) => consentable ?? []),
    );
    this.#serve();
  }

  /** Gives the servers of the plugins that run to those who run servers, when they are not the same any more. */
  #serve(): void {
    const { mcp, languageServers } = this.#parts.servers;
    const active = this.plugins.active();
    for (const id of this.#served.keys()) {
      if (active.some(({ plugin }) => plugin.id === id)) continue;
      this.#served.delete(id);
      mcp.setPlugin(id, undefined);
      languageServers.setPlugin(id, undefined);
    }
    for (const { plugin, variables } of active) {
      const { id, root } = plugin;
      const same = JSON.stringify([root, plugin.mcp, plugin.languageServers, variables]);
      if (this.#served.get(id) === same) continue;
      this.#served.set(id, same);
      const mayRun = () => this.plugins.mayRun(id);
      const of = (declarations: typeof plugin.mcp) =>
        declarations.length === 0 ? undefined : { root, declarations, variables, mayRun };
      mcp.setPlugin(id, of(plugin.mcp));
      languageServers.setPlugin(id, of(plugin.languageServers));
    }
  }

  async #tell({ plugin, words, isOver }: PluginProblem): Promise<void> {
    this.#parts.log.warn(`The plugin ${plugin}: ${words}`);
    const restart = vscode.l10n.t('Restart');
    const disable = vscode.l10n.t('Disable');
    const showLog = vscode.l10n.t('Show log');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('The plugin {0} has a problem. {1}', plugin, words),
      ...(isOver ? [restart] : []),
      showLog,
      disable,
    );
    if (answer === restart) await vscode.commands.executeCommand('midcourse.reloadPlugin', { id: plugin });
    else if (answer === disable) await this.enable(plugin, false);
    else if (answer === showLog) this.logs.show(plugin);
  }
}
