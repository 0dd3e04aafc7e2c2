/**
 * Files of others that are long are read in a thread of their own: a parser cannot be interrupted, and a megabyte of YAML
 * holds up a window for a second. What a person writes by hand is read at once.
 */

import type { ReadConfig } from '../hooks/dialects/types.ts';
import type { Dialect } from '../hooks/types.ts';
import { type NoAnswer, WorkerThread } from '../kernel/worker-thread.ts';
import type { ReadServers } from '../mcp/config/read-servers.ts';
import type { JudgedManifest, ManifestText } from '../plugins/manifest-text.ts';

/** Characters of a file that is read at once: a millisecond or two. */
export const AT_ONCE = 2_000;

/** Without limits a few lines of aliases would grow into gigabytes. */
export const yamlLimits = { maxAliasCount: 20, schema: 'core' } as const;

export type Reading =
  | { readonly is: 'hooks'; readonly dialect: Dialect | 'shared'; readonly text: string; readonly most: number }
  | ({ readonly is: 'servers'; readonly text: string } & ServersPlace)
  | { readonly is: 'manifests'; readonly texts: readonly ManifestText[] }
  | { readonly is: 'instructions'; readonly text: string }
  | { readonly is: 'yaml'; readonly text: string };

export interface Read {
  readonly hooks?: ReadHooks;
  readonly inspected?: Inspected;
  readonly servers?: ReadServers;
  /** Of a plugin's folder; absent when none of its files is a manifest. */
  readonly manifest?: JudgedManifest;
  /** `problem` instead of a value for what is no YAML. */
  readonly yaml?: { readonly value: unknown } | { readonly problem: string };
}

/** A file that declares MCP servers. */
export interface ServersPlace {
  readonly form: 'claude' | 'vscode';
  /** Of a file of the user's there is none. */
  readonly folder?: string;
  readonly scope: 'workspace' | 'user';
  readonly path: string;
}

/** A text that instructs, without characters that nobody sees. */
export interface Inspected {
  readonly text: string;
  /** How many of them were removed. */
  readonly hidden: number;
  /** What is suspicious, in words. */
  readonly why: string | undefined;
}

export interface ReadHooks {
  readonly dialect: Dialect;
  readonly config: ReadConfig;
  /** 1-based lines of the hooks with an offset, by that offset. */
  readonly lines: ReadonlyMap<number, number>;
}

const thread = new WorkerThread<Reading, Read>('reading.worker', import.meta.url, {
  question: 3_000,
  waiting: 5_000,
  memory: 256,
});

/** Never rejects. */
export function readOffThread(reading: Reading): Promise<Read | NoAnswer> {
  return thread.ask(reading);
}
