import type { Receipt } from '../../api.ts';

/** Receipts that are copied together when one more comes. */
const PIECE = 64;

/**
 * The first receipt of each client-made id, so that a repeat is accepted once. It never changes: one more makes a new
 * value, at a cost that does not grow with the session.
 */
export class Receipts {
  readonly #recent: ReadonlyMap<string, Receipt>;
  readonly #older: readonly ReadonlyMap<string, Receipt>[];

  constructor(recent: ReadonlyMap<string, Receipt>, older: readonly ReadonlyMap<string, Receipt>[] = []) {
    this.#recent = recent;
    this.#older = older;
  }

  get(id: string): Receipt | undefined {
    return this.#recent.get(id) ?? this.#older.find((piece) => piece.has(id))?.get(id);
  }

  with(receipt: Receipt): Receipts {
    if (this.#recent.size < PIECE) return new Receipts(new Map(this.#recent).set(receipt.id, receipt), this.#older);
    return new Receipts(new Map([[receipt.id, receipt]]), [...this.#older, this.#recent]);
  }

  /** In the order in which they were given. */
  all(): readonly Receipt[] {
    return [...this.#older, this.#recent].flatMap((piece) => [...piece.values()]);
  }
}
