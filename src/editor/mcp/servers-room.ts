import type * as vscode from 'vscode';
import type { ToolShelf } from '../../agent/mcp/index.ts';
import type { RecordProcess } from '../../agent/tools/index.ts';
import { WindowLanguageServers } from '../language-servers/index.ts';
import type { OutputLog } from '../log.ts';
import type { Settings } from '../settings.ts';
import type { Trust } from '../trust/index.ts';
import { EnteredValues } from './entered-values.ts';
import { ServersView } from './servers-view.ts';
import { SignIns } from './sign-ins.ts';
import { WindowServers } from './window-servers.ts';

export interface ServersRoomParts {
  readonly context: vscode.ExtensionContext;
  readonly trust: Trust;
  readonly settings: Settings;
  readonly log: OutputLog;
  readonly shelf: ToolShelf;
  /** Names of environment variables that hold model keys. */
  keyVariables(): readonly string[];
  readonly record: RecordProcess;
}

/** The servers that this window runs for others: MCP servers and language servers, with their sign-ins and their view. */
export class ServersRoom {
  readonly mcp: WindowServers;
  readonly languageServers: WindowLanguageServers;
  readonly signIns: SignIns;
  readonly entered: EnteredValues;
  readonly #view: ServersView;
  readonly #signInAgain: vscode.Disposable;

  constructor({ context, trust, settings, log, shelf, keyVariables, record }: ServersRoomParts) {
    this.entered = new EnteredValues(context.secrets);
    this.signIns = new SignIns(context, log);
    this.mcp = new WindowServers({
      trust,
      settings,
      log,
      shelf,
      auth: this.signIns,
      entered: this.entered,
      version: versionOf(context),
      keyVariables,
      record,
    });
    this.languageServers = new WindowLanguageServers({ trust, log, keyVariables, record });
    this.#view = new ServersView({ mcp: this.mcp, languageServers: this.languageServers });
    this.#signInAgain = this.signIns.onDidChange((url) => this.mcp.signInChanged(url));
  }

  /** Ends all servers with their trees. */
  async close(): Promise<void> {
    this.#view.dispose();
    this.#signInAgain.dispose();
    await Promise.all([this.mcp.close(), this.languageServers.close()]);
    this.signIns.dispose();
  }
}

function versionOf({ extension }: vscode.ExtensionContext): string {
  const { version }: { readonly version?: unknown } = extension.packageJSON;
  return typeof version === 'string' ? version : '0';
}
