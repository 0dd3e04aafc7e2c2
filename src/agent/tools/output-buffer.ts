import { ownCopy } from '../kernel/own-copy.ts';
import { firstOf, lastOf } from './cut-text.ts';

/**
 * Output of a command in bounded memory: the first 40 % and the last 60 % of `limit` characters.
 */
export class HeadTailBuffer {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head = '';
  #tail = '';
  #dropped = 0;

  /** `limit` in characters. */
  constructor(limit: number) {
    this.#headLimit = Math.floor(limit * 0.4);
    this.#tailLimit = limit - this.#headLimit;
  }

  /** @param replaced characters at the end that the text takes the place of, as far as they are kept */
  append(text: string, replaced = 0): void {
    if (replaced > 0) this.#takeBack(replaced);
    const room = this.#headLimit - this.#head.length;
    if (room > 0) this.#head += ownCopy(text.slice(0, room));
    const rest = room > 0 ? text.slice(room) : text;
    if (rest.length >= this.#tailLimit) {
      // The rest of a long piece is never looked at: joining it first would be most of the work.
      const kept = ownCopy(lastOf(rest, this.#tailLimit));
      this.#dropped += this.#tail.length + rest.length - kept.length;
      this.#tail = kept;
      return;
    }
    this.#tail += rest;
    // Cut only when twice the limit is held: a cut for each chunk would copy the tail again and again.
    if (this.#tail.length > this.#tailLimit * 2) this.#cut();
  }

  #takeBack(characters: number): void {
    const ofHead = this.#dropped > 0 ? 0 : characters - this.#tail.length;
    this.#tail = this.#tail.slice(0, Math.max(0, this.#tail.length - characters));
    if (ofHead > 0) this.#head = this.#head.slice(0, Math.max(0, this.#head.length - ofHead));
  }

  /** What is kept, with one line in between that says how much is not. */
  text(): string {
    this.#cut();
    if (this.#dropped === 0) return this.#head + this.#tail;
    return `${firstOf(this.#head, this.#headLimit)}\n[… ${this.#dropped} characters left out …]\n${this.#tail}`;
  }

  #cut(): void {
    const kept = lastOf(this.#tail, this.#tailLimit);
    this.#dropped += this.#tail.length - kept.length;
    this.#tail = kept;
  }
}

/** The newest `limit` characters. */
export class RollingBuffer {
  readonly #limit: number;
  #text = '';

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param replaced characters at the end that the text takes the place of */
  append(text: string, replaced = 0): void {
    if (replaced > 0) this.#text = this.#text.slice(0, Math.max(0, this.#text.length - replaced));
    if (text.length >= this.#limit) this.#text = ownCopy(lastOf(text, this.#limit));
    else this.#text += text;
    if (this.#text.length > this.#limit * 2) this.#text = lastOf(this.#text, this.#limit);
  }

  text(): string {
    return lastOf(this.#text, this.#limit);
  }

  /** The newest `characters` of it. */
  tail(characters: number): string {
    return lastOf(this.#text, Math.min(characters, this.#limit));
  }
}
