export interface Random {
  /** A whole number from 0 up to, not including, `bound`. */
  below(bound: number): number;
}

/** The same numbers for the same seed, everywhere (SplitMix32). */
export function random(seed: number): Random {
  let state = seed >>> 0;
  return {
    below(bound) {
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = state ^ (state >>> 16);
      mixed = Math.imul(mixed, 0x21f0aaad);
      mixed ^= mixed >>> 15;
      mixed = Math.imul(mixed, 0x735a2d97);
      mixed ^= mixed >>> 15;
      return (mixed >>> 0) % bound;
    },
  };
}
