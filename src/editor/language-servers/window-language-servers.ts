import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import * as vscode from 'vscode';
import { readDeclaration } from '../../agent/declarations/read-declaration.ts';
import { type DeclaredLanguageServer, readLanguageServers } from '../../agent/language-servers/index.ts';
import { maskKeys } from '../../agent/safety/index.ts';
import { commandEnvironment, type RecordProcess } from '../../agent/tools/index.ts';
import { type Consentable, type RunState, scriptsOfCommand } from '../../agent/trust/index.ts';
import { FileWatch } from '../file-watch.ts';
import type { OutputLog } from '../log.ts';
import type { Trust } from '../trust/index.ts';
import { namedFolders } from '../workspace.ts';
import { LanguageServer, languageOf } from './language-server.ts';
import { withVariables } from './variables.ts';

export interface WindowLanguageServersParts {
  readonly trust: Trust;
  readonly log: OutputLog;
  /** Names of environment variables that hold model keys. */
  keyVariables(): readonly string[];
  readonly record: RecordProcess;
}

/** What a plugin declares; the plugin's own consent covers it. */
export interface PluginLanguageServers {
  /** Absolute. */
  readonly root: string;
  readonly declarations: readonly { readonly path: string; readonly text: string }[];
  readonly variables: Readonly<Record<string, string>>;
  /** Asked before each start. */
  mayRun(): Promise<RunState>;
}

/** The language servers of this window, from `.lsp.json` of the workspace and from plugins; each is started by a document. */
export class WindowLanguageServers implements vscode.Disposable {
  readonly #parts: WindowLanguageServersParts;
  readonly #owners = new Map<string, readonly DeclaredLanguageServer[]>();
  readonly #plugins = new Map<string, PluginLanguageServers>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #watch = new FileWatch(() => this.#refresh());
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #told = new Set<string>();
  readonly #ending = new Set<Promise<void>>();
  #servers: readonly LanguageServer[] = [];
  #work: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: WindowLanguageServersParts) {
    this.#parts = parts;
    this.#subscriptions = [
      this.#watch,
      this.#changed,
      parts.trust.onDidChange(() => this.#review()),
      vscode.workspace.onDidOpenTextDocument((document) => this.#startFor(document)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#watchFolders();
        this.#refresh();
      }),
    ];
    this.#watchFolders();
    this.#refresh();
  }

  list(): readonly LanguageServer[] {
    return this.#servers;
  }

  find(name: string): LanguageServer | undefined {
    return this.#servers.find((server) => server.name === name);
  }

  /** True for a file that a server which runs, or is about to, reports on. */
  covers(path: string): boolean {
    return this.#servers.some(({ state, declared }) => {
      return (state.is === 'running' || state.is === 'starting') && languageOf(declared, path) !== undefined;
    });
  }

  /** The servers of one plugin are these from now on; undefined when it has none or does not run any more. */
  setPlugin(plugin: string, servers: PluginLanguageServers | undefined): void {
    if (servers) this.#plugins.set(plugin, servers);
    else this.#plugins.delete(plugin);
    const declared = servers?.declarations.flatMap(({ path, text }) => {
      const source = { is: 'plugin', plugin, path } as const;
      const { root: folder } = servers;
      const [project] = namedFolders();
      const own = project === undefined ? {} : { CLAUDE_PROJECT_DIR: project, workspaceFolder: project };
      const variables = { ...own, ...servers.variables };
      const read = readLanguageServers(text, { folder, variables, sourceAt: () => source });
      return read.broken === undefined
        ? read.servers
        : [{ name: plugin, source, broken: read.broken, warnings: [], folder }];
    });
    this.#replace(`plugin:${plugin}`, declared ?? []);
    this.#review();
  }

  async mayRun(server: DeclaredLanguageServer): Promise<RunState> {
    if (!server.definition) return { is: 'broken', why: server.broken ?? '' };
    if (!this.#parts.trust.isTrusted()) return { is: 'untrusted' };
    if (server.source.is === 'plugin') {
      return (await this.#plugins.get(server.source.plugin)?.mayRun()) ?? { is: 'disabled' };
    }
    const consentable = await consentableLanguageServer(server);
    return consentable ? await this.#parts.trust.state(consentable) : { is: 'active' };
  }

  /** Resolves when all that was declared until now has been read and looked at. */
  async settled(): Promise<void> {
    await this.#work;
  }

  dispose(): void {
    this.#closed = true;
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Ends all servers with their trees. */
  async close(): Promise<void> {
    this.dispose();
    const servers = this.#servers;
    this.#servers = [];
    await Promise.all([...servers.map((server) => server.close()), ...this.#ending]);
  }

  #watchFolders(): void {
    this.#watch.set(namedFolders().map((folder) => ({ folder, glob: '.lsp.json' })));
  }

  #refresh(): void {
    this.#then(async () => {
      const read = await Promise.all(namedFolders().map(readFolder));
      if (this.#closed) return;
      this.#replace('files', read.flat());
      await this.#reviewAll();
    });
  }

  #review(): void {
    this.#then(() => this.#reviewAll());
  }

  async #reviewAll(): Promise<void> {
    if (this.#closed) return;
    await Promise.all(this.#servers.map((server) => server.review()));
    const held = this.#servers.filter(({ state }) => {
      return state.is === 'held' && (state.run.is === 'waiting' || state.run.is === 'changed');
    });
    const waiting = await Promise.all(held.map(({ declared }) => consentableLanguageServer(declared)));
    this.#parts.trust.waits(
      'language_servers',
      waiting.filter((one) => one !== undefined),
    );
    for (const document of vscode.workspace.textDocuments) this.#startFor(document);
  }

  #startFor(document: vscode.TextDocument): void {
    if (this.#closed || document.uri.scheme !== 'file') return;
    for (const server of this.#servers) {
      if (server.state.is === 'stopped' && server.covers(document.uri.fsPath)) void server.start('document');
    }
  }

  #replace(owner: string, declared: readonly DeclaredLanguageServer[]): void {
    this.#owners.set(owner, declared);
    const kept = new Map(this.#servers.map((server) => [JSON.stringify(server.declared), server]));
    this.#servers = [...this.#owners.values()].flat().map((one) => {
      const key = JSON.stringify(one);
      const known = kept.get(key);
      kept.delete(key);
      return known ?? this.#newServer(one);
    });
    for (const gone of kept.values()) {
      const ending = gone.close().finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    }
    this.#changed.fire();
  }

  #newServer(declared: DeclaredLanguageServer): LanguageServer {
    for (const warning of declared.warnings) {
      const words = `${declared.source.path}: ${declared.name}: ${warning}`;
      if (this.#told.has(words)) continue;
      this.#told.add(words);
      this.#parts.log.warn(words);
    }
    return new LanguageServer(declared, {
      mayRun: (server) => this.mayRun(server),
      environment: () => commandEnvironment(process.env, this.#parts.keyVariables()),
      record: this.#parts.record,
      onDidChange: () => this.#closed || this.#changed.fire(),
    });
  }

  #then(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#parts.log.failed('Language servers could not be read', error);
    });
  }
}

