/**
 * Continued lines are one line to the shell before it looks at anything else, but only where the backslash has its
 * meaning: not behind another one, not between single quotes, not in a comment. Joined there as well, a comment would
 * swallow the command on the next line.
 */

export interface JoinedLines {
  readonly text: string;
  /** Where a place of the joined text stands in the source. */
  readonly original: (at: number) => number;
  /**
   * It cannot be said here which lines go on: those of here-documents, and what is nested in double quotes or backticks.
   * Both readings have to be looked at.
   */
  readonly doubtful: boolean;
}

export function joinLines(source: string): JoinedLines {
  if (!source.includes('\\\n')) return { text: source, original: (at) => at, doubtful: false };
  const scan = new LineScan(source).read();
  const { text, removed } = scan;
  const original = (at: number) => {
    let [low, high] = [0, removed.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((removed[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return at + 2 * low;
  };
  return { text, original, doubtful: scan.nested || /<<|`/.test(source) };
}

type State = 'plain' | 'single' | 'double' | 'ansi' | 'comment';

class LineScan {
  readonly removed: number[] = [];
  text = '';
  /** Double quotes hold something that has quotes and comments of its own. */
  nested = false;
  readonly #source: string;
  #at = 0;
  /** The last character that was kept; a letter where it was escaped. */
  #last = '';
  #state: State = 'plain';

  constructor(source: string) {
    this.#source = source;
  }

  read(): this {
    while (this.#at < this.#source.length) this.#step(this.#source[this.#at] ?? '');
    return this;
  }

  #step(char: string): void {
    if (char === '\\' && this.#state !== 'single' && this.#state !== 'comment') return this.#backslash();
    if (char === '$' && this.#state === 'double' && /[({]/.test(this.#source[this.#at + 1] ?? '')) this.nested = true;
    this.#state = this.#next(char);
    this.#keep(1);
  }

  #backslash(): void {
    if (this.#source[this.#at + 1] !== '\n' || this.#state === 'ansi') {
      this.#keep(2);
      this.#last = 'x';
      return;
    }
    this.removed.push(this.text.length);
    this.#at += 2;
  }

  #keep(count: number): void {
    this.text += this.#source.slice(this.#at, this.#at + count);
    this.#at += count;
    this.#last = this.#source[this.#at - 1] ?? '';
  }

  #next(char: string): State {
    switch (this.#state) {
      case 'comment':
        return char === '\n' ? 'plain' : 'comment';
      case 'single':
      case 'ansi':
        return char === "'" ? 'plain' : this.#state;
      case 'double':
        return char === '"' ? 'plain' : 'double';
      case 'plain':
        if (char === "'") return this.#last === '$' ? 'ansi' : 'single';
        if (char === '"') return 'double';
        return char === '#' && /^[\s;&|()<>]?$/.test(this.#last) ? 'comment' : 'plain';
      default:
        return this.#state satisfies never;
    }
  }
}
