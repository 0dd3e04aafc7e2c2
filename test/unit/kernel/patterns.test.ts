import assert from 'node:assert/strict';
import { createContext, Script } from 'node:vm';
import fc from 'fast-check';
import ignore from 'ignore';
import picomatch from 'picomatch';
import { gitIgnore, globOf, Pattern, patternOf } from '../../../src/agent/kernel/patterns/index.ts';

const texts = fc.stringMatching(/^[abAB_0 \t\n\r\u00a0\u2028.\-/sSkKé\u017f\u212a\ud83d\ude00µ$^]{0,12}$/u);
const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    'A',
    's',
    'k',
    'é',
    'µ',
    '😀',
    '.',
    '\\.',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '\\d',
    '\\D',
    '\\n',
    '\\t',
    '\\x61',
  ],
  ...[
    '\\u0062',
    '\\u{61}',
    '\\ud83d\\ude00',
    '\\cJ',
    '\\/',
    '\\-',
    '[ab]',
    '[^ab]',
    '[a-k]',
    '[^\\s]',
    '[\\w-]',
    '[^]',
    '[]',
  ],
  ...['\\p{L}', '\\P{Lu}', '[\\p{L}_]', '[\\ud83d\\ude00]', '[^é]', '{', '}', ']', '\\0', ' ', '\\$', '\\^', '\\]'],
);
const assertion = fc.constantFrom('^', '$', '\\b', '\\B');
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{2,}', '{0}', '{0,1}?');

const pattern: fc.Arbitrary<string> = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(atom, quantifier).map((parts) => parts.join('')),
    assertion,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern'), quantifier)
      .map(([open, inner, many]) => `${open}${inner})${many}`),
  ),
  pattern: fc
    .array(fc.array(tie('piece'), { minLength: 0, maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.map((part) => part.join('')).join('|')),
})).pattern;

const oracle = createContext({});
const script = new Script('texts.map((text) => expression.test(text))');

/** What the engine itself says; undefined where it backtracks for too long. */
function answersOf(expression: RegExp, asked: readonly string[]): readonly boolean[] | undefined {
  Object.assign(oracle, { expression, texts: asked });
  try {
    return [...script.runInContext(oracle, { timeout: 50 })];
  } catch {
    return undefined;
  }
}

describe('patterns from outside', () => {
  it('say of any text what JavaScript says, in every mode', () => {
    let linear = 0;
    fc.assert(
      fc.property(
        pattern,
        fc.subarray(['i', 'm', 's', 'u']),
        fc.array(texts, { minLength: 1, maxLength: 5 }),
        (source, set, asked) => {
          const flags = set.join('');
          const made = patternOf(source, flags);
          let expression: RegExp;
          try {
            expression = new RegExp(source, flags);
          } catch {
            return assert.equal(typeof made, 'string');
          }
          assert.ok(made instanceof Pattern);
          // The engine itself looks between the halves of a character there.
          if (!made.isLinear || (flags.includes('u') && source.includes('\\B'))) return;
          linear++;
          const said = answersOf(expression, asked);
          if (!said) return;
          assert.deepEqual(
            asked.map((text) => made.test(text)),
            said,
            JSON.stringify([source, flags, asked]),
          );
        },
      ),
      { numRuns: 4_000 },
    );
    assert.ok(linear > 1_000, `${linear} of the patterns were linear`);
  });

  it('that look round or back are answered by the worker, and mean the same', async () => {
    for (const [source, text, fits] of [
      ['^(?!Bash).*$', 'Read', true],
      ['^(?!Bash).*$', 'Bash', false],
      ['(a)\\1', 'baa', true],
      ['(?<=x)y', 'xy', true],
      ['(?<=x)y', 'zy', false],
    ] as const) {
      const made = patternOf(source);
      assert.ok(made instanceof Pattern);
      assert.equal(made.isLinear, false, source);
      assert.equal(await made.test(text), fits, `${source} ${text}`);
    }
  });

  it('that need too long are ended and never judged again, and the next one is answered', async () => {
    const made = patternOf('^(?=(((a+)+)+)+$)b');
    assert.ok(made instanceof Pattern);
    const fit = await made.test(`${'a'.repeat(40)}!`);
    assert.match(JSON.stringify(fit), /took more than 50 ms/);
    assert.match(made.refused ?? '', /took more than 50 ms/);
    const next = patternOf('^(?=a)a$');
    assert.ok(next instanceof Pattern);
    assert.equal(await next.test('a'), true);
  });

  it('are linear: nested repetition costs no more than the text', () => {
    for (const source of ['^(((\\w+)+)+)+#$', '(a*)*b', '(a|aa)+$', '(?:a?){100}a{100}b', '(x+x+)+y', '(.*)*=(.*)*;']) {
      const made = patternOf(source);
      assert.ok(made instanceof Pattern && made.isLinear, source);
      assert.equal(made.test('a'.repeat(2_000)), source === '(a|aa)+$', source);
    }
  });
});

