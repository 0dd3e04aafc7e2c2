import type * as z from 'zod';
import type { Dialect } from '../../hooks/types.ts';
import type { ConfigSchema } from '../config-schema.ts';
import type { PluginFormat, Provides, Requirement } from '../types.ts';

/** What a format's manifest says, in one shape. Paths are as written. */
export interface Declared {
  readonly name?: string;
  readonly label?: string;
  readonly version?: string;
  readonly description?: string;
  readonly author?: string;
  readonly homepage?: string;
  readonly main?: string;
  readonly requires?: readonly Requirement[];
  readonly provides?: Provides;
  readonly config?: ConfigSchema;
  readonly skills: Folders;
  readonly commands: Folders;
  readonly agents: Folders;
  readonly hooks: Files;
  readonly mcp: Files;
  readonly languageServers: Files;
}

/** `usual` are looked for and may be missing; `named` have to be there. */
export interface Folders {
  readonly usual: readonly string[];
  readonly named: readonly string[];
}

export interface Files extends Folders {
  /** Declarations inside the manifest, as JSON. */
  readonly inline: readonly string[];
}

export interface Format {
  readonly format: PluginFormat;
  /** Of the hooks that its files declare; `shared` is told by the text of each. */
  readonly dialect: Dialect | 'shared';
  /** All fields that are known; others are said and ignored. */
  readonly fields: readonly string[];
  readonly read: (manifest: unknown) => z.ZodSafeParseResult<Declared>;
}

export const NOTHING: Files = { usual: [], named: [], inline: [] };

/** Splits what a manifest gives as path, list of paths or object. */
export function filesOf(value: unknown, usual: readonly string[]): Files {
  const all = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return {
    usual: value === undefined ? usual : [],
    named: all.filter((one): one is string => typeof one === 'string'),
    inline: all.filter((one) => typeof one === 'object' && one !== null).map((one) => JSON.stringify(one)),
  };
}
