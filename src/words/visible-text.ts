/**
 * Text of others (models, servers, files) as a person can read it: what would be invisible, turn the direction of
 * reading, move the cursor or pass for another letter becomes a mark such as `⟨U+202E⟩`, and is never rendered.
 *
 * Pure; used by the page and by the host. Line feeds and tabs stay, and so do emoji with their joiners.
 */

import { looksLikeAnother } from './look-alikes.ts';

/** A stretch of the text. `start` and `end` are UTF-16 offsets of what was given. */
export type VisiblePart =
  | { readonly kind: 'text'; readonly start: number; readonly end: number; readonly text: string }
  | CharacterMark
  | {
      readonly kind: 'fold';
      readonly start: number;
      readonly end: number;
      readonly of: 'lines' | 'blanks';
      readonly count: number;
    };

/** One character that is shown by its number. */
export interface CharacterMark {
  readonly kind: 'mark';
  readonly start: number;
  readonly end: number;
  /** `⟨U+202E⟩` */
  readonly shown: string;
  /** `U+202E right-to-left override`; the names are Unicode's. */
  readonly name: string;
}

export interface VisibleText {
  readonly parts: readonly VisiblePart[];
  /** How many characters are shown as marks. */
  readonly marks: number;
}

interface VisibleOptions {
  /** The text has one line: line feeds and tabs are marked as well. */
  readonly oneLine?: boolean;
  /** Long runs of line breaks and of blanks, which push what follows out of sight, become a part that counts them. */
  readonly fold?: boolean;
}

/** Line breaks, blank lines between them included, from which on a run is folded. */
const foldedLines = 4;
/** Blanks from which on a run is folded: inside a line, and at its beginning, where code is indented. */
const foldedBlanks = 16;
const foldedIndent = 40;

export function visibleParts(text: string, { oneLine = false, fold = false }: VisibleOptions = {}): VisibleText {
  const found = [...marksOf(text, oneLine), ...(fold && !oneLine ? foldsOf(text) : [])].sort(
    (a, b) => a.start - b.start,
  );
  const parts: VisiblePart[] = [];
  let at = 0;
  for (const part of found) {
    if (part.start > at) parts.push({ kind: 'text', start: at, end: part.start, text: text.slice(at, part.start) });
    parts.push(part);
    at = part.end;
  }
  if (at < text.length) parts.push({ kind: 'text', start: at, end: text.length, text: text.slice(at) });
  return { parts, marks: parts.filter(({ kind }) => kind === 'mark').length };
}

/** The same as one string, for places that hold nothing but text. */
export function visibleText(text: string, options: Pick<VisibleOptions, 'oneLine'> = {}): string {
  return visibleParts(text, options)
    .parts.map((part) => (part.kind === 'mark' ? part.shown : text.slice(part.start, part.end)))
    .join('');
}

/** For names, paths and labels. */
export function visibleLine(text: string): string {
  return visibleText(text, { oneLine: true });
}

/** Nearly every text is plain, and costs no more than this test. */
const plain = /^[ -~\n\t]*$/;

/** Controls, formats, separators, private and unassigned ones, blanks other than the space, and what renders as nothing. */
const unseen =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<![\p{L}\p{N}\p{M}\p{Extended_Pictographic}])\p{M}/gu;

