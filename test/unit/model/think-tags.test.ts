import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ThinkTags } from '../../../src/agent/model/wires/chat/think-tags.ts';

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

  it('is reasoning at the start of any line', () => {
    assert.deepEqual(split('One\n  <think>\nhm\n</think>\n\nTwo'), { reasoning: 'hm', text: 'One\n  Two' });
    assert.deepEqual(split('<think>a</think>b\n<think>c</think>d'), { reasoning: 'ac', text: 'b\nd' });
  });

  it('is reasoning inside a line only when it closes there', () => {
    assert.deepEqual(split('Use <think>this</think>.'), { reasoning: 'this', text: 'Use .' });
    const prose = 'Write <think> to open\nand </think> to close.';
    assert.deepEqual(split(prose), { reasoning: '', text: prose });
  });

  it('stays text in code', () => {
    for (const text of ['Use `<think>this</think>`.', '```xml\n<think>\n```\nDone', '~~~\n</think>\n~~~\n'])
      assert.deepEqual(split(text), { reasoning: '', text });
  });

  it('is known by each of its names', () => {
    for (const name of ['THINK', 'thinking', 'Reasoning', 'thought', 'REASONING_SCRATCHPAD', '思考'])
      assert.deepEqual(split(`<${name}>a</${name}>b`), { reasoning: 'a', text: 'b' });
  });

  it('leaves no closing tag behind that has lost its opening one', () => {
    assert.deepEqual(split('so it is.</think>\n\nYes.'), { reasoning: '', text: 'so it is.Yes.' });
  });

  it('stays text when it only looks like a tag', () => {
    for (const text of ['<th', '<thread>x', ' <', '<div>', '<thinks>'])
      assert.deepEqual(split(text), { reasoning: '', text });
  });

  it('stays reasoning when it is never closed', () => {
    assert.deepEqual(split('<think>and then </thi'), { reasoning: 'and then </thi', text: '' });
  });

  it('means the same wherever it is split', () => {
    const answer =
      ' <think>Let me\n<see> </no>. 🤔</think>\n\nThe <b>answer</b> <think>x</think>.\n```\n<think>\n```\n <think>y </think> z';
    const whole = split(answer);
    fc.assert(
      fc.property(fc.array(fc.nat(answer.length), { maxLength: 8 }), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), answer.length];
        assert.deepEqual(split(...cuts.slice(1).map((end, index) => answer.slice(cuts[index], end))), whole);
      }),
    );
  });
});
