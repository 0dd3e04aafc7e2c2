import * as z from 'zod';
import type { Usage } from '../../../../api.ts';

const Count = z.number().nullish().catch(undefined);

/** What the Gemini API counts. The prompt holds what came from the cache; thoughts stand beside the answer. */
export const GeminiUsage = z.object({
  promptTokenCount: Count,
  toolUsePromptTokenCount: Count,
  cachedContentTokenCount: Count,
  candidatesTokenCount: Count,
  thoughtsTokenCount: Count,
});

export function usageOfGemini(counts: z.infer<typeof GeminiUsage>): Usage {
  const cacheRead = positive(counts.cachedContentTokenCount);
  const reasoning = positive(counts.thoughtsTokenCount);
  const prompt = positive(counts.promptTokenCount) + positive(counts.toolUsePromptTokenCount);
  return {
    input: positive(prompt - cacheRead),
    output: positive(counts.candidatesTokenCount) + reasoning,
    cacheRead,
    cacheWrite: 0,
    reasoning,
  };
}

function positive(count: number | null | undefined): number {
  return Math.max(0, count ?? 0);
}
