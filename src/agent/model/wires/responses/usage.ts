import type * as z from 'zod';
import type { Usage } from '../../../../api.ts';
import type { ResponsesUsage } from './events.ts';

/** `input_tokens` counts the cache in; ours does not. Undefined where nothing is a number. */
export function usageOfResponse(usage: z.infer<typeof ResponsesUsage>): Usage | undefined {
  if (typeof usage.input_tokens !== 'number' && typeof usage.output_tokens !== 'number') return undefined;
  const cacheRead = usage.input_tokens_details?.cached_tokens ?? 0;
  const cacheWrite = usage.input_tokens_details?.cache_write_tokens ?? 0;
  return {
    input: Math.max(0, (usage.input_tokens ?? 0) - cacheRead - cacheWrite),
    output: Math.max(0, usage.output_tokens ?? 0),
    cacheRead: Math.max(0, cacheRead),
    cacheWrite: Math.max(0, cacheWrite),
    reasoning: Math.max(0, usage.output_tokens_details?.reasoning_tokens ?? 0),
  };
}
