/**
 * Letters and signs that pass for ASCII: of another script inside a Latin word, whole words made of such letters, and
 * forms of ASCII characters that another program reads as something else.
 */

interface LookAlike {
  readonly start: number;
  readonly end: number;
  /** `Cyrillic letter that looks like a` */
  readonly name: string;
}

export function looksLikeAnother(text: string): readonly LookAlike[] {
  return [...lettersOfOtherScripts(text), ...otherForms(text)].sort((a, b) => a.start - b.start);
}

/** Scripts that have letters which look Latin. Han, Kana and Hangul stand beside Latin in honest words. */
const scripts = [
  'Cyrillic',
  'Greek',
  'Armenian',
  'Cherokee',
  'Coptic',
  'Lisu',
  'Deseret',
  'Georgian',
  'Hebrew',
  'Arabic',
] as const;
type Script = (typeof scripts)[number];
const ofScript: readonly (readonly [Script, RegExp])[] = scripts.map((name) => [
  name,
  // biome-ignore lint/plugin: the names above alone.
  new RegExp(`\\p{Script=${name}}`, 'u'),
]);

const latinTwins: Readonly<Partial<Record<Script, string>>> = {
  Cyrillic: 'аaсcеeоoрpхxуyіiјjѕsһhԁdԛqԝwӏlѵvАAВBСCЕEНHІIЈJКKМMОOРPЅSТTХXУYԌGԚQԜW',
  Greek: 'οoνvιiαaρpτtυuκkγyΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXϲcϳj',
  Armenian: 'օoսuհhոnզqցgՏSՕOԼLՍU',
};
const twins = new Map(
  Object.values(latinTwins).flatMap((pairs) => {
    const letters = [...pairs];
    return letters.flatMap((letter, at) => (at % 2 === 0 ? [[letter, letters[at + 1] ?? ''] as const] : []));
  }),
);

function lettersOfOtherScripts(text: string): readonly LookAlike[] {
  const words = [...text.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)].filter(([word]) => /[^\0-\x7f]/.test(word));
  // A language that is really written here has words which no Latin letters could pass for; its short words are honest.
  const written = new Set(words.flatMap(([word]) => (isMixed(word) ? [] : honestScript(word))));
  return words.flatMap(({ 0: word, index }) => {
    const foreign = lettersOf(word, index);
    if (foreign.length === 0) return [];
    if (isMixed(word)) return foreign.map(named);
    const passes = foreign.length === [...word].length && foreign.every(({ letter }) => twins.has(letter));
    const isShortWord = foreign.length === 1 && foreign.every(({ script }) => written.has(script));
    return passes && !isShortWord ? foreign.map(named) : [];
  });
}

interface Foreign {
  readonly letter: string;
  readonly script: Script;
  readonly start: number;
}

function lettersOf(word: string, offset: number): readonly Foreign[] {
  const found: Foreign[] = [];
  let start = offset;
  for (const letter of word) {
    const script = scriptOf(letter);
    if (script !== undefined) found.push({ letter, script, start });
    start += letter.length;
  }
  return found;
}

function scriptOf(letter: string): Script | undefined {
  if (letter.charCodeAt(0) < 0x80 || !/\p{L}/u.test(letter)) return undefined;
  return ofScript.find(([, pattern]) => pattern.test(letter))?.[0];
}

function isMixed(word: string): boolean {
  const found = new Set(lettersOf(word, 0).map(({ script }) => script));
  return found.size > 1 || (found.size === 1 && /\p{Script=Latin}/u.test(word));
}

function honestScript(word: string): readonly Script[] {
  const letters = lettersOf(word, 0);
  return letters.some(({ letter }) => !twins.has(letter)) ? letters.map(({ script }) => script) : [];
}

function named({ letter, script, start }: Foreign): LookAlike {
  const twin = twins.get(letter);
  const name = twin === undefined ? `${script} letter` : `${script} letter that looks like ${twin}`;
  return { start, end: start + letter.length, name };
}

/** Mathematical and letter-like alphabets, ligatures, Roman numerals, and signs that pass for `; / : - . \ | ! `` ` ``. */
const forms =
  /[\u{1d400}-\u{1d7ff}\u2100-\u2121\u2123-\u214f\u2160-\u217f\ufb00-\ufb06\ufe50-\ufe6f\u037e\u1fef\u02d7\u2010\u2011\u2212\u2024\u2044\u2215\u2216\u2223\u2236\ua789\u05c3\u29f5\u29f8\u01c3]/gu;
/** Full-width ASCII, which is ordinary beside Han, Kana and Hangul. */
const wide = /[\uff01-\uff5e]/g;
const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

const signTwins: ReadonlyMap<string, string> = new Map([
  ['\u02d7', '-'],
  ['\u2010', '-'],
  ['\u2011', '-'],
  ['\u2212', '-'],
  ['\u2044', '/'],
  ['\u2215', '/'],
  ['\u29f8', '/'],
  ['\u2216', '\\'],
  ['\u29f5', '\\'],
  ['\u2223', '|'],
  ['\u2236', ':'],
  ['\ua789', ':'],
  ['\u05c3', ':'],
  ['\u01c3', '!'],
]);

function otherForms(text: string): readonly LookAlike[] {
  const found = [...text.matchAll(forms), ...(eastAsian.test(text) ? [] : text.matchAll(wide))];
  return found.flatMap(({ 0: character, index }) => {
    const twin = signTwins.get(character) ?? character.normalize('NFKC');
    if (!/^[!-~]+$/.test(twin)) return [];
    return [{ start: index, end: index + character.length, name: `character that looks like ${twin}` }];
  });
}
