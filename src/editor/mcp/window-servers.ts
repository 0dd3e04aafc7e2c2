import { homedir } from 'node:os';
import * as vscode from 'vscode';
import {
  type DeclaredServer,
  type McpAuth,
  type McpServer,
  McpServers,
  pluginServerName,
  readServersFile,
  readServersSetting,
  type ToolShelf,
} from '../../agent/mcp/index.ts';
import { commandEnvironment, type RecordProcess } from '../../agent/tools/index.ts';
import type { RunState } from '../../agent/trust/index.ts';
import { FileWatch } from '../file-watch.ts';
import type { OutputLog } from '../log.ts';
import type { Settings } from '../settings.ts';
import type { Trust } from '../trust/index.ts';
import { namedFolders } from '../workspace.ts';
import { consentableServer } from './consentable.ts';
import { declaredFilesOf, readDeclaredFiles, serversOf } from './declared-files.ts';
import type { EnteredValues } from './entered-values.ts';

export interface WindowServersParts {
  readonly trust: Trust;
  readonly settings: Settings;
  readonly log: OutputLog;
  readonly shelf: ToolShelf;
  readonly auth: McpAuth;
  readonly entered: EnteredValues;
  readonly version: string;
  /** Names of environment variables that hold model keys; servers do not get them unless their definition names them. */
  keyVariables(): readonly string[];
  readonly record: RecordProcess;
}

/** What a plugin declares; the plugin's own consent covers it. */
export interface PluginServers {
  /** Absolute. */
  readonly root: string;
  readonly declarations: readonly { readonly path: string; readonly text: string }[];
  /** Variables such as `CLAUDE_PLUGIN_ROOT`, with their values. */
  readonly variables: Readonly<Record<string, string>>;
  /** Asked before each start. */
  mayRun(): Promise<RunState>;
}

/** Milliseconds. Some servers are downloaded at their first start. */
const LIMITS = { start: 60_000, ping: 5_000 };

