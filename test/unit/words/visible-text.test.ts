import assert from 'node:assert/strict';
import fc from 'fast-check';
import { visibleLine, visibleParts, visibleText } from '../../../src/words/visible-text.ts';

const invisible: readonly (readonly [string, string])[] = [
  ['a null', '\0'],
  ['an escape of a terminal', '\x1b[2K\x1b]0;title\x07'],
  ['the 8-bit form of one', '\u009b2K'],
  ['a carriage return', 'rm -rf x\rls'],
  ['backspaces', 'rm\b\bls'],
  ['a form feed and a vertical tab', '\f\v'],
  ['delete', '\x7f'],
  ['bidi embeddings and overrides', '\u202a\u202b\u202c\u202d\u202e'],
  ['bidi isolates', '\u2066\u2067\u2068\u2069'],
  ['bidi marks', '\u200e\u200f\u061c'],
  ['zero-width characters', 'a\u200bb\u200cc\u200d\u2060\ufeff'],
  ['invisible operators', '\u2061\u2062\u2063\u2064'],
  ['deprecated formats', '\u206a\u206f'],
  ['a soft hyphen and a grapheme joiner', '\u00ad\u034f'],
  ['Hangul fillers', '\u115f\u1160\u3164\uffa0'],
  ['Mongolian and Khmer ones', '\u180b\u180e\u17b4'],
  ['variation selectors outside of emoji', 'a\ufe0fb\ufe00\u{e0100}'],
  ['tag characters', '\u{e0001}\u{e0068}\u{e0069}\u{e007f}'],
  ['musical and shorthand formats', '\u{1d173}\u{1bca0}'],
  ['line and paragraph separators', '\u2028\u2029\u0085'],
  ['unusual spaces', '\u00a0\u1680\u2000\u2003\u200a\u202f\u205f\u3000\u2800'],
  ['private use', '\ue000\u{f0000}'],
  ['halves of characters', '\ud800x\udc00'],
  ['interlinear annotations and the object replacement', '\ufff9\ufffb'],
  ['combining marks on nothing', '-\u0338/\u20dd'],
];

const seen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

