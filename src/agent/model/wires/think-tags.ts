/**
 * Local servers without a parser for reasoning send it as text: `<think>…</think>`, then the answer. Only a tag that
 * opens the answer counts; one in the middle is what the model wants to say.
 */

export interface Piece {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

const OPENING = /^\s*<(think|thinking|thought|reasoning)>/i;
/** What may still become an opening tag. */
const MAY_OPEN = /^\s*(<(t(h(i(n(k(i(n(g)?)?)?)?)?|o(u(g(h(t)?)?)?)?)?)?|r(e(a(s(o(n(i(n(g)?)?)?)?)?)?)?)?)?)?$/i;

export class ThinkTags {
  #state: 'start' | 'thinking' | 'behind' | 'answering' = 'start';
  #held = '';
  #closing = '';

  /** The same text as pieces; a suffix that may be part of a tag is held back. */
  push(text: string): readonly Piece[] {
    if (this.#state === 'answering') return piece('text', text);
    if (this.#state === 'behind') return this.#answer(text);
    this.#held += text;
    return this.#state === 'start' ? this.#begin() : this.#think();
  }

  /** What is still held when the answer is over. Reasoning that was never closed stays reasoning. */
  flush(): readonly Piece[] {
    const held = this.#held;
    this.#held = '';
    return piece(this.#state === 'thinking' ? 'reasoning' : 'text', held);
  }

  #begin(): readonly Piece[] {
    const open = OPENING.exec(this.#held);
    if (open !== null) {
      this.#state = 'thinking';
      this.#closing = `</${open[1]?.toLowerCase()}>`;
      this.#held = this.#held.slice(open[0].length).trimStart();
      return this.#think();
    }
    if (MAY_OPEN.test(this.#held)) return [];
    this.#state = 'answering';
    return this.flush();
  }

  #think(): readonly Piece[] {
    const at = this.#held.toLowerCase().indexOf(this.#closing);
    if (at < 0) return this.#thinkOn();
    const thought = this.#held.slice(0, at).trimEnd();
    const rest = this.#held.slice(at + this.#closing.length);
    this.#held = '';
    this.#state = 'behind';
    return [...piece('reasoning', thought), ...this.#answer(rest)];
  }

  /** The answer begins with its first letter: blank lines behind the thought belong to neither. */
  #answer(text: string): readonly Piece[] {
    const answer = text.trimStart();
    if (answer !== '') this.#state = 'answering';
    return piece('text', answer);
  }

  /** Everything but a suffix that may become the closing tag. */
  #thinkOn(): readonly Piece[] {
    const from = this.#held.lastIndexOf('<');
    const mayClose = from >= 0 && this.#closing.startsWith(this.#held.slice(from).toLowerCase());
    const thought = mayClose ? this.#held.slice(0, from) : this.#held;
    this.#held = this.#held.slice(thought.length);
    return piece('reasoning', thought);
  }
}

function piece(type: Piece['type'], text: string): readonly Piece[] {
  return text === '' ? [] : [{ type, text }];
}
