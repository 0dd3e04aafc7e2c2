/**
 * What a plugin is before anything of it runs: a folder that was read.
 */

import type { Dialect } from '../hooks/types.ts';
import type { ConfigSchema } from './config-schema.ts';

export type PluginFormat = 'midcourse' | 'agent-plugins' | 'codex' | 'claude' | 'copilot';

/** Where its folder was found. */
export interface PluginPlace {
  /** Absolute, with all links resolved. */
  readonly root: string;
  readonly scope: 'workspace' | 'user';
  /** The workspace folder it belongs to. */
  readonly folder?: string;
}

export interface Plugin extends PluginPlace {
  /** Unique in a window: the name in its manifest, else its folder's. */
  readonly id: string;
  readonly label: string;
  readonly format: PluginFormat;
  readonly version: string;
  readonly description: string;
  readonly author?: string;
  readonly homepage?: string;
  /** Absolute; absent where a Claude plugin has none. */
  readonly manifest?: string;
  /** What a marketplace says of it, as JSON: its manifest, or what stands beside it. */
  readonly listed?: string;
  /** Absolute path of the module that is run; only of Midcourse's own format. */
  readonly main?: string;
  readonly requires: readonly Requirement[];
  /** What it says that its code registers; shown before it ever ran. */
  readonly provides: Provides;
  readonly config?: ConfigSchema;
  readonly hookFiles: readonly PluginHooks[];
  readonly mcp: readonly PluginDeclaration[];
  readonly languageServers: readonly PluginDeclaration[];
  /** Absolute paths of folders that are there. */
  readonly skills: readonly string[];
  readonly commands: readonly string[];
  readonly agents: readonly string[];
  /** It is used, and these are said: an unknown field, a folder that is not there. */
  readonly warnings: readonly string[];
}

/** A folder that is listed and cannot be used. */
export interface BrokenPlugin extends PluginPlace {
  readonly id: string;
  readonly manifest?: string;
  /** For people: what is wrong and what to change. */
  readonly broken: string;
}

export interface Requirement {
  readonly id: string;
  /** `1.2.0`, `^1.2`, `~1.2`, `>=1.2`; absent for any. */
  readonly version?: string;
}

export interface Provides {
  readonly hooks: readonly string[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
}

/** The text of a hook file, or of the part of the manifest that stands for one. */
export interface PluginHooks {
  readonly dialect: Dialect;
  /** The file, absolute; for hooks inside the manifest the manifest. */
  readonly path: string;
  readonly text: string;
  /** The text is a part of `path`: offsets in it mean nothing there. */
  readonly inline: boolean;
}

/** Declarations of servers, from a file or from inside the manifest. */
export interface PluginDeclaration {
  readonly path: string;
  readonly text: string;
}

export type ReadPlugin = Plugin | BrokenPlugin;

export function isBroken(plugin: ReadPlugin): plugin is BrokenPlugin {
  return 'broken' in plugin;
}
