/**
 * Cuts streamed markdown into top-level blocks.
 *
 * A block that is finished never changes again, whatever comes after it; only the last one, the tail, may grow. Where a
 * block begins is asked of the renderer's own parser: a second opinion about that is wrong for some document.
 */

import { blockTokens, languageOf } from './render.ts';

export interface Block {
  readonly kind: 'prose' | 'code';
  readonly text: string;
}

export interface Tail extends Block {
  /** Counts the blocks before it. */
  readonly index: number;
}

interface Fence {
  readonly mark: string;
  readonly length: number;
}

/** A list that grows beyond this many characters is cut at its next item, so that the tail stays small. */
const longList = 4_000;

export class BlockSplitter {
  #text = '';
  /** Where the open block begins, after blank lines or with them. */
  #start = 0;
  /** The end of the last whole line that was looked at. */
  #seen = 0;
  /** The open block, when it is code whose end has not come. */
  #fence: Fence | undefined;
  #count = 0;

  /**
   * `text` is everything so far, with line feeds alone as line ends; it must begin with what was given before. Returns
   * the blocks that are finished by it.
   */
  push(text: string): readonly Block[] {
    this.#text = text;
    const finished: Block[] = [];
    const end = text.lastIndexOf('\n') + 1;
    while (this.#seen < end) {
      if (this.#fence) this.#readCode(this.#fence, end, finished);
      else this.#readBlocks(end, finished);
    }
    return finished;
  }

  tail(): Tail {
    return { index: this.#count, kind: this.#fence ? 'code' : 'prose', text: this.#text.slice(this.#start) };
  }

  #readCode(fence: Fence, end: number, finished: Block[]): void {
    while (this.#seen < end) {
      const next = this.#text.indexOf('\n', this.#seen) + 1;
      const line = this.#text.slice(this.#seen, next - 1);
      this.#seen = next;
      if (!closes(fence, line)) continue;
      this.#finish(next, finished);
      return;
    }
  }

  #readBlocks(end: number, finished: Block[]): void {
    this.#seen = end;
    for (const start of topLevelStarts(this.#text.slice(this.#start, end), this.#start)) {
      if (start.at > this.#start && !this.#isBlankUntil(start.at)) this.#finish(start.at, finished);
      if (!start.mayBeCode) continue;
      const next = this.#text.indexOf('\n', start.at) + 1;
      this.#fence = opens(this.#text.slice(start.at, next - 1));
      if (!this.#fence) continue;
      this.#seen = next;
      return;
    }
  }

  #isBlankUntil(at: number): boolean {
    return this.#text.slice(this.#start, at).trim() === '';
  }

  #finish(end: number, finished: Block[]): void {
    finished.push({ kind: this.#fence ? 'code' : 'prose', text: this.#text.slice(this.#start, end) });
    this.#count++;
    this.#start = end;
    this.#fence = undefined;
  }
}

interface BlockStart {
  readonly at: number;
  readonly mayBeCode: boolean;
}

/** Where the top-level blocks of `text` begin, and the items at which a long list is cut. @param offset added to each */
function topLevelStarts(text: string, offset: number): readonly BlockStart[] {
  const lines = lineStarts(text);
  const starts: BlockStart[] = [];
  for (const { level, map, type } of blockTokens(text)) {
    if (!map) continue;
    const at = (lines[map[0]] ?? 0) + offset;
    const cutsList = level === 1 && type === 'list_item_open' && at - (starts.at(-1)?.at ?? at) > longList;
    if (level === 0 || cutsList) starts.push({ at, mayBeCode: type === 'fence' });
  }
  return starts;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

/** All blocks of a text that is complete. */
export function splitBlocks(text: string): readonly Block[] {
  const splitter = new BlockSplitter();
  const finished = splitter.push(text);
  const tail = splitter.tail();
  return tail.text.trim() === '' ? finished : [...finished, { kind: tail.kind, text: tail.text }];
}

/** The language word and the content of a code block, closed or still growing. */
export function codeOf(block: string): { readonly language: string; readonly code: string } {
  const text = block.replace(/^(?:[^\S\n]*\n)+/, '');
  const firstEnd = text.indexOf('\n');
  const first = firstEnd < 0 ? text : text.slice(0, firstEnd);
  const fence = opens(first);
  const language = languageOf(first.slice(fence?.length ?? 0));
  if (firstEnd < 0) return { language, code: '' };
  const body = text.slice(firstEnd + 1);
  const lastStart = body.trimEnd().lastIndexOf('\n') + 1;
  const code = fence && closes(fence, body.slice(lastStart).replace(/\n+$/, '')) ? body.slice(0, lastStart) : body;
  return { language, code: code.replace(/\n$/, '') };
}

/** A fence that is not indented; the content of an indented one is not its text as it stands. */
function opens(line: string): Fence | undefined {
  const mark = /^(?:`{3,}|~{3,})/.exec(line)?.[0];
  return mark === undefined ? undefined : { mark: mark.charAt(0), length: mark.length };
}

function closes(fence: Fence, line: string): boolean {
  const mark = /^ {0,3}(`+|~+)[ \t]*$/.exec(line)?.[1] ?? '';
  return mark.length >= fence.length && mark.startsWith(fence.mark);
}