/** What the user is asked about before a server of a workspace file starts; undefined for others. */
export async function consentableLanguageServer(server: DeclaredLanguageServer): Promise<Consentable | undefined> {
  const { definition, source, folder } = server;
  if (!definition || source.is !== 'file') return undefined;
  const home = homedir();
  const { command, args, env: variables, workspaceFolder = '.' } = withVariables(definition, server);
  // As `client.ts` starts it.
  const place = { cwd: resolve(folder, workspaceFolder), home, variables: {} };
  const starts = { command: { command, args, env: variables }, place };
  const { files } = await scriptsOfCommand(starts.command, place);
  const env = Object.entries(definition.env).map(([name, value]) => maskKeys(`${name}=${value}`));
  return {
    id: `language_server:${source.path}#${definition.name}`,
    kind: 'language_server',
    title: vscode.l10n.t('Language server {0}', definition.name),
    scope: 'workspace',
    path: source.path,
    ...(source.line === undefined ? {} : { line: source.line }),
    wouldRun: [
      maskKeys([definition.command, ...definition.args].join(' ')),
      ...env,
      vscode.l10n.t('for files that end with {0}', Object.keys(definition.languages).join(', ')),
    ].join('\n'),
    definition,
    files,
    starts,
    root: folder,
  };
}

async function readFolder(folder: string): Promise<readonly DeclaredLanguageServer[]> {
  const path = join(folder, '.lsp.json');
  const sourceAt = (line: number | undefined) =>
    ({ is: 'file', path, ...(line === undefined ? {} : { line }) }) as const;
  const broken = (why: string) => [{ name: '.lsp.json', source: sourceAt(1), broken: why, warnings: [], folder }];
  try {
    const read = readLanguageServers(await readDeclaration(path), { folder, sourceAt });
    return read.broken === undefined ? read.servers : broken(read.broken);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    return broken(
      vscode.l10n.t('The file cannot be read: {0}', error instanceof Error ? error.message : String(error)),
    );
  }
}
