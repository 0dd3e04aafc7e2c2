/** Titles of sessions: where they come from and which one wins. */

import type { StoredSession } from './types.ts';

type TitleSource = StoredSession['titleSource'];

const LONGEST = 48;

const RANK: Readonly<Record<TitleSource, number>> = { derived: 0, model: 1, user: 2 };

/** A user's title replaces any; an automatic one only a title of lower rank (derived < model < user). */
export function mayReplaceTitle(current: TitleSource, next: TitleSource): boolean {
  return next === 'user' || RANK[next] > RANK[current];
}

/**
 * A title from the first thing the user said: one line of at most 48 characters, cut between words, without markup in
 * front and without punctuation at its end. Undefined when the text has no words.
 */
export function deriveTitle(text: string): string | undefined {
  for (const line of text.toWellFormed().split(/\r\n|[\n\r\u2028\u2029]/)) {
    const title = cut(withoutMarkup(line));
    if (/[\p{L}\p{N}]/u.test(title)) return title;
  }
  return undefined;
}

function withoutMarkup(line: string): string {
  return (
    line
      .replace(/^\s*(?:```\S*|[#>*+-]+(?=\s)|\d+[.)](?=\s))\s*/, '')
      .replace(/\s+/g, ' ')
      // Control characters and those that turn the direction of the text around.
      .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
      .trim()
  );
}

function cut(line: string): string {
  return withoutEndPunctuation(line.length <= LONGEST ? line : shorten(line));
}

function shorten(line: string): string {
  let short = '';
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (short.length + segment.length > LONGEST) break;
    short += segment;
  }
  const cutsAWord = /\S/.test(line.charAt(short.length)) && /\S$/.test(short);
  const lastSpace = short.lastIndexOf(' ');
  // A first "word" that fills the line (a path, a language without spaces) is cut where it is.
  return cutsAWord && lastSpace > LONGEST / 2 ? short.slice(0, lastSpace) : short;
}

function withoutEndPunctuation(text: string): string {
  return text.replace(/(?<![\s.,;:!?…。、，；：！？–—-])[\s.,;:!?…。、，；：！？–—-]+$/u, '');
}
