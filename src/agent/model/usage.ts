import type { Usage } from '../../api.ts';
import type { Price } from '../turn/types.ts';

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
 * zero. Reasoning tokens are part of the output.
 */
export function costOf(usage: Usage, price: Price | undefined): number | undefined {
  if (price === undefined) return undefined;
  const cacheRead = usage.cacheRead === 0 ? 0 : price.cacheRead;
  const cacheWrite = usage.cacheWrite === 0 ? 0 : price.cacheWrite;
  if (cacheRead === undefined || cacheWrite === undefined) return undefined;
  const millionths =
    usage.input * price.input +
    usage.output * price.output +
    usage.cacheRead * cacheRead +
    usage.cacheWrite * cacheWrite;
  return millionths / 1_000_000;
}

/** The same usage with its cost, where a price makes it known. */
export function withCost(usage: Usage, price: Price | undefined): Usage {
  const costUsd = costOf(usage, price);
  return costUsd === undefined ? usage : { ...usage, costUsd };
}
