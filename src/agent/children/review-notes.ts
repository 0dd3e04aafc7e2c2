/**
 * The file that a review writes to: short notes about the project, one a line, the oldest dropped first.
 */

import { maskSecrets, resolveInside } from '../safety/index.ts';
import { isReadable, readTextFile, writeAtomically } from '../tools/index.ts';
import type { EditorPort } from '../tools/types.ts';

const PATH = '.midcourse/notes.md';
const HEADING = '# Notes about this project';
const MOST_LINES = 200;
const MOST_BYTES = 16 * 1024;

export class ReviewNotes {
  readonly #folder: string;
  readonly #editor: EditorPort;
  /** One after the other: each note is read, changed and written as a whole. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param folder absolute real path of the workspace folder */
  constructor(folder: string, editor: EditorPort) {
    this.#folder = folder;
    this.#editor = editor;
  }

  /** What is noted, or nothing when there is no such file or it cannot be read. Never rejects. */
  async text(): Promise<string> {
    const found = await this.#find();
    return 'path' in found ? found.text : '';
  }

  /**
   * Adds one line; a note that is there already is not repeated. The file is made when it is missing.
   *
   * @returns what became of it, in words for the model
   * @throws (rejects) a system error when it cannot be written
   */
  add(note: string, signal: AbortSignal): Promise<{ readonly added: boolean; readonly words: string }> {
    const adding = this.#last.then(() => this.#add(note, signal));
    this.#last = adding.catch(() => undefined);
    return adding;
  }

  async #add(note: string, signal: AbortSignal): Promise<{ added: boolean; words: string }> {
    const found = await this.#find();
    if (!('path' in found)) return { added: false, words: found.why };
    const line = `- ${maskSecrets(note.replace(/\s+/g, ' ').trim())}`;
    if (found.text.split(/\r?\n/).includes(line)) return { added: false, words: 'This is noted already.' };
    if (signal.aborted) return { added: false, words: 'Stopped before it was noted.' };
    await writeAtomically(found.path, Buffer.from(withLine(found.text, line)));
    return { added: true, words: 'Noted.' };
  }

  async #find(): Promise<{ readonly path: string; readonly text: string } | { readonly why: string }> {
    const found = await resolveInside(PATH, [this.#folder]);
    if (!found.ok) return { why: found.why };
    if (this.#editor.unsaved(found.path) !== undefined)
      return { why: 'The user is editing the notes; nothing is noted.' };
    const file = await readTextFile(found.path);
    if (isReadable(file)) {
      return file.faithful ? { path: found.path, text: file.text } : { why: 'The notes are not valid UTF-8.' };
    }
    return file.reason === 'missing' ? { path: found.path, text: '' } : { why: file.why };
  }
}

/** Lines are dropped from the top, below the heading, until it is short enough. */
function withLine(text: string, line: string): string {
  const lines = text.trimEnd() === '' ? [HEADING, ''] : text.trimEnd().split(/\r?\n/);
  lines.push(line);
  const top = lines[0]?.startsWith('#') ? 1 : 0;
  while (lines.length > top + 1 && (lines.length > MOST_LINES || bytes(lines) > MOST_BYTES)) lines.splice(top, 1);
  return `${lines.join('\n')}\n`;
}

function bytes(lines: readonly string[]): number {
  return Buffer.byteLength(lines.join('\n')) + 1;
}
