/** All MCP servers of the window. */

import type { Disposable } from '../../api.ts';
import type { Tool } from '../tools/index.ts';
import type { Log } from '../turn/types.ts';
import { pluginServerName, toolNames } from './names.ts';
import { McpServer, type ServerNeeds } from './server.ts';
import { mcpTool } from './tool.ts';
import type { DeclaredServer, McpCallPort, McpTool, McpToolAnswer } from './types.ts';

/** Where tools are offered to the model. */
export interface ToolShelf {
  /** Replaces all tools of the owner. @returns those whose name is taken, which are left out */
  provide(owner: string, tools: readonly Tool[]): readonly Tool[];
  /** A turn that begins waits for it, for a bounded time. It never rejects. */
  expect(tools: Promise<void>): void;
  /** A turn begins. */
  onTurn(listener: () => void): Disposable;
}

export interface McpServersNeeds extends Omit<ServerNeeds, 'onDidChange' | 'onDidSay'> {
  readonly shelf: ToolShelf;
  readonly log: Log;
}

export class McpServers implements McpCallPort {
  readonly #needs: McpServersNeeds;
  /** By who brought them (a file, a plugin, the settings), in the order in which names are given. */
  readonly #owners = new Map<string, readonly DeclaredServer[]>();
  #servers: readonly McpServer[] = [];
  readonly #made = new WeakMap<McpTool, { readonly parallel: boolean; readonly tool: Tool }>();
  readonly #listeners = new Set<() => void>();
  readonly #sayListeners = new Set<(server: string) => void>();
  readonly #leftOut = new Set<string>();
  readonly #ending = new Set<Promise<void>>();
  readonly #turns: Disposable;
  #disposed = false;

  constructor(needs: McpServersNeeds) {
    this.#needs = needs;
    this.#turns = needs.shelf.onTurn(() => this.#retry());
  }

  /** In the order of their owners; also those that do not run, with the reason in their state. */
  list(): readonly McpServer[] {
    return this.#servers;
  }

  find(name: string): McpServer | undefined {
    const [, plugin, server] = /^plugin:([^:]+):(.+)$/.exec(name) ?? [];
    const wanted = plugin !== undefined && server !== undefined ? pluginServerName(plugin, server) : name;
    return this.#servers.find((one) => one.name === wanted);
  }

  /** The servers of one owner are these from now on. What is declared as before goes on running. */
  replace(owner: string, servers: readonly DeclaredServer[]): void {
    if (this.#disposed) return;
    // An owner without servers keeps its place: the first one to have a name has it.
    this.#owners.set(owner, servers);
    this.#remake();
  }

  /** Looks again which may run; those that may not any more are ended. Never rejects. */
  async review(): Promise<void> {
    await Promise.all(this.#servers.map((server) => this.#attempt(server.review())));
  }

  /** Starts what may run. Resolves when each has started or failed; never rejects. A turn that begins waits for a moment. */
  async startAllowed(): Promise<void> {
    const started = Promise.all(this.#servers.map((server) => this.#startOne(server))).then(() => undefined);
    this.#needs.shelf.expect(started);
    await started;
  }

  async callTool(server: string, tool: string, input: unknown, signal: AbortSignal): Promise<McpToolAnswer> {
    const found = this.find(server);
    if (found) return await found.call(tool, input, signal);
    const names = this.#servers.map(({ name }) => name).join(', ');
    throw new Error(`There is no MCP server "${server}". There are: ${names || 'none'}.`);
  }

  /** The workspace folders are others: servers that ask for them are told. */
  async foldersChanged(): Promise<void> {
    await Promise.allSettled(this.#servers.map((server) => server.foldersChanged()));
  }

  /** A server, its state or its tools have changed. */
  onDidChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** A server wrote something to its log. */
  onDidSay(listener: (server: string) => void): Disposable {
    this.#sayListeners.add(listener);
    return { dispose: () => this.#sayListeners.delete(listener) };
  }

  /** Ends all servers with their trees. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#turns.dispose();
    this.#listeners.clear();
    const servers = this.#servers;
    this.#servers = [];
    this.#needs.shelf.provide('mcp', []);
    await Promise.all([...servers.map((server) => server.stop()), ...this.#ending]);
  }

  /** Servers that failed are tried again when it is due; the turn does not wait, and has their tools the next time. */
  #retry(): void {
    for (const server of this.#servers) {
      if (server.state.is === 'failed' && server.isDue()) void this.#attempt(server.start('agent'));
    }
  }

  async #startOne(server: McpServer): Promise<void> {
    await this.#attempt(server.review());
    if (server.state.is !== 'held') await this.#attempt(server.start('agent'));
  }

  /** Its state says what came of it; a server that the user stopped is no news. */
  async #attempt(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#needs.log.debug(error instanceof Error ? error.message : String(error));
    }
  }

  #remake(): void {
    const kept = new Map(this.#servers.map((server) => [identity(server.declared), server]));
    const names = new Set<string>();
    const next = [...this.#owners.values()].flat().map((declared) => {
      const unique = names.has(declared.name) ? takenName(declared) : declared;
      names.add(declared.name);
      const known = kept.get(identity(unique));
      kept.delete(identity(unique));
      return known ?? this.#newServer(unique);
    });
    this.#servers = next;
    for (const gone of kept.values()) this.#retire(gone);
    this.#changed();
  }

  #newServer(declared: DeclaredServer): McpServer {
    for (const warning of declared.warnings) this.#needs.log.warn(`MCP server ${declared.name}: ${warning}`);
    return new McpServer(declared, {
      ...this.#needs,
      onDidChange: () => this.#changed(),
      onDidSay: () => {
        for (const listener of this.#sayListeners) listener(declared.name);
      },
    });
  }

  #retire(server: McpServer): void {
    const ending = server.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #changed(): void {
    if (this.#disposed) return;
    const tools = this.#servers.flatMap((server) => this.#toolsOf(server));
    const first = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
    const repeated = tools.filter((tool) => first.get(tool.name) !== tool);
    const refused = this.#needs.shelf.provide('mcp', [...first.values()]);
    for (const { name } of [...repeated, ...refused]) {
      if (this.#leftOut.has(name)) continue;
      this.#leftOut.add(name);
      this.#needs.log.warn(`A tool of an MCP server was left out: the name ${name} is taken.`);
    }
    for (const listener of this.#listeners) listener();
  }

  #toolsOf(server: McpServer): readonly Tool[] {
    const { tools } = server;
    const names = toolNames(
      server.name,
      tools.map(({ name }) => name),
    );
    const { parallel } = server;
    return tools.map((of) => {
      const known = this.#made.get(of);
      if (known?.parallel === parallel) return known.tool;
      const tool = mcpTool(server, of, names.get(of.name) ?? of.name) as Tool;
      this.#made.set(of, { parallel, tool });
      return tool;
    });
  }
}

/** All that a server depends on: two declarations with the same identity are the same server. */
function identity({ warnings: _, ...declared }: DeclaredServer): string {
  return JSON.stringify(declared);
}

/** Calls and rules go by the name, so it can have one meaning only. */
function takenName({ definition: _, ...declared }: DeclaredServer): DeclaredServer {
  return { ...declared, broken: `Another server is called "${declared.name}" already. Give one of them another name.` };
}