const segment = fc
  .array(
    fc.constantFrom(
      '*',
      '?',
      'a',
      'b',
      '.',
      '-',
      '[ab]',
      '[^b]',
      '[a-c]',
      '{a,b}',
      '{a,b*}',
      '{1..3}',
      '{a}',
      '[id]',
      '1',
      '@(a|b)',
      '+(a|b)',

      '(a|b)',
      '\\*',
      'a+',
      '$',
      '^',
      '{a,{b,c}}',
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.join(''));
const glob = fc
  .tuple(
    fc.constantFrom('', '', '', '!', './'),
    fc.array(fc.oneof({ arbitrary: segment, weight: 3 }, { arbitrary: fc.constant('**'), weight: 1 }), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([mark, parts]) => mark + parts.join('/'))
  // `!(…)` is refused, and `**` behind a group is any characters but `/` in a shell, to picomatch also those.
  .filter((source) => !/!\(|\)\*\*/.test(source));
const path = fc
  .array(
    fc.stringMatching(/^[abc.1i[\]d*-]{1,4}$/).filter((part) => !/^\.{1,2}$/.test(part)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join('/'));

describe('globs from outside', () => {
  it('say of any path what picomatch says', () => {
    fc.assert(
      fc.property(glob, fc.array(path, { minLength: 1, maxLength: 6 }), (source, paths) => {
        const made = globOf(source);
        const other = picomatch(source, { dot: true });
        for (const one of paths)
          assert.equal(
            made.test(one),
            other(one),
            `${JSON.stringify(source)} ${one} ${picomatch.makeRe(source, { dot: true })}`,
          );
      }),
      { numRuns: 4_000 },
    );
  });

  it('say what shells say where picomatch differs', () => {
    const says = (source: string, ...paths: readonly string[]) => paths.map((one) => globOf(source).test(one));
    assert.deepEqual(says('[!a].ts', 'b.ts', 'a.ts'), [true, false]);
    assert.deepEqual(says('{**/a,b}', 'a', 'x/a', 'b'), [true, true, true]);
    assert.deepEqual(says('x{.ts', 'x{.ts', 'x.ts'), [true, false]);
    assert.deepEqual(says('a?(b)', 'a', 'ab', 'abb'), [true, true, false]);
    assert.deepEqual(says('@(a|b)**', 'a', 'ax', 'a/x'), [true, true, false]);
  });

  it('are refused in words where they are not regular or too long', () => {
    for (const source of ['src/!(a|b)/*.ts', 'a'.repeat(2_000)]) {
      assert.match(globOf(source).refused ?? '', /too long or has !/);
      assert.match(JSON.stringify(globOf(source).test('a')), /unsure/);
    }
  });

  it('are linear, to read and to ask', () => {
    for (const source of [
      '*a*a*a*a*a*a*a*a*a*a*b',
      '{'.repeat(1_000),
      '{a,'.repeat(300),
      '('.repeat(1_000),
      '['.repeat(1_000),
      '{a,b}'.repeat(200),
      '**/'.repeat(300),
      '+(+(+(a)))b',
      '*(*(*(a|aa)))b',
    ]) {
      const since = performance.now();
      globOf(source).test('a'.repeat(200));
      assert.ok(performance.now() - since < 1_000, source);
    }
  });
});

const rule = fc
  .tuple(
    fc.constantFrom('', '', '', '!', '/'),
    fc.array(
      fc.constantFrom('*', '?', 'a', 'b', '/', '/', '**/', '/**', '[ab]', '[!a]', '[a-c]', '.', '\\*', '{a,b}', '(a)'),
      { minLength: 1, maxLength: 5 },
    ),
    fc.constantFrom('', '', '/', ' ', '/**'),
  )
  .map(([mark, parts, end]) => (mark + parts.join('') + end).replace(/\/{2,}/g, '/').replace(/\*{3,}/g, '**'));

describe('rules of .gitignore', () => {
  it('leave out what git leaves out', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(path, fc.boolean()), { minLength: 1, maxLength: 6 }),
        (rules, asked) => {
          const text = rules.join('\n');
          const own = gitIgnore(text);
          for (const [one, isFolder] of asked) {
            const { ignored, unignored } = ignore()
              .add(text)
              .test(one + (isFolder ? '/' : ''));
            const said = own.test(one, isFolder);
            assert.equal(said === true, ignored, `${JSON.stringify(text)} ${one} ${isFolder}`);
            assert.equal(said === false, unignored, `${JSON.stringify(text)} ${one} ${isFolder}`);
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('are linear', () => {
    const since = performance.now();
    assert.equal(gitIgnore(`${'*a'.repeat(200)}b\n${'**/a/'.repeat(200)}b`).test('a'.repeat(200), false), undefined);
    assert.ok(performance.now() - since < 1_000);
  });
});
