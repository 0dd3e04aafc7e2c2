import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ThinkTags } from '../../../src/agent/model/wires/think-tags.ts';

function split(...texts: readonly string[]): { reasoning: string; text: string } {
  const tags = new ThinkTags();
  const pieces = [...texts.flatMap((text) => tags.push(text)), ...tags.flush()];
  const of = (type: string) => pieces.map((piece) => (piece.type === type ? piece.text : '')).join('');
  return { reasoning: of('reasoning'), text: of('text') };
}

describe('reasoning that a server sends as text', () => {
  it('is reasoning when a tag opens the answer', () => {
    assert.deepEqual(split('<think>\nHm, a < b.\n</think>\n\nYes.'), { reasoning: 'Hm, a < b.', text: 'Yes.' });
    assert.deepEqual(split('\n<Thinking>Hm</thinking>Yes'), { reasoning: 'Hm', text: 'Yes' });
  });

  it('stays text in the middle of an answer', () => {
    assert.deepEqual(split('Use <think>this</think>.'), { reasoning: '', text: 'Use <think>this</think>.' });
    assert.deepEqual(split('<think>a</think>b\n<think>c</think>'), { reasoning: 'a', text: 'b\n<think>c</think>' });
  });

  it('stays text when it only looks like a tag', () => {
    for (const text of ['<th', '<thread>x', ' <', '<div>', '<thinks>'])
      assert.deepEqual(split(text), { reasoning: '', text });
  });

  it('stays reasoning when it is never closed', () => {
    assert.deepEqual(split('<think>and then </thi'), { reasoning: 'and then </thi', text: '' });
  });

  it('means the same wherever it is split', () => {
    const answer = ' <think>Let me\n<see> </no>. 🤔</think>\n\nThe <b>answer</b>.';
    const whole = split(answer);
    fc.assert(
      fc.property(fc.array(fc.nat(answer.length), { maxLength: 8 }), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), answer.length];
        assert.deepEqual(split(...cuts.slice(1).map((end, index) => answer.slice(cuts[index], end))), whole);
      }),
    );
  });
});
