/** Cents as a price for people: 810 → "8.10 €". */
export function formatPrice(cents: number): string {
  const euros: number = (cents / 100).toFixed(2);
  return `${euros} €`;
}
