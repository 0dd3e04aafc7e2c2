import { StringDecoder } from 'node:string_decoder';
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

  append(text: string): void {
    const room = this.#headLimit - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    this.#tail += room > 0 ? text.slice(room) : text;
    // Cut only when twice the limit is held: a cut for each chunk would copy the tail again and again.
    if (this.#tail.length > this.#tailLimit * 2) this.#cut();
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

  append(text: string): void {
    this.#text += text;
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

// ESC or C1 introducers: CSI with parameters, OSC and other strings up to their terminator, two-character escapes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const ESCAPES = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-OQ-WYZ\\`-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const UNFINISHED = /(?:\x1b(?:\[[0-?]*[ -/]*|[\]P^_X][^\x07\x1b]*\x1b?|[ -/]*)|\x9b[0-?]*[ -/]*|\r)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** The longest escape that is waited for; what claims to be longer is shown as it is. */
const LONGEST_ESCAPE = 4096;

/** Bytes of a terminal to plain text, across chunk borders: UTF-8 put together, escapes and control characters removed. */
export class PlainText {
  readonly #decoder = new StringDecoder('utf8');
  #waiting = '';

  write(chunk: Uint8Array): string {
    return this.#plain(this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)), false);
  }

  end(): string {
    return this.#plain(this.#decoder.end(), true);
  }

  #plain(chunk: string, last: boolean): string {
    const text = this.#waiting + chunk;
    const open = last ? undefined : UNFINISHED.exec(text.slice(-LONGEST_ESCAPE))?.[0];
    this.#waiting = open ?? '';
    const whole = open ? text.slice(0, -open.length) : text;
    return whole.replace(ESCAPES, '').replaceAll('\r\n', '\n').replaceAll('\r', '\n').replace(CONTROLS, '');
  }
}
