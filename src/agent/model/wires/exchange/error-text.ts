import { parseErrorText } from '../../failures/provider-error.ts';

const FIELDS = ['event:', 'data:', 'id:', 'retry:'];
const LONGEST_ERROR = 4_096;

/**
 * Some gateways hand on the event stream of a failure as the text of the answer, and say so only at its end. An answer
 * that begins like such a stream is held back until then.
 */
export class ErrorText {
  #state: 'start' | 'held' | 'passing' = 'start';
  #held = '';

  /** What of it is text for sure. */
  push(text: string): string {
    if (this.#state === 'passing') return text;
    this.#held += text;
    if (this.#state === 'held') return '';
    const start = this.#held.trimStart();
    if (FIELDS.some((field) => start.startsWith(field))) {
      this.#state = 'held';
      return '';
    }
    if (FIELDS.some((field) => field.startsWith(start))) return '';
    return this.release();
  }

  /** What was held back after all, once the answer has ended well. */
  release(): string {
    const held = this.#held;
    this.#held = '';
    this.#state = 'passing';
    return held;
  }

  /** The failure that it tells of: parsed where it is JSON. Undefined when the text is none. */
  failure(): unknown {
    if (this.#state !== 'held') return undefined;
    const lines = this.#held.split('\n').flatMap((line) => /^\s*data:\s?(.*)$/.exec(line)?.[1] ?? []);
    const text = lines.length > 0 ? lines.join('\n') : this.#held;
    const parsed = parseErrorText(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : text.slice(0, LONGEST_ERROR);
  }
}
