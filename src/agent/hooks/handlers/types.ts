import type { HookPayload } from '../../../hooks-api.ts';
import type { McpCallPort } from '../../mcp/types.ts';
import type { CompletionPort } from '../../model/completion.ts';
import type { DeclaredHook, DialectRules, HookSurroundings } from '../dialects/types.ts';
import type { HookProcesses } from './processes.ts';

/** What hooks are run with. One for all hooks of a window; those of a plugin add its folders. */
export interface HookParts {
  readonly surroundings: HookSurroundings;
  /** Owns the processes that hooks start. */
  readonly processes: HookProcesses;
  /** The host's environment; what no hook may have is taken out of it. */
  readonly environment: NodeJS.ProcessEnv;
  /** Asked for each run: names of environment variables that hold model keys (`apiKeyEnv`). */
  secretEnv(): readonly string[];
  /** Absolute; made when needed. Holds what a hook said beyond what a model is given at once. */
  readonly textFolder: string;
  /** Absent: prompt hooks fail with the reason. */
  readonly completion?: CompletionPort;
  /** Absent: hooks that call an MCP tool fail with the reason. */
  readonly mcp?: McpCallPort;
  /** Of the plugin that declares the hook; asked for each run, as an update moves the folder. */
  plugin?(): PluginFolders;
}

export interface PluginFolders {
  /** Absolute. */
  readonly root: string;
  /** Absolute; it exists and outlives updates. */
  readonly data: string;
  /** The plugin's options as its user set them. */
  readonly options?: Readonly<Record<string, string>>;
}

/** One run of one hook. */
export interface HandlerRun {
  readonly declared: DeclaredHook;
  readonly rules: DialectRules;
  readonly parts: HookParts;
  readonly payload: HookPayload;
  /** The object that it is told. */
  readonly stdin: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}
