/**
 * Characters that a person cannot see and a model reads: in files that instruct they are removed. What writing needs
 * stays: the joiners of emoji and of Arabic and Indic scripts, the tags of flags, the marks of right-to-left text.
 */

/** @returns the text without them, and how many there were */
export function withoutHidden(text: string): { readonly text: string; readonly hidden: number } {
  if (!HIDDEN.test(text)) return { text, hidden: 0 };
  const isRightToLeft = RIGHT_TO_LEFT.test(text);
  const kept: string[] = [];
  let hidden = 0;
  const characters = [...text];
  for (const [at, character] of characters.entries()) {
    if (!HIDDEN.test(character) || (at === 0 && character === '\ufeff') || isNeeded(characters, at, isRightToLeft)) {
      kept.push(character);
    } else hidden++;
  }
  return { text: kept.join(''), hidden };
}

/**
 * Soft hyphen, combining grapheme joiner, Arabic letter mark, fillers, vowel separators, zero-width and direction marks,
 * invisible operators, variation selectors, byte-order mark, tags. Without the flag `g`, so that `test` keeps no place.
 */
const HIDDEN =
  /\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u00ad\u061c\u115f\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e0fff}]/u;

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const PICTURE = /\u20e3|\ufe0f|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]/u;
const MAY_VARY = /[\p{Extended_Pictographic}\p{Emoji_Modifier}0-9#*\p{Script=Han}\p{Script=Mongolian}\p{Sm}\p{So}]/u;
const JOINS =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Syriac}\p{Script=Mongolian}]/u;

function isNeeded(characters: readonly string[], at: number, isRightToLeft: boolean): boolean {
  const character = characters[at] ?? '';
  const before = characters[at - 1] ?? '';
  const after = characters[at + 1] ?? '';
  if (character === '\u200d') {
    return (PICTURE.test(before) && PICTURE.test(after)) || (JOINS.test(before) && /[\p{L}\p{M}]/u.test(after));
  }
  if (character === '\u200c') return JOINS.test(before) && /\p{L}/u.test(after);
  if (/[\ufe00-\ufe0f]/u.test(character)) return MAY_VARY.test(before);
  if (/[\u200e\u200f\u061c]/u.test(character)) return isRightToLeft;
  if (/[\u{e0020}-\u{e007f}]/u.test(character)) return isInFlag(characters, at);
  return /[\u180b-\u180f]/u.test(character) && JOINS.test(before);
}

/** Tags spell the region behind a black flag; the longest that exists has six and an end. */
function isInFlag(characters: readonly string[], at: number): boolean {
  for (let back = 1; back <= 7; back++) {
    const character = characters[at - back] ?? '';
    if (character === '\u{1f3f4}') return true;
    if (!/[\u{e0020}-\u{e007e}]/u.test(character)) return false;
  }
  return false;
}
