import { createHash } from 'node:crypto';
import type { ToolSpec } from '../types.ts';

export interface CachedPrompt {
  /** Stable for a session and what continues it; two sessions never share one. */
  readonly scope: string;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
}

/**
 * The key under which a provider finds the cache of a prompt: the same for each request of a session as long as its
 * system prompt and tools stay, whatever order the tools are in. 28 characters; the API takes 64.
 */
export function promptCacheKey({ scope, system, tools }: CachedPrompt): string {
  const byName = [...tools].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const hash = createHash('sha256');
  hash.update(scope).update('\0').update(system).update('\0').update(JSON.stringify(byName));
  return `pck_${hash.digest('hex').slice(0, 24)}`;
}
