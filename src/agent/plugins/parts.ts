import type { DialectRules } from '../hooks/dialects/types.ts';
import type { HookParts } from '../hooks/handlers/index.ts';
import type { Dialect, HookManager } from '../hooks/index.ts';
import type { CompletionPort } from '../model/index.ts';
import type { RecordProcess, ToolRegistry } from '../tools/index.ts';
import type { Consentable, ConsentPort } from '../trust/index.ts';
import type { Clock, Log } from '../turn/types.ts';
import type { PluginHome } from './discovery.ts';
import type { PluginSettings } from './plugin-settings.ts';

/** What plugins are given of the window. */
export interface PluginParts {
  homes(): readonly PluginHome[];
  /** Absolute. */
  folders(): readonly string[];
  settings(): PluginSettings;
  /** Switched on in this workspace. */
  isEnabled(id: string): boolean;
  isTrusted(): boolean;
  readonly consents: Pick<ConsentPort, 'check'> & { isAllowed(of: Consentable): Promise<boolean> };
  readonly hooks: Pick<HookManager, 'replace'>;
  readonly tools: Pick<ToolRegistry, 'provide'>;
  readonly hookParts: HookParts;
  rulesOf(dialect: Dialect): DialectRules;
  readonly completion: CompletionPort;
  /** Names of slash commands that no plugin may have. */
  takenCommands(): readonly string[];
  /** Absolute: what plugins keep, and what is kept of them. Not of a workspace. */
  readonly dataFolder: string;
  /** Absolute path of `plugin-host.child.js`. */
  readonly entry: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Of the processes of plugins. */
  readonly record?: RecordProcess;
  readonly log: Log;
  /** Where a plugin's own words go. */
  pluginLog(id: string): Log;
  /** Told once for each distinct problem of a plugin, until it is loaded again. */
  problem(problem: PluginProblem): void;
}

export interface PluginProblem {
  readonly plugin: string;
  /** For people. */
  readonly words: string;
  /** It is not started any more by itself. */
  readonly isOver: boolean;
}
