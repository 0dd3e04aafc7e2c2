/**
 * Cuts streamed markdown into top-level blocks, line by line, in one pass over the text.
 *
 * A block that is finished never changes again, whatever comes after it; only the last one, the tail, may grow. The cut
 * is where CommonMark would start a new top-level block anyway, so that each block can be rendered alone.
 */

export interface Block {
  readonly kind: 'prose' | 'code';
  readonly text: string;
}

export interface Tail extends Block {
  /** Counts the blocks before it. */
  readonly index: number;
}

type Open = 'nothing' | 'prose' | 'list' | 'code';

interface Fence {
  readonly mark: string;
  readonly length: number;
}

/** A list that grows beyond this many characters is cut at its next item, so that the tail stays small. */
const longList = 4_000;

export class BlockSplitter {
  #text = '';
  /** Where the open block begins. */
  #start = 0;
  /** The first character of the line that was not looked at yet. */
  #line = 0;
  #open: Open = 'nothing';
  #afterBlank = false;
  #fence: Fence | undefined;
  #count = 0;

  /** `text` is everything so far; it must begin with what was given before. Returns the blocks that are finished by it. */
  push(text: string): readonly Block[] {
    this.#text = text;
    const finished: Block[] = [];
    for (let end = text.indexOf('\n', this.#line); end >= 0; end = text.indexOf('\n', this.#line)) {
      this.#take(text.slice(this.#line, end), end + 1, finished);
      this.#line = end + 1;
    }
    return finished;
  }

  tail(): Tail {
    return { index: this.#count, kind: this.#open === 'code' ? 'code' : 'prose', text: this.#text.slice(this.#start) };
  }

  #take(line: string, next: number, finished: Block[]): void {
    if (this.#fence) {
      if (closes(this.#fence, line)) {
        this.#fence = undefined;
        if (this.#open === 'code') this.#finish(next, finished);
      }
      return;
    }
    if (line.trim() === '') {
      this.#afterBlank = true;
      return;
    }
    if (this.#startsBlock(line)) this.#finish(this.#line, finished);
    this.#afterBlank = false;
    const fence = opens(line);
    if (fence) this.#fence = fence;
    if (this.#open === 'nothing') {
      this.#open = fence && !/^\s/.test(line) ? 'code' : isItem(line) ? 'list' : 'prose';
      if (isHeading(line)) this.#finish(next, finished);
    }
  }

  /** True when `line` cannot belong to the open block. */
  #startsBlock(line: string): boolean {
    switch (this.#open) {
      case 'nothing':
      case 'code':
        return false;
      case 'list':
        if (/^\s/.test(line)) return false;
        if (isItem(line)) return this.#line - this.#start > longList;
        return this.#afterBlank || opens(line) !== undefined || isHeading(line);
      case 'prose':
        if (this.#afterBlank) return !/^(?: {4}|\t)/.test(line) || !/^(?: {4}|\t)/.test(this.#text.slice(this.#start));
        return !/^\s/.test(line) && (opens(line) !== undefined || isHeading(line));
      default:
        return this.#open satisfies never;
    }
  }

  #finish(end: number, finished: Block[]): void {
    if (end > this.#start) {
      finished.push({ kind: this.#open === 'code' ? 'code' : 'prose', text: this.#text.slice(this.#start, end) });
      this.#count++;
    }
    this.#start = end;
    this.#open = 'nothing';
    this.#afterBlank = false;
  }
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
  const firstEnd = block.indexOf('\n');
  const info = (firstEnd < 0 ? block : block.slice(0, firstEnd)).replace(/^[`~]+/, '').trim();
  if (firstEnd < 0) return { language: info, code: '' };
  const body = block.slice(firstEnd + 1);
  const fence = opens(block.slice(0, firstEnd));
  const lastStart = body.trimEnd().lastIndexOf('\n') + 1;
  const lastLine = body.slice(lastStart).trimEnd();
  const code = fence && closes(fence, lastLine) ? body.slice(0, lastStart) : body;
  return { language: info.split(/[\s{]/)[0] ?? '', code: code.replace(/\n$/, '') };
}

function opens(line: string): Fence | undefined {
  const match = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(`{3,}(?=[^`]*$)|~{3,})/.exec(line);
  const mark = match?.[1];
  return mark === undefined ? undefined : { mark: mark.charAt(0), length: mark.length };
}

function closes(fence: Fence, line: string): boolean {
  const mark = line.trim();
  return mark.length >= fence.length && mark === fence.mark.repeat(mark.length);
}

function isItem(line: string): boolean {
  return /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(line) && !/^([-*])(?:\s*\1){2,}\s*$/.test(line);
}

function isHeading(line: string): boolean {
  return /^ {0,3}#{1,6}(?:\s|$)/.test(line);
}
