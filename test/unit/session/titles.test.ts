import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deriveTitle } from '../../../src/agent/session/index.ts';

describe('derived title', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['Fix the login test.', 'Fix the login test'],
    ['  what   does\tthis do??  ', 'what does this do'],
    ['## Heading\n\nbody', 'Heading'],
    ['- first point\n- second', 'first point'],
    ['1. step one', 'step one'],
    ['```ts\nconst a = 1\n```', 'const a = 1'],
    ['---\n\nafter a rule', 'after a rule'],
    ['#include does not work', '#include does not work'],
    ['-v is ignored', '-v is ignored'],
    [
      'Please rename every function of the parser so that the names agree',
      'Please rename every function of the parser so',
    ],
    [`${'a'.repeat(60)} b`, 'a'.repeat(48)],
    ['', undefined],
    [' \n?!\n', undefined],
    ['abc\u202edef', 'abcdef'],
  ];
  for (const [text, title] of cases) {
    it(`of ${JSON.stringify(text.slice(0, 40))} is ${JSON.stringify(title)}`, () => {
      assert.equal(deriveTitle(text), title);
    });
  }

  it('is one line of at most 48 characters without punctuation at its end, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const title = deriveTitle(text);
        if (title === undefined) return;
        assert.ok(title.length > 0 && title.length <= 48);
        assert.ok(title.isWellFormed());
        assert.doesNotMatch(title, /[\r\n\u2028\u2029]|[\s.,;:!?…]$/u);
      }),
      { seed: 7, numRuns: 2_000 },
    );
  });
});
