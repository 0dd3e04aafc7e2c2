import type { Usage } from '../../api.ts';
import { familyName, isHost } from './catalogue/index.ts';
import type { Price, Rates } from './types.ts';

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

/** Sums tokens. The cost is known only when it is known of both; nothing used costs nothing. */
export function addUsage(a: Usage, b: Usage): Usage {
  const costUsd = addCost(a, b);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    reasoning: a.reasoning + b.reasoning,
    ...(costUsd !== undefined && { costUsd }),
  };
}

function addCost(a: Usage, b: Usage): number | undefined {
  if (isNothing(a)) return b.costUsd;
  if (isNothing(b)) return a.costUsd;
  return a.costUsd === undefined || b.costUsd === undefined ? undefined : a.costUsd + b.costUsd;
}

function isNothing(usage: Usage): boolean {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite === 0 && usage.costUsd === undefined;
}

/**
 * US dollars. Undefined without a price, and also where cache tokens have no price of their own: unknown is never
 * zero. Reasoning tokens are part of the output. A long prompt makes the whole request dearer, not just its end.
 */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (price === undefined) return undefined;
  if (price.included === true) return 0;
  const rates = ratesFor(usage, price);
  const cacheRead = usage.cacheRead === 0 ? 0 : rates.cacheRead;
  const cacheWrite = usage.cacheWrite === 0 ? 0 : rates.cacheWrite;
  if (cacheRead === undefined || cacheWrite === undefined) return undefined;
  const millionths =
    usage.input * rates.input +
    usage.output * rates.output +
    usage.cacheRead * cacheRead +
    usage.cacheWrite * cacheWrite;
  return millionths / 1_000_000;
}

function ratesFor({ input, cacheRead, cacheWrite }: Usage, price: Price): Rates {
  const prompt = input + cacheRead + cacheWrite;
  return price.above?.findLast(({ tokens }) => prompt > tokens) ?? price;
}

/** The same usage with its cost, where a price makes it known. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
  const costUsd = costOf(usage, price);
  return costUsd === undefined ? usage : { ...usage, costUsd };
}

/**
 * What is wrong with the figures that a provider gives, for the log; undefined where they can be believed.
 * MiniMax-M3 counts 128 tokens too many as read from the cache and never any as written: only a smaller input shows a hit.
 */
export function usageCaveat(of: {
  readonly api: string;
  readonly baseUrl: string;
  readonly model: string;
}): string | undefined {
  const isMiniMax =
    isHost(of.baseUrl, 'minimax.io') || isHost(of.baseUrl, 'minimaxi.com') || isHost(of.baseUrl, 'minimax.cn');
  if (of.api !== 'anthropic' || !isMiniMax || !/^minimax-m3\b/.test(familyName(of.model))) return undefined;
  return `${of.model} counts at least 128 tokens as read from the cache and none as written; only a smaller input shows a hit`;
}
