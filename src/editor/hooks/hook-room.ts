import { homedir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { HookFiles, type ListedHook } from '../../agent/hooks/files/index.ts';
import { type HookParts, HookProcesses } from '../../agent/hooks/handlers/index.ts';
import type { HookManager } from '../../agent/hooks/index.ts';
import { TranscriptFiles } from '../../agent/hooks/transcript/index.ts';
import type { McpCallPort } from '../../agent/mcp/types.ts';
import type { CompletionPort } from '../../agent/model/completion.ts';
import type { SessionStore } from '../../agent/session/index.ts';
import type { RecordProcess } from '../../agent/tools/index.ts';
import type { HookProblems } from '../hook-problems.ts';
import type { OutputLog } from '../log.ts';
import type { Settings } from '../settings.ts';
import type { Trust } from '../trust/index.ts';
import type { Workspace } from '../workspace.ts';
import { HooksView } from './hooks-view.ts';
import { ProblemStatus } from './problem-status.ts';

export interface HookRoomParts {
  readonly context: vscode.ExtensionContext;
  readonly manager: HookManager;
  readonly problems: HookProblems;
  readonly trust: Trust;
  readonly settings: Settings;
  readonly workspace: Workspace;
  readonly log: OutputLog;
  readonly completion?: CompletionPort;
  readonly mcp?: McpCallPort;
  /** Names of environment variables that hold model keys. */
  secretEnv(): readonly string[];
  readonly record: RecordProcess;
  readonly rows: SessionStore['rows'];
}

/** The hook files of the window, and the view of all hooks. */
export class HookRoom {
  readonly files: HookFiles;
  readonly view: HooksView;
  /** What hooks of files and of plugins are run with. */
  readonly parts: HookParts;
  /** Resolves when the hook files have been read for the first time: no turn starts without them. */
  readonly ready: Promise<void>;
  readonly #processes: HookProcesses;
  readonly #transcripts: TranscriptFiles;
  readonly #subscriptions: readonly { dispose(): unknown }[];

  constructor(room: HookRoomParts) {
    const { context, manager, problems, trust, settings, workspace, log } = room;
    const home = homedir();
    this.#processes = new HookProcesses(room.record);
    this.#transcripts = new TranscriptFiles({
      folder: join(context.globalStorageUri.fsPath, 'hook-transcripts'),
      rows: room.rows,
      cwd: () => workspace.foldersOnDisk()[0] ?? home,
      now: Date.now,
      failed: (error) => log.failed('A transcript for hooks could not be written', error),
    });
    this.parts = {
      surroundings: {
        home,
        get folders() {
          return workspace.foldersOnDisk();
        },
        transcriptPath: (sessionId) => this.#transcripts.path(sessionId),
      },
      processes: this.#processes,
      environment: process.env,
      secretEnv: room.secretEnv,
      textFolder: join(context.globalStorageUri.fsPath, 'hook-texts'),
      ...(room.completion ? { completion: room.completion } : {}),
      ...(room.mcp ? { mcp: room.mcp } : {}),
    };
    this.files = new HookFiles({
      home,
      parts: this.parts,
      registry: manager,
      consents: trust.consents,
      log,
      folders: () => workspace.foldersOnDisk(),
      isTrusted: () => trust.isTrusted(),
      settings: () => ({ enabled: settings.get('hooks.enabled'), cline: settings.get('hooks.cline') }),
    });
    this.view = new HooksView({
      files: this.files,
      manager,
      memory: context.workspaceState,
      seen: () => problems.clear(),
    });
    this.#subscriptions = [
      this.view,
      this.files,
      new ProblemStatus(problems),
      this.files.onDidChange(() =>
        trust.waits('hooks', this.files.list().filter(asksForConsent).flatMap(consentableOf)),
      ),
      trust.onDidChange(() => void this.files.refresh()),
      workspace.onDidChange(() => void this.files.reload()),
      settings.onDidChange(() => void this.files.reload()),
    ];
    this.ready = this.files.reload();
  }

  /** A session is gone for good, and so is what hooks could read of it. */
  async forgetSession(id: string): Promise<void> {
    await this.#transcripts.forget(id);
  }

  /** Ends what hooks have running. */
  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.dispose();
    await this.#processes.dispose();
  }
}

function asksForConsent({ state }: ListedHook): boolean {
  return state.is === 'waiting' || state.is === 'changed';
}

function consentableOf({ consentable }: ListedHook) {
  return consentable ? [consentable] : [];
}
