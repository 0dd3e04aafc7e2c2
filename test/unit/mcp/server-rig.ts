import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DeclaredServer,
  type McpAuth,
  McpServers,
  type McpServersNeeds,
  readServersSetting,
} from '../../../src/agent/mcp/index.ts';
import { commandEnvironment, ToolRegistry } from '../../../src/agent/tools/index.ts';

const fixtures = new URL('../../fixtures/mcp/', import.meta.url).pathname;

/** How a fixture is declared. */
export function fixture(name: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { command: process.execPath, args: [join(fixtures, `${name}.ts`)], ...more };
}

/** The real servers of a window, around real processes; its time can be set forward. */
export class ServersRig {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'midcourse-mcp-')));
  readonly registry: ToolRegistry;
  readonly servers: McpServers;
  readonly parallel = new Set<string>();
  readonly logged: string[] = [];
  readonly entered = new Map<string, string>();
  now = 1_000_000;

  constructor(change: Partial<McpServersNeeds> = {}, registry = new ToolRegistry()) {
    this.registry = registry;
    this.servers = new McpServers({
      shelf: this.registry,
      log: { debug() {}, info() {}, warn: (text) => this.logged.push(text), error: (text) => this.logged.push(text) },
      parallel: (server) => this.parallel.has(server),
      mayRun: async (server) => (server.broken === undefined ? { is: 'active' } : { is: 'broken', why: server.broken }),
      variables: ({ folder, variables = {} }) => ({
        env: process.env,
        own: variables,
        home: this.folder,
        folder: folder ?? this.folder,
        input: async (id) => this.entered.get(id),
      }),
      environment: () => commandEnvironment(process.env),
      folders: () => [this.folder],
      auth: nobody,
      version: '0',
      limits: { start: 10_000, ping: 1_000 },
      now: () => this.now,
      ...change,
    });
  }

  /** Declares these and starts them. */
  async start(servers: Readonly<Record<string, unknown>>): Promise<void> {
    this.declare(servers);
    await this.servers.startAllowed();
  }

  declare(servers: Readonly<Record<string, unknown>>): readonly DeclaredServer[] {
    const declared = readServersSetting(servers);
    this.servers.replace('settings', declared);
    return declared;
  }

  server(name: string) {
    const found = this.servers.find(name);
    if (!found) throw new Error(`There is no server ${name}.`);
    return found;
  }

  state(name: string): string {
    return this.server(name).state.is;
  }

  toolNames(): readonly string[] {
    return this.registry.list().flatMap(({ name }) => (name.startsWith('mcp__') ? [name] : []));
  }

  call(server: string, tool: string, signal: AbortSignal = new AbortController().signal, input: unknown = {}) {
    return this.servers.callTool(server, tool, input, signal);
  }

  /** Resolves when the server's log has it. */
  async said(server: string, text: string): Promise<void> {
    if (this.server(server).log.includes(text)) return;
    await new Promise<void>((resolve) => {
      const listening = this.servers.onDidSay(() => {
        if (!this.server(server).log.includes(text)) return;
        listening.dispose();
        resolve();
      });
    });
  }

  /** Resolves when it is so, looking at each change. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => {
      const listening = this.servers.onDidChange(() => {
        if (!holds()) return;
        listening.dispose();
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    await this.servers.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const nobody: McpAuth = { token: async () => undefined, renew: async () => undefined };
