import assert from 'node:assert/strict';
import { repeatsItself } from '../../../src/agent/turn/request/repetition.ts';

describe('a text that repeats itself', () => {
  it('is one whose end is the same few words over and over', () => {
    assert.equal(repeatsItself(`A start. ${'and so on, '.repeat(100)}`), true);
    assert.equal(repeatsItself('x'.repeat(1000)), true);
    const paragraph = 'The function reads the file, parses it, and returns the result as a list of rows.\n';
    assert.equal(repeatsItself(paragraph.repeat(40)), true);
  });

  it('is none that goes on, is short, or has rows of one shape', () => {
    assert.equal(repeatsItself('no no no'), false);
    assert.equal(repeatsItself(Array.from({ length: 200 }, (_, n) => `| ${n} | row ${n * 7} |\n`).join('')), false);
    assert.equal(repeatsItself(`${'ab'.repeat(1000)} and then ${prose(3000)}`), false);
  });
});

/** Words that do not repeat. */
function prose(length: number): string {
  const words: string[] = [];
  for (let n = 1, size = 0; size < length; n = (n * 48_271) % 2_147_483_647) {
    const word = n.toString(36);
    words.push(word);
    size += word.length + 1;
  }
  return words.join(' ').slice(0, length);
}
