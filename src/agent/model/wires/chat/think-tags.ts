/**
 * Models whose server does not take their reasoning apart send it as text: `<think>…</think>`, then the answer. A tag at
 * the start of a line opens a block; inside a line only a pair that closes on that line counts, since an answer may
 * speak of such a tag. In code a tag is code.
 */

export interface Piece {
  /** `thought`: all text so far was one, as its opening tag was lost on the way. */
  readonly type: 'text' | 'reasoning' | 'thought';
  readonly text: string;
}

const NAMES = [
  ...['think', 'thinking', 'reasoning', 'thought', 'reasoning_scratchpad'],
  ...['思考', '思维', '推理', '思考过程'],
];
const LONGEST_TAG = Math.max(...NAMES.map((name) => name.length)) + 3;
// biome-ignore lint/plugin: made of the names above alone.
const TAG = new RegExp(`^<(/?)(${[...NAMES].sort((a, b) => b.length - a.length).join('|')})>`, 'i');
const FENCE = /^ {0,3}(```|~~~)/;
/** Characters of a thought without an opening tag that are kept. */
const LONGEST_THOUGHT = 200_000;
/** Characters of a line that are held back to see whether a pair inside it closes. */
const LONGEST_PAIR = 4_000;

export class ThinkTags {
  /** What is not decided yet. */
  #held = '';
  /** The tag that ends the block; undefined outside of one. */
  #closing: string | undefined;
  /** The answer's text so far, as long as it may turn out to be a thought. */
  #said = '';
  /** The line so far, as it was written out. */
  #line = '';
  #inFence = false;
  /** Opening tags that were the answer's own words: what closes them is so too. */
  #kept = 0;
  /** Blank space at the very start, and behind a block: it belongs to neither. */
  #skipsBlank = true;
  /** Blank space that was skipped at the very start. It is written after all when no block follows. */
  #lead: string | undefined = '';

  /** The same text as pieces; a suffix that may be part of a tag is held back. */
  push(text: string): readonly Piece[] {
    this.#held += text;
    const pieces: Piece[] = [];
    while (this.#held !== '') {
      const before = this.#held;
      const written = this.#closing === undefined ? this.#answer() : this.#think(this.#closing);
      if (written !== undefined) pieces.push(written);
      else if (this.#held === before) break;
    }
    return pieces;
  }

  /** What is still held when the answer is over. Reasoning that was never closed stays reasoning. */
  flush(): readonly Piece[] {
    const held = this.#held;
    this.#held = '';
    if (this.#closing !== undefined) return held === '' ? [] : [{ type: 'reasoning', text: held }];
    const text = this.#write(held);
    return text === undefined ? [] : [text];
  }

  /** Up to the next tag; undefined with nothing taken when more has to come first. */
  #answer(): Piece | undefined {
    const at = this.#held.indexOf('<');
    if (at !== 0) return this.#write(this.#take(at < 0 ? this.#held.length : at));
    const tag = TAG.exec(this.#held);
    if (tag === null) return mayBeTag(this.#held) ? undefined : this.#write(this.#take(1));
    if (this.#inCode()) return this.#write(this.#take(tag[0].length));
    const closing = `</${tag[2]?.toLowerCase()}>`;
    if (tag[1] === '/' && this.#kept > 0) {
      this.#kept -= 1;
      return this.#write(this.#take(tag[0].length));
    }
    if (tag[1] === '/') {
      // Its opening tag stood in the prompt, or was lost on the way.
      this.#take(tag[0].length);
      this.#skipsBlank = true;
      const thought = this.#said.trim();
      this.#said = '';
      return thought === '' ? undefined : { type: 'thought', text: thought };
    }
    if (this.#line.trim() === '') {
      this.#take(tag[0].length);
      this.#closing = closing;
      this.#lead = undefined;
      this.#skipsBlank = true;
      return undefined;
    }
    return this.#pair(tag[0], closing);
  }

  /** A tag inside a line. */
  #pair(tag: string, closing: string): Piece | undefined {
    const line = this.#held.split('\n', 1)[0] ?? '';
    const end = line.toLowerCase().indexOf(closing);
    if (end >= 0) {
      const thought = this.#take(end + closing.length).slice(tag.length, end);
      return thought === '' ? undefined : { type: 'reasoning', text: thought };
    }
    const mayClose = line.length === this.#held.length && line.length < LONGEST_PAIR;
    if (mayClose) return undefined;
    this.#kept += 1;
    return this.#write(this.#take(tag.length));
  }

  #think(closing: string): Piece | undefined {
    if (this.#skipsBlank) {
      this.#held = this.#held.trimStart();
      if (this.#held === '') return undefined;
      this.#skipsBlank = false;
    }
    const end = this.#held.toLowerCase().indexOf(closing);
    if (end >= 0) {
      const thought = this.#take(end + closing.length).slice(0, end);
      this.#closing = undefined;
      this.#skipsBlank = true;
      return thought.trimEnd() === '' ? undefined : { type: 'reasoning', text: thought.trimEnd() };
    }
    // Blank space is held back too: in front of the closing tag it is none of the thought's.
    const sure = this.#held.length - (undecided(this.#held, closing)?.length ?? 0);
    const written = this.#held.slice(0, sure).trimEnd();
    if (written === '') return undefined;
    return { type: 'reasoning', text: this.#take(written.length) };
  }

  #take(count: number): string {
    const taken = this.#held.slice(0, count);
    this.#held = this.#held.slice(count);
    return taken;
  }

  /** Text of the answer, without the blank space that is skipped. */
  #write(text: string): Piece | undefined {
    let written = text;
    if (this.#skipsBlank) {
      written = text.trimStart();
      if (this.#lead !== undefined) this.#lead += text.slice(0, text.length - written.length);
      if (written === '') return undefined;
      this.#skipsBlank = false;
      written = (this.#lead ?? '') + written;
      this.#lead = undefined;
    }
    this.#follow(written);
    if (this.#said.length < LONGEST_THOUGHT) this.#said += written;
    return written === '' ? undefined : { type: 'text', text: written };
  }

  /** Keeps in mind which line this is, and whether it stands in a block of code. */
  #follow(text: string): void {
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      if (index > 0) {
        if (FENCE.test(this.#line)) this.#inFence = !this.#inFence;
        this.#line = '';
      }
      this.#line += line;
    }
  }

  #inCode(): boolean {
    const ticks = this.#line.split('`').length - 1;
    return this.#inFence || FENCE.test(this.#line) || ticks % 2 === 1;
  }
}

function mayBeTag(text: string): boolean {
  if (text.length >= LONGEST_TAG) return false;
  const name = text.replace(/^<\/?/, '').toLowerCase();
  return NAMES.some((known) => `${known}>`.startsWith(name));
}

/** The end of a text that may be the start of the closing tag. */
function undecided(text: string, closing: string): string | undefined {
  const from = text.lastIndexOf('<');
  const suffix = from < 0 ? undefined : text.slice(from);
  return suffix !== undefined && closing.startsWith(suffix.toLowerCase()) ? suffix : undefined;
}