const regionFlags = ['gbeng', 'gbsct', 'gbwls'].map((region) =>
  String.fromCodePoint(0x1f3f4, ...[...region].map((letter) => 0xe0000 + letter.charCodeAt(0)), 0xe007f),
);
const one = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?`;
/** Sequences whose joiners and selectors are part of one visible sign. */
// biome-ignore lint/plugin: made of the constants above.
const emoji = new RegExp(String.raw`${regionFlags.join('|')}|${one}(?:\u200d${one})*|[0-9#*]\ufe0f\u20e3`, 'gu');

function marksOf(text: string, oneLine: boolean): readonly CharacterMark[] {
  if (plain.test(text)) return oneLine ? characters(text, /[\n\t]/g) : [];
  const inEmoji = new Set<number>();
  for (const { 0: sign, index } of text.matchAll(emoji)) {
    for (let at = index; at < index + sign.length; at++) inEmoji.add(at);
  }
  const stays = ({ start }: CharacterMark) => inEmoji.has(start) || (!oneLine && /[\n\t]/.test(text.charAt(start)));
  const hidden = characters(text, unseen).filter((found) => !stays(found));
  const places = new Set(hidden.map(({ start }) => start));
  const alike = looksLikeAnother(text)
    .filter(({ start }) => !places.has(start))
    .map(({ start, end, name }) => mark(text, start, end, name));
  return [...hidden, ...alike];
}

function characters(text: string, pattern: RegExp): readonly CharacterMark[] {
  return [...text.matchAll(pattern)].map((match) => mark(text, match.index, match.index + match[0].length));
}

function mark(text: string, start: number, end: number, name?: string): CharacterMark {
  const code = text.codePointAt(start) ?? 0;
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const called = name ?? nameOf(code);
  return { kind: 'mark', start, end, shown: `⟨${number}⟩`, name: called === '' ? number : `${number} ${called}` };
}

function foldsOf(text: string): readonly VisiblePart[] {
  const folds: VisiblePart[] = [];
  for (const { 0: run, index } of text.matchAll(/\n[\n\t ]*\n|[\t ]{16,}/g)) {
    const lines = run.split('\n').length - 1;
    if (lines === 0) {
      const atLineStart = index === 0 || text[index - 1] === '\n';
      if (run.length < (atLineStart ? foldedIndent : foldedBlanks)) continue;
      folds.push({ kind: 'fold', start: index, end: index + run.length, of: 'blanks', count: run.length });
    } else if (lines >= foldedLines) {
      folds.push({ kind: 'fold', start: index, end: index + run.length, of: 'lines', count: lines });
    }
  }
  return folds;
}

function nameOf(code: number): string {
  const name = names.get(code);
  if (name !== undefined) return name;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return 'control character';
  if (code >= 0xd800 && code <= 0xdfff) return 'half of a character';
  if (code >= 0xe0000 && code <= 0xe007f) return 'tag character';
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return 'variation selector';
  const character = String.fromCodePoint(code);
  if (/\p{Zs}/u.test(character)) return 'space';
  if (/\p{M}/u.test(character)) return 'combining mark';
  return /\p{Co}/u.test(character) ? 'private use' : '';
}

const names: ReadonlyMap<number, string> = new Map([
  [0x00, 'null'],
  [0x07, 'bell'],
  [0x08, 'backspace'],
  [0x09, 'tab'],
  [0x0a, 'line feed'],
  [0x0b, 'line tabulation'],
  [0x0c, 'form feed'],
  [0x0d, 'carriage return'],
  [0x1b, 'escape'],
  [0x7f, 'delete'],
  [0x85, 'next line'],
  [0x9b, 'control sequence introducer'],
  [0xa0, 'no-break space'],
  [0xad, 'soft hyphen'],
  [0x34f, 'combining grapheme joiner'],
  [0x61c, 'arabic letter mark'],
  [0x115f, 'hangul choseong filler'],
  [0x180e, 'mongolian vowel separator'],
  [0x200b, 'zero width space'],
  [0x200c, 'zero width non-joiner'],
  [0x200d, 'zero width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x2028, 'line separator'],
  [0x2029, 'paragraph separator'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'pop directional formatting'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x2060, 'word joiner'],
  [0x2061, 'function application'],
  [0x2062, 'invisible times'],
  [0x2063, 'invisible separator'],
  [0x2064, 'invisible plus'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first strong isolate'],
  [0x2069, 'pop directional isolate'],
  [0x2800, 'braille pattern blank'],
  [0x3000, 'ideographic space'],
  [0x3164, 'hangul filler'],
  [0xfeff, 'zero width no-break space'],
  [0xffa0, 'halfwidth hangul filler'],
]);
