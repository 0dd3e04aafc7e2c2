/**
 * What a command writes, as the text that a terminal would show: escapes and control characters are gone, and a line that
 * is drawn over itself is one line. Plain output passes as it comes; only the first redraw loads a terminal.
 */

import { RollingBuffer } from './output-buffer.ts';
import { TerminalScreen } from './terminal-screen.ts';

/** @param replaced characters at the end of what was told so far that the text takes the place of */
export type OnText = (text: string, replaced: number) => void;

// ESC or C1 introducers: CSI with parameters, OSC and other strings up to their terminator, two-character escapes.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const ESCAPES = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-OQ-WYZ\\`-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const UNFINISHED = /(?:\x1b(?:\[[0-?]*[ -/]*|[\]P^_X][^\x07\x1b]*\x1b?|[ -/]*)|\x9b[0-?]*[ -/]*|\r+)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
/** Goes back over what stands there: a carriage return, a backspace, a cursor that moves, an erasure. Not colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the subject
const REDRAWS = /\r(?![\r\n])|[\x08\x0b\x0c]|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@A-HJ-MPSTXZ`a-gr-u]|\x1b[78DEMc]/;

/** The longest escape that is waited for; what claims to be longer is shown as it is. */
const LONGEST_ESCAPE = 4096;
/** Characters that may wait for the terminal before the command has to. */
const MOST_WAITING = 256 * 1024;
/** Characters of the output before the first redraw that may still be drawn over. */
const REACH = 50_000;

export class TerminalText {
  readonly #tell: OnText;
  /** An escape, or a carriage return, whose end has not come. */
  #waiting = '';
  /** The end of what was told, as far as a redraw may reach. */
  readonly #recent = new RollingBuffer(REACH);
  #screen: TerminalScreen | undefined;
  #toDraw = '';
  #drawing: Promise<void> | undefined;

  constructor(tell: OnText) {
    this.#tell = tell;
  }

  /** @returns while it is not settled, nothing more should be written */
  write(text: string): Promise<void> | undefined {
    const all = this.#waiting + text;
    const open = UNFINISHED.exec(all.slice(-LONGEST_ESCAPE))?.[0] ?? '';
    this.#waiting = open;
    return this.#take(open === '' ? all : all.slice(0, -open.length));
  }

  /** Resolves when what was written until now has been told, but for an escape whose end has not come. */
  async settled(): Promise<void> {
    await this.#drawing;
  }

  /** Resolves when all has been told. */
  async end(): Promise<void> {
    const last = this.#waiting;
    this.#waiting = '';
    this.#take(last);
    await this.#drawing;
    this.#screen?.dispose();
  }

  #take(text: string): Promise<void> | undefined {
    if (text === '') return undefined;
    if (this.#drawing === undefined && this.#screen === undefined) {
      const at = text.search(REDRAWS);
      if (at === -1) return this.#plain(text);
      this.#plain(text.slice(0, at));
      this.#toDraw = text.slice(at);
    } else this.#toDraw += text;
    this.#drawing ??= this.#draw().finally(() => {
      this.#drawing = undefined;
    });
    return this.#toDraw.length > MOST_WAITING ? this.#drawing : undefined;
  }

  #plain(text: string): undefined {
    this.#told(text.replace(ESCAPES, '').replace(/\r+\n/g, '\n').replaceAll('\r', '').replace(CONTROLS, ''), 0);
  }

  #told(text: string, replaced: number): void {
    if (text === '' && replaced === 0) return;
    this.#recent.append(text, replaced);
    this.#tell(text, replaced);
  }

  async #draw(): Promise<void> {
    while (this.#toDraw !== '') {
      const text = this.#toDraw;
      this.#toDraw = '';
      this.#screen ??= await TerminalScreen.open(this.#recent.text());
      if (this.#screen.isAtEnd && !REDRAWS.test(text)) {
        // The bar is over: plain output does not need the terminal, which is slower.
        this.#screen.dispose();
        this.#screen = undefined;
        this.#plain(text);
      } else await this.#screen.draw(text, (redraw) => this.#told(redraw.text, redraw.replaced));
    }
  }
}