describe('text made visible', () => {
  for (const [what, text] of invisible) {
    it(`marks ${what}`, () => {
      const shown = visibleText(text);
      assert.doesNotMatch(shown, seen);
      assert.match(shown, /⟨U\+[0-9A-F]{4,6}⟩/);
    });
  }

  it('counts the marks and names them by Unicode', () => {
    const { parts, marks } = visibleParts('echo ok # \u202eevil\u202c \u200b');
    assert.equal(marks, 3);
    assert.deepEqual(
      parts.flatMap((part) => (part.kind === 'mark' ? [[part.shown, part.name]] : [])),
      [
        ['⟨U+202E⟩', 'U+202E right-to-left override'],
        ['⟨U+202C⟩', 'U+202C pop directional formatting'],
        ['⟨U+200B⟩', 'U+200B zero width space'],
      ],
    );
  });

  it('leaves ordinary text of every language as it is', () => {
    const texts = [
      'npm test -- --grep "a b"\n\tsecond line',
      'Grüße, naïve café, Ångström, smörgås',
      'git commit -m "Исправил ошибку с тестом и в коде"',
      'Καλημέρα κόσμε',
      '日本語のコミット：修正（テスト）',
      'APIを呼ぶ TypeScriptの',
      '한국어 커밋',
      'שלום עולם',
      'مرحبا بالعالم',
      'हिन्दी में',
      'tiếng Việt e\u0301',
      'a – b — c … “quoted” ‘it’s’ 50 € ½ ™ → ✓',
    ];
    for (const text of texts)
      assert.deepEqual(
        visibleParts(text),
        { parts: [{ kind: 'text', start: 0, end: text.length, text }], marks: 0 },
        text,
      );
  });

  it('leaves emoji with their joiners and selectors alone', () => {
    const scotland = `\u{1f3f4}${[...'gbsct'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')}\u{e007f}`;
    for (const text of ['👩‍👩‍👧‍👦', '❤️', '👍🏽', '1️⃣', '🏳️‍🌈', '🇩🇪', '👩🏽‍💻 and 🧑‍🚀', scotland])
      assert.equal(visibleText(text), text);
    assert.match(visibleText('👩\u200d rm'), /⟨U\+200D⟩/);
    assert.match(visibleText('\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}'), /⟨U\+E0068⟩/);
  });

  it('marks letters that pass for Latin ones', () => {
    const alike = [
      'p\u0430ypal',
      '\u0441at file',
      '\u0441\u0440 a b',
      'rm \u0435vil',
      '\u03bfpen',
      'g\u0456t',
      '\u13a0BC',
      '\u{1d42b}\u{1d426} -rf',
      '\uff52\uff4d -rf',
    ];
    for (const text of alike) assert.match(visibleText(text), /⟨U\+/, text);
    const { parts } = visibleParts('p\u0430y');
    assert.deepEqual(parts[1], {
      kind: 'mark',
      start: 1,
      end: 2,
      shown: '⟨U+0430⟩',
      name: 'U+0430 Cyrillic letter that looks like a',
    });
  });

  it('marks signs that pass for those of a shell or a path', () => {
    for (const text of [
      'a\uff1brm b',
      'a\u037eb',
      '\u2010\u2010force',
      '\u2212rf',
      'https:\u2044\u2044a',
      '\u2215etc',
      'a\u2024ts',
      'a \uff5c sh',
      'C\ua789',
      '\u01c3x',
      '\u1fefid\u1fef',
    ]) {
      assert.match(visibleText(text), /⟨U\+/, text);
    }
  });

  it('marks line ends and tabs where the text has one line', () => {
    assert.equal(visibleLine('a\nb\tc'), 'a⟨U+000A⟩b⟨U+0009⟩c');
    assert.equal(visibleText('a\nb\tc'), 'a\nb\tc');
  });

  it('folds what pushes the rest out of sight, and nothing shorter', () => {
    const folds = (text: string) =>
      visibleParts(text, { fold: true }).parts.flatMap((part) => (part.kind === 'fold' ? [[part.of, part.count]] : []));
    assert.deepEqual(folds(`npm --version${'\n'.repeat(60)}touch MARK`), [['lines', 60]]);
    assert.deepEqual(folds(`npm --version${'\n  \t\n'.repeat(30)}touch MARK`), [['lines', 60]]);
    assert.deepEqual(folds(`npm --version${' '.repeat(900)}; touch MARK`), [['blanks', 900]]);
    assert.deepEqual(folds(`a${'\t'.repeat(90)}b`), [['blanks', 90]]);
    assert.deepEqual(folds(`cat <<E\n\n\n${' '.repeat(20)}deep\nE`), []);
  });

  it('keeps every character at its place', () => {
    const odd = fc.constantFrom(
      'a',
      'Z',
      ' ',
      '\n',
      '\t',
      '\r',
      '\0',
      '\u202e',
      '\u200d',
      '\ufe0f',
      '👩',
      '\ud800',
      '\u0430',
      'é',
      '\u0301',
      '\u3000',
      '\uff1b',
      '漢',
    );
    const texts = fc.oneof(
      fc.array(odd).map((all) => all.join('')),
      fc.string({ unit: 'binary' }),
    );
    const property = fc.property(texts, fc.boolean(), fc.boolean(), (text, oneLine, fold) => {
      const { parts } = visibleParts(text, { oneLine, fold });
      assert.equal(parts.map(({ start, end }) => text.slice(start, end)).join(''), text);
      let at = 0;
      for (const { start, end } of parts) {
        assert.equal(start, at);
        assert.ok(end > start);
        at = end;
      }
      const shown = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('|');
      assert.doesNotMatch(shown, /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ufeff]/u);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('is quick for a long text', () => {
    const text = `${'const a = "naïve"; // \u200b comment\n'.repeat(3_000)}`;
    const began = performance.now();
    visibleParts(text, { fold: true });
    assert.ok(performance.now() - began < 2_000);
  });
});
