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
  readonly structured?: unknown;
}

/** A server as a file, a plugin or a setting declares it. */
export type McpServerDefinition = {
  /** Unique among all servers of the window; used in the names of its tools. */
  readonly name: string;
  readonly source:
    | { readonly is: 'file'; readonly path: string; readonly scope: 'workspace' | 'user'; readonly line?: number }
    | { readonly is: 'plugin'; readonly plugin: string; readonly path: string }
    | { readonly is: 'settings' };
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
    }
  | {
      readonly transport: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
);
