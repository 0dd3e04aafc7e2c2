import * as z from 'zod';
import type { Usage } from '../../../../api.ts';

const Count = z.number().nullish().catch(undefined);

/** Each server family has its own name for what came from the cache. */
export const ChatUsage = z.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  prompt_tokens_details: z.object({ cached_tokens: Count, cache_write_tokens: Count }).nullish().catch(undefined),
  completion_tokens_details: z.object({ reasoning_tokens: Count }).nullish().catch(undefined),
  cache_read_input_tokens: Count,
  cache_creation_input_tokens: Count,
  prompt_cache_hit_tokens: Count,
  cached_tokens: Count,
});

export type ChatUsage = z.infer<typeof ChatUsage>;

/** False where nothing is a number: what was used is then unknown, not nothing. */
export function isCounted({ prompt_tokens, completion_tokens }: ChatUsage): boolean {
  return typeof prompt_tokens === 'number' || typeof completion_tokens === 'number';
}

/** `prompt_tokens` counts the cache in; ours does not. */
export function usageOfChat(usage: ChatUsage): Usage {
  const cacheRead =
    usage.prompt_tokens_details?.cached_tokens ??
    usage.cache_read_input_tokens ??
    usage.prompt_cache_hit_tokens ??
    usage.cached_tokens ??
    0;
  const cacheWrite = usage.prompt_tokens_details?.cache_write_tokens ?? usage.cache_creation_input_tokens ?? 0;
  return {
    input: positive((usage.prompt_tokens ?? 0) - cacheRead - cacheWrite),
    output: positive(usage.completion_tokens ?? 0),
    cacheRead: positive(cacheRead),
    cacheWrite: positive(cacheWrite),
    reasoning: positive(usage.completion_tokens_details?.reasoning_tokens ?? 0),
  };
}

function positive(count: number): number {
  return Math.max(0, count);
}
