import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Customisations } from '../agent/customisations/index.ts';
import { completionPort } from '../agent/model/index.ts';
import type { StoreNotice } from '../agent/session/index.ts';
import { openAgent } from './agent.ts';
import { ApprovalsStore } from './approvals-store.ts';
import { WindowCustomisations } from './customisations/open.ts';
import type { ReadableFiles } from './customisations/readable-files.ts';
import { SlashCommands } from './customisations/slash-commands.ts';
import { sharedFolder } from './data-folder.ts';
import { VSCodeEditor } from './editor-port.ts';
import { Everything } from './everything.ts';
import { HookDispatcher } from './hook-dispatcher.ts';
import type { HookRegistrations } from './hook-registrations.ts';
import { HookRoom } from './hooks/index.ts';
import { ImageFiles } from './image-files.ts';
import type { OutputLog } from './log.ts';
import { ServersRoom } from './mcp/index.ts';
import { Models } from './models.ts';
import { PluginRoom } from './plugins/index.ts';
import { Secrets } from './secrets.ts';
import { Sessions } from './sessions.ts';
import { Settings } from './settings.ts';
import type { Stopped } from './stop-everything.ts';
import { tellSwept } from './swept.ts';
import type { ToolRegistrations } from './tool-registrations.ts';
import { Trust } from './trust/index.ts';
import { ViewMemory } from './view-memory.ts';
import { VirtualDocuments } from './virtual-documents.ts';
import { Workspace } from './workspace.ts';

/** Everything behind the chat, the commands and the API. It is loaded and opened when one of them is first used. */
export interface Core {
  readonly context: vscode.ExtensionContext;
  readonly log: OutputLog;
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly workspace: Workspace;
  readonly models: Models;
  readonly approvals: ApprovalsStore;
  /** Every hook of the window, whoever wrote it. */
  readonly hooks: HookDispatcher;
  /** The hook files, and the view of all hooks. */
  readonly hookRoom: HookRoom;
  /** Plugins of the workspace and the user: their hooks, tools, commands and servers. */
  readonly pluginRoom: PluginRoom;
  /** Resolves when what files declare has been read for the first time: no turn starts without it. Never rejects. */
  readonly ready: Promise<unknown>;
  /** What files of the workspace, the user and plugins say to the agent. */
  readonly customisations: Customisations;
  /** Instruction files that were held back and that the user had loaded. */
  readonly readableFiles: ReadableFiles;
  readonly slash: SlashCommands;
  readonly documents: VirtualDocuments;
  /** Whether what others wrote may run here. */
  readonly trust: Trust;
  /** MCP servers and language servers that files, plugins and settings declare. */
  readonly servers: ServersRoom;
  readonly images: ImageFiles;
  readonly memory: ViewMemory;
  readonly sessions: Sessions;
  /** Where the sessions are kept. */
  readonly dataFolder: vscode.Uri;
  /** Stops every turn, agent, review and command of this window, and tells the other windows to do the same. */
  stopEverything(): Promise<Stopped>;
  /** What the user has to be told about the store. */
  readonly storeNotice: StoreNotice | undefined;
  /** Ends what runs, writes what is left and closes the store. */
  close(): Promise<void>;
}

export interface CoreParts {
  readonly context: vscode.ExtensionContext;
  readonly log: OutputLog;
  readonly hooks: HookRegistrations;
  readonly tools: ToolRegistrations;
}

/** @throws StorageError when the store of sessions cannot be opened at all */
export function openCore({ context, log, hooks: registrations, tools }: CoreParts): Core {
  const dataFolder = dataFolderOf(context);
  const settings = new Settings();
  const workspace = new Workspace();
  const secrets = new Secrets(context.secrets);
  const models = new Models({
    settings,
    secrets,
    log,
    memory: context.globalState,
    limitsFile: join(context.globalStorageUri.fsPath, 'learned-limits.json'),
    folder: () => workspace.facts().folders[0],
  });
  const editor = new VSCodeEditor();
  const documents = new VirtualDocuments();
  const images = new ImageFiles();
  const trust = new Trust({ context, documents, log });
  const customisations = new WindowCustomisations(workspace, context.globalState, log);
  const owned: vscode.Disposable[] = [customisations, settings, workspace, editor, documents, trust, images];
  const approvals = new ApprovalsStore(settings, workspace, log);
  const hooks = new HookDispatcher({ settings, secrets: context.secrets, registrations, log });
  try {
    const isShown = (id: string): boolean => sessions.isShown(id);
    const agent = openAgent({
      dataFolder,
      settings,
      workspace,
      models,
      editor,
      approvals,
      customisations: customisations.all,
      hooks: hooks.manager,
      tools,
      log,
      isShown,
    });
    const memory = new ViewMemory(dataFolder.fsPath, log);
    const sessions: Sessions = new Sessions(agent.agent, memory);
    void agent.swept.then(tellSwept);
    const servers = new ServersRoom({
      context,
      trust,
      settings,
      log,
      shelf: agent.tools,
      keyVariables: () => models.keyVariables(),
      record: agent.record,
    });
    editor.serversCover((path) => servers.languageServers.covers(path));
    const hookRoom = new HookRoom({
      context,
      manager: hooks.manager,
      problems: hooks.problems,
      trust,
      settings,
      workspace,
      log,
      completion: completionPort(models),
      secretEnv: () => models.keyVariables(),
      rows: (sessionId, options) => agent.rows(sessionId, options),
      mcp: servers.mcp.servers,
      record: agent.record,
    });
    const pluginRoom = new PluginRoom({
      context,
      manager: hooks.manager,
      hookParts: hookRoom.parts,
      tools: agent.tools,
      customisations: customisations.all,
      servers,
      completion: completionPort(models),
      trust,
      settings,
      workspace,
      log,
      secretEnv: () => models.keyVariables(),
      record: agent.record,
    });
    const everything = new Everything(sessions, context.globalStorageUri.fsPath, log);
    owned.unshift(
      everything,
      sessions,
      hooks.sayIn((id) => agent.agent.live().find((session) => session.id === id)),
      settings.onDidChange(() => agent.agent.settingsChanged()),
      sessions.onDidDelete((id) => void hookRoom.forgetSession(id)),
    );
    return {
      context,
      log,
      settings,
      secrets,
      workspace,
      models,
      approvals,
      hooks,
      hookRoom,
      pluginRoom,
      servers,
      ready: Promise.all([hookRoom.ready, pluginRoom.ready]),
      customisations: customisations.all,
      readableFiles: customisations.readable,
      slash: new SlashCommands(customisations.all),
      documents,
      trust,
      images,
      memory,
      sessions,
      dataFolder,
      stopEverything: () => everything.stop(),
      storeNotice: agent.storeNotice,
      async close() {
        await Promise.all([agent.close(), servers.close()]);
        await hookRoom.close();
        await hooks.close();
        // Their hooks were told of the end.
        await pluginRoom.close();
        agent.closeStore();
        await models.close();
        for (const part of owned) part.dispose();
      },
    };
  } catch (error) {
    void models.close();
    void hooks.close();
    for (const part of owned) part.dispose();
    throw error;
  }
}

/** A window without a folder shares its sessions with all others of that kind. */
function dataFolderOf({ storageUri, globalStorageUri }: vscode.ExtensionContext): vscode.Uri {
  if (storageUri?.scheme !== 'file') return storageUri ?? globalStorageUri;
  return vscode.Uri.file(sharedFolder(storageUri.fsPath));
}
