/** How costs are written, in the chat and by the host alike. */

/** US dollars with 2 decimals, below a cent with 4; undefined where the cost is unknown, which is never zero. */
export function costLabel(usd: number | undefined): string | undefined {
  if (usd === undefined || !Number.isFinite(usd)) return undefined;
  if (usd === 0) return '$0';
  if (usd >= 0.01) return `$${usd.toFixed(2)}`;
  return usd < 0.0001 ? '<$0.0001' : `$${usd.toFixed(4)}`;
}