/** The MCP servers of this window: declared in files, settings and plugins, run as far as trust and consent go. */
export class WindowServers implements vscode.Disposable {
  readonly servers: McpServers;
  readonly #parts: WindowServersParts;
  readonly #plugins = new Map<string, PluginServers>();
  /** Watched anew each time: a folder of the user may have come. */
  readonly #watch = new FileWatch(() => {
    this.#watchFolders();
    this.#refresh();
  });
  readonly #subscriptions: readonly { dispose(): unknown }[];
  readonly #told = new Set<string>();
  /** What is being read; one after the other. */
  #work: Promise<void> = Promise.resolve();
  #starting: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: WindowServersParts) {
    this.#parts = parts;
    const { settings, trust, log } = parts;
    this.servers = new McpServers({
      shelf: parts.shelf,
      log,
      auth: parts.auth,
      version: parts.version,
      limits: LIMITS,
      now: Date.now,
      folders: () => (vscode.workspace.isTrusted ? namedFolders() : []),
      parallel: (server) => settings.get('mcp.parallel').includes(server),
      environment: () => commandEnvironment(process.env, parts.keyVariables()),
      mayRun: (server) => this.mayRun(server),
      record: parts.record,
      variables: (server, asks) => ({
        env: process.env,
        own: server.variables ?? {},
        home: homedir(),
        folder: server.folder ?? namedFolders()[0],
        input: (id) => parts.entered.value(server, id, asks),
      }),
    });
    this.#subscriptions = [
      this.#watch,
      settings.onDidChange(() => this.#readSettings()),
      trust.onDidChange(() => this.#start()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#watchFolders();
        this.#refresh();
        void this.servers.foldersChanged();
      }),
    ];
    this.servers.replace('settings', readServersSetting(settings.get('mcp.servers')));
    this.#watchFolders();
    this.#refresh();
  }

  /** Resolves when all that was declared until now has been read, and has started, failed or is held. */
  async settled(): Promise<void> {
    await this.#work;
    await this.#starting;
  }

  /** The servers of one plugin are these from now on; undefined when it has none or does not run any more. */
  setPlugin(plugin: string, servers: PluginServers | undefined): void {
    if (servers) this.#plugins.set(plugin, servers);
    else this.#plugins.delete(plugin);
    this.servers.replace(`plugin:${plugin}`, servers ? this.#readPlugin(plugin, servers) : []);
    this.#start();
  }

  async mayRun(server: DeclaredServer): Promise<RunState> {
    if (!server.definition) return { is: 'broken', why: server.broken ?? '' };
    if (server.disabled) return { is: 'disabled' };
    if (!this.#parts.trust.isTrusted()) return { is: 'untrusted' };
    if (server.source.is === 'plugin') {
      return (await this.#plugins.get(server.source.plugin)?.mayRun()) ?? { is: 'disabled' };
    }
    const consentable = await consentableServer(server);
    return consentable ? await this.#parts.trust.state(consentable) : { is: 'active' };
  }

  /** Shows what the server would run, asks, and starts it when the user agrees. */
  async review({ declared }: McpServer): Promise<boolean> {
    const consentable = await consentableServer(declared);
    return consentable !== undefined && (await this.#parts.trust.review(consentable));
  }

  /** Somebody signed in to that address, or out of it: servers there start, or have to be signed in to again. */
  signInChanged(url: string): void {
    for (const server of this.servers.list()) {
      if (server.address === url && server.state.is === 'running') void server.disconnect();
    }
    this.#start();
  }

  dispose(): void {
    this.#closed = true;
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Ends all servers with their trees. */
  async close(): Promise<void> {
    this.dispose();
    await this.servers.dispose();
  }

  #watchFolders(): void {
    this.#watch.set(declaredFilesOf(namedFolders()));
  }

  #readSettings(): void {
    this.servers.replace('settings', readServersSetting(this.#parts.settings.get('mcp.servers')));
    this.#start();
  }

  #readPlugin(plugin: string, { root, declarations, variables }: PluginServers): readonly DeclaredServer[] {
    return declarations.flatMap(({ path, text }) => {
      const source = { is: 'plugin', plugin, path } as const;
      const read = readServersFile(text, {
        form: 'claude',
        folder: root,
        variables: { ...projectVariables(), ...variables },
        sourceAt: () => source,
        nameOf: (name) => pluginServerName(plugin, name),
      });
      this.#tell(path, read.warnings);
      if (read.broken === undefined) return read.servers;
      return [{ name: pluginServerName(plugin, 'servers'), source, broken: read.broken, inputs: [], warnings: [] }];
    });
  }

  /** Reads the files again, then starts what may run. */
  #refresh(): void {
    this.#then(async () => {
      const files = await readDeclaredFiles(namedFolders());
      if (this.#closed) return;
      for (const { path, warnings } of files) this.#tell(path, warnings);
      this.servers.replace('files', files.flatMap(serversOf));
      await this.#startWhatMay();
    });
  }

  #start(): void {
    this.#then(() => this.#startWhatMay());
  }

  async #startWhatMay(): Promise<void> {
    if (this.#closed) return;
    await this.servers.review();
    // One that takes long must not hold up what is read next.
    this.#starting = this.servers.startAllowed();
    const held = this.servers.list().filter(({ state }) => {
      return state.is === 'held' && (state.run.is === 'waiting' || state.run.is === 'changed');
    });
    const waiting = await Promise.all(held.map(({ declared }) => consentableServer(declared)));
    this.#parts.trust.waits(
      'mcp_servers',
      waiting.filter((one) => one !== undefined),
    );
  }

  /** A turn that begins meanwhile waits for its end, for a moment. */
  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#parts.log.failed('MCP servers could not be read or started', error);
    });
    this.#parts.shelf.expect(this.#work);
  }

  #tell(path: string, warnings: readonly string[]): void {
    for (const warning of warnings) {
      const words = `${path}: ${warning}`;
      if (this.#told.has(words)) continue;
      this.#told.add(words);
      this.#parts.log.warn(words);
    }
  }
}

/** Relative paths of a plugin begin at its root; these name the workspace all the same. */
function projectVariables(): Readonly<Record<string, string>> {
  const [folder] = namedFolders();
  return folder === undefined ? {} : { CLAUDE_PROJECT_DIR: folder, workspaceFolder: folder };
}
