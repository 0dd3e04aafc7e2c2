/** A language server as `.lsp.json` declares it. Its strings may still hold variables, which its start fills in. */
export interface LanguageServerDefinition {
  /** Unique in its file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly transport: 'stdio' | 'socket';
  /** By the file's ending with its dot (`.ts`): the language's id, as the server knows it. */
  readonly languages: Readonly<Record<string, string>>;
  readonly initializationOptions?: unknown;
  /** What `workspace/configuration` and `workspace/didChangeConfiguration` give. */
  readonly settings?: unknown;
  /** Absolute, or relative to the workspace folder. */
  readonly workspaceFolder?: string;
  /** Milliseconds. */
  readonly startupTimeout: number;
  readonly shutdownTimeout: number;
  readonly restartOnCrash: boolean;
  /** In a row, within three minutes. */
  readonly maxRestarts: number;
}

export type LanguageServerSource =
  | { readonly is: 'file'; readonly path: string; readonly line?: number }
  | { readonly is: 'plugin'; readonly plugin: string; readonly path: string };

/** A language server as it is listed, also one that cannot be used. */
export interface DeclaredLanguageServer {
  readonly name: string;
  readonly source: LanguageServerSource;
  /** Absent: it cannot be used, and `broken` says why. */
  readonly definition?: LanguageServerDefinition;
  readonly broken?: string;
  readonly warnings: readonly string[];
  /** Absolute; where relative paths begin. */
  readonly folder: string;
  /** Further variables, such as `CLAUDE_PLUGIN_ROOT`; its process gets them as well. */
  readonly variables?: Readonly<Record<string, string>>;
}
