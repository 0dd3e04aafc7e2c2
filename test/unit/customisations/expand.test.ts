// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of commands look like those of template strings
import assert from 'node:assert/strict';
import { expand } from '../../../src/agent/customisations/index.ts';

const cases: readonly (readonly [what: string, body: string, typed: string, becomes: string])[] = [
  ['all of the words', 'Fix $ARGUMENTS now.', 'the cart  total', 'Fix the cart  total now.'],
  ['words by their number', '$1 then ${2}', 'one two three', 'one then two'],
  ['quoted words as one', '$1 | $2', `"a b" 'c d'`, 'a b | c d'],
  ['a number without a word as nothing', '[$1][$2]', 'one', '[one][]'],
  ['no price', 'It costs $100 and $12.', '', 'It costs $100 and $12.'],
  ['inputs in their order, the last with all that is left', '${input:a} / ${input:b:what}', 'x y z', 'x / y z'],
  ['an input twice as the same', '${input:a} ${input:a}', 'x', 'x x'],
  ['words behind a body without a placeholder', 'Review.', 'only src', 'Review.\n\nonly src'],
  ['a body alone without words', 'Review.', ' ', 'Review.'],
  ['placeholders in the words as they are', 'Say $ARGUMENTS', '$1 ${input:x} $&', 'Say $1 ${input:x} $&'],
  ['other variables as they are', '$HOME ${PATH} $ARGUMENTSX', '', '$HOME ${PATH} $ARGUMENTSX'],
];

describe('the placeholders of a command', () => {
  for (const [what, body, typed, becomes] of cases) {
    it(`take ${what}`, () => assert.equal(expand(body, typed), becomes));
  }
});
