/**
 * What a terminal would show of an output that redraws itself, as a text that only its end changes: what has left the
 * screen upwards cannot be drawn over any more.
 */

import type { IBuffer, Terminal } from '@xterm/headless';

/** Wide enough that next to no line is broken; broken ones are joined again. */
const COLUMNS = 500;
/** As far as programs move up to draw several bars. */
const ROWS = 50;
/** Characters and line ends of one write: less than what can leave the screen unseen. */
const SLICE = 50_000;
const SLICE_LINES = 200;
const SCROLLBACK = SLICE / COLUMNS + SLICE_LINES + ROWS;

/** The end of what was shown, and what stands there now. */
export interface Redraw {
  /** Characters at the end of the text so far that are gone. */
  readonly replaced: number;
  readonly text: string;
}

export class TerminalScreen {
  readonly #terminal: Terminal;
  #top: ReturnType<Terminal['registerMarker']>;
  /** What stands on the screen, as it was told last. */
  #shown: string;

  /** @param before the last lines of what was printed before anything was redrawn */
  static async open(before: string): Promise<TerminalScreen> {
    const { Terminal } = await import('./xterm.ts');
    const options = { cols: COLUMNS, rows: ROWS, scrollback: SCROLLBACK, convertEol: true, allowProposedApi: true };
    const terminal = new Terminal(options);
    const lines = before.split('\n').slice(-ROWS);
    await write(terminal, lines.join('\n'));
    return new TerminalScreen(terminal, lines.join('\n'));
  }

  private constructor(terminal: Terminal, shown: string) {
    this.#terminal = terminal;
    this.#shown = shown;
    this.#top = this.#markTop();
  }

  /** Draws a text, in pieces; each change is told. */
  async draw(text: string, tell: (redraw: Redraw) => void): Promise<void> {
    for (let at = 0; at < text.length; ) {
      const end = sliceEnd(text, at);
      await write(this.#terminal, text.slice(at, end));
      at = end;
      const redraw = this.#look();
      if (redraw) tell(redraw);
    }
  }

  /** Nothing stands behind the cursor: what is written next only goes on. */
  get isAtEnd(): boolean {
    const { normal: buffer } = this.#terminal.buffer;
    const { baseY, cursorY, cursorX } = buffer;
    const line = buffer.getLine(baseY + cursorY);
    if (!line || lastRow(buffer) !== baseY + cursorY || line.translateToString(true, cursorX) !== '') return false;
    // Cells in front of it that were erased are not in the text: what is written would close up to them.
    return line.translateToString(false, 0, cursorX) === line.translateToString(true, 0, cursorX);
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #look(): Redraw | undefined {
    const buffer = this.#terminal.buffer.normal;
    const gone = lines(buffer, Math.max(0, this.#top?.line ?? 0), buffer.baseY);
    const now = lines(buffer, buffer.baseY, lastRow(buffer) + 1);
    this.#top?.dispose();
    this.#top = this.#markTop();
    const text = gone + now;
    const same = commonStart(this.#shown, text);
    const redraw = { replaced: this.#shown.length - same, text: text.slice(same) };
    this.#shown = now;
    return redraw.replaced === 0 && redraw.text === '' ? undefined : redraw;
  }

  #markTop(): ReturnType<Terminal['registerMarker']> {
    return this.#terminal.registerMarker(-this.#terminal.buffer.normal.cursorY);
  }
}

function write(terminal: Terminal, text: string): Promise<void> {
  return new Promise((resolve) => terminal.write(text, resolve));
}

function sliceEnd(text: string, from: number): number {
  let at = from;
  for (let count = 0; count < SLICE_LINES; count++) {
    const end = text.indexOf('\n', at);
    if (end === -1 || end - from >= SLICE) return Math.min(text.length, from + SLICE);
    at = end + 1;
  }
  return at;
}

/** The row of the cursor, or a lower one that holds something. */
function lastRow(buffer: IBuffer): number {
  const cursor = buffer.baseY + buffer.cursorY;
  for (let row = buffer.length - 1; row > cursor; row--) {
    if (buffer.getLine(row)?.translateToString(true) !== '') return row;
  }
  return cursor;
}

/** Rows as lines; a row that goes on in the next one has no line end. */
function lines(buffer: IBuffer, from: number, to: number): string {
  let text = '';
  for (let row = from; row < to; row++) {
    const goesOn = buffer.getLine(row + 1)?.isWrapped ?? false;
    text += buffer.getLine(row)?.translateToString(!goesOn) ?? '';
    const isLast = row === to - 1 && to > buffer.baseY;
    if (!goesOn && !isLast) text += '\n';
  }
  return text;
}

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
