import { maskSecrets } from './redaction.ts';

/** Characters that are held back at most while no line ends. */
const MOST_HELD = 64 * 1024;
const BEGIN = '-----BEGIN ';
const END = '-----END ';

/**
 * Masks a text that comes in pieces: a secret may be cut anywhere. Whole lines go on; what may go on in the next piece (a
 * line, a private key) is held back until it is whole, or has become too long.
 */
export class MaskedStream {
  #held = '';

  /** @returns what is safe to show now, perhaps nothing */
  push(piece: string): string {
    this.#held += piece;
    const end = this.#held.lastIndexOf('\n') + 1;
    const begin = this.#held.lastIndexOf(BEGIN);
    const isOpen = begin >= 0 && begin < end && !this.#held.slice(begin).includes(END);
    const safe = isOpen ? begin : end;
    if (this.#held.length - safe <= MOST_HELD) return this.#take(safe);
    // So long without an end: words still are not cut.
    const space = this.#held.lastIndexOf(' ') + 1;
    return this.#take(isOpen || space === 0 ? this.#held.length : Math.max(safe, space));
  }

  /** What was held back: nothing more comes. */
  end(): string {
    return this.#take(this.#held.length);
  }

  #take(length: number): string {
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return text === '' ? '' : maskSecrets(text);
  }
}
