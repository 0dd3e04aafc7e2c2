import type { ResultImage } from '../tools/types.ts';

/** What the rest of the product asks of MCP servers. */
export interface McpCallPort {
  /**
   * Calls a tool of a running server, starting it when it is allowed and not running yet.
   * Rejects when there is no such server or tool, it may not run, or it does not answer.
   *
   * @param server its name, or `plugin:<plugin>:<server>`
   */
  callTool(server: string, tool: string, input: unknown, signal: AbortSignal): Promise<McpToolAnswer>;
}

export interface McpToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  readonly images?: readonly ResultImage[];
  readonly structured?: unknown;
}

/** Where a server is declared. */
export type McpServerSource =
  | { readonly is: 'file'; readonly path: string; readonly scope: 'workspace' | 'user'; readonly line?: number }
  | { readonly is: 'plugin'; readonly plugin: string; readonly path: string }
  | { readonly is: 'settings' };

/**
 * A server as a file, a plugin or a setting declares it. Its strings may still hold variables (`${NAME}`, `${input:id}`):
 * they are filled in when it starts, so that no secret is part of what is listed, compared or kept.
 */
export type McpServerDefinition = {
  /** Unique among all servers of the window; used in the names of its tools. */
  readonly name: string;
  readonly source: McpServerSource;
  /** Its tools may run beside each other. */
  readonly parallel: boolean;
  /** Milliseconds for the answer to one call. */
  readonly timeout: number;
} & (
  | {
      readonly transport: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
      /** A file of `NAME=value` lines; what `env` names itself wins. */
      readonly envFile?: string;
    }
  | {
      readonly transport: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
);

/** A value that a person is asked for before the server starts (`${input:id}`). */
export type McpInput =
  | {
      readonly type: 'promptString';
      readonly id: string;
      readonly description: string;
      readonly default?: string;
      readonly password: boolean;
    }
  | {
      readonly type: 'pickString';
      readonly id: string;
      readonly description: string;
      readonly options: readonly string[];
      readonly default?: string;
    };

/** A server as it is listed, also one that cannot be used. */
export interface DeclaredServer {
  readonly name: string;
  readonly source: McpServerSource;
  /** Absent: it cannot be used, and `broken` says why. */
  readonly definition?: McpServerDefinition;
  readonly broken?: string;
  /** Switched off where it is declared. */
  readonly disabled?: true;
  readonly inputs: readonly McpInput[];
  readonly warnings: readonly string[];
  /** Absolute; what `${workspaceFolder}` and relative paths mean. */
  readonly folder?: string;
  /** Further variables, such as `CLAUDE_PLUGIN_ROOT`; its process gets them as well. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface McpTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The server says so; nobody checks it. */
  readonly readOnly: boolean;
}
