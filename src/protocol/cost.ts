/** US dollars as people read them: `$0.12`; below a cent with 4 decimals, so that they are true. */
export function costLabel(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '<$0.0001';
  return `$${usd.toFixed(usd < 0.01 ? 4 : 2)}`;
}
