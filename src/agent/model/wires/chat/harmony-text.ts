/**
 * gpt-oss behind a server that does not read its format: `<|channel|>analysis<|message|>…<|end|><|start|>assistant…`
 * (https://cookbook.openai.com/articles/openai-harmony). Only an answer that begins so is read so.
 */

import type { Piece } from './think-tags.ts';
import type { WrittenCall } from './written-calls.ts';

const TOKEN = /<\|(start|end|message|channel|constrain|return|call)\|>/;
const LONGEST_TOKEN = '<|constrain|>'.length;

export class HarmonyText {
  #mode: 'unknown' | 'plain' | 'header' | 'message' = 'unknown';
  #held = '';
  #header = '';
  #arguments = '';
  readonly #calls: WrittenCall[] = [];

  push(text: string): readonly Piece[] {
    if (this.#mode === 'plain') return [{ type: 'text', text }];
    this.#held += text;
    if (this.#mode === 'unknown') {
      const start = this.#held.trimStart();
      if (/^<\|(channel|start)\|>/.test(start)) this.#mode = 'header';
      else if (start === '' || '<|channel|>'.startsWith(start) || '<|start|>'.startsWith(start)) return [];
      else return this.#plain();
    }
    const pieces: Piece[] = [];
    for (let token = TOKEN.exec(this.#held); token; token = TOKEN.exec(this.#held)) {
      this.#take(this.#held.slice(0, token.index), pieces);
      this.#held = this.#held.slice(token.index + token[0].length);
      this.#token(token[1] ?? '');
    }
    // The end may be the beginning of a token.
    const open = this.#held.lastIndexOf('<');
    const sure = open >= 0 && this.#held.length - open < LONGEST_TOKEN ? open : this.#held.length;
    this.#take(this.#held.slice(0, sure), pieces);
    this.#held = this.#held.slice(sure);
    return pieces;
  }

  flush(): { readonly pieces: readonly Piece[]; readonly calls: readonly WrittenCall[] } {
    if (this.#mode === 'unknown') return { pieces: this.#plain(), calls: [] };
    const pieces: Piece[] = [];
    this.#take(this.#held, pieces);
    this.#held = '';
    this.#closeCall();
    const calls = [...this.#calls];
    this.#calls.length = 0;
    return { pieces, calls };
  }

  #plain(): readonly Piece[] {
    const text = this.#held;
    this.#mode = 'plain';
    this.#held = '';
    return text === '' ? [] : [{ type: 'text', text }];
  }

  #token(name: string): void {
    if (name === 'message') this.#mode = 'message';
    else if (name === 'channel' || name === 'constrain') {
      if (this.#mode !== 'header') this.#header = '';
      this.#mode = 'header';
      this.#header += ' ';
    } else {
      this.#closeCall();
      this.#mode = 'header';
      this.#header = '';
    }
  }

  #take(text: string, pieces: Piece[]): void {
    if (text === '') return;
    if (this.#mode === 'header') this.#header += text;
    else if (this.#callee !== undefined) this.#arguments += text;
    else pieces.push({ type: /\banalysis\b/.test(this.#header) ? 'reasoning' : 'text', text });
  }

  get #callee(): string | undefined {
    return /\bto=functions\.([\w-]+)/.exec(this.#header)?.[1];
  }

  #closeCall(): void {
    const name = this.#callee;
    if (name !== undefined && this.#arguments.trim() !== '')
      this.#calls.push({ name, arguments: this.#arguments.trim() });
    this.#arguments = '';
  }
}
