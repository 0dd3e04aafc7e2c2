import assert from 'node:assert/strict';
import fc from 'fast-check';
import { transcriptText } from '../../../src/agent/context/index.ts';
import type { ModelMessage } from '../../../src/agent/model/types.ts';

const user = (text: string): ModelMessage => ({ role: 'user', text });
const result = (text: string): ModelMessage => ({ role: 'tool', callId: 'c', name: 'read_file', text, isError: false });
const called: ModelMessage = {
  role: 'assistant',
  text: 'I look.',
  calls: [{ callId: 'c', name: 'read_file', input: { path: 'a.ts' } }],
};

describe('a conversation as a text', () => {
  it('holds everything that fits: who said it, calls, results', () => {
    const text = transcriptText([user('Sort it'), called, result('1|one')], 10_000);
    assert.match(text, /<user>\nSort it\n<\/user>/);
    assert.match(text, /I look\.\n\[called read_file {"path":"a.ts"}\]/);
    assert.match(text, /<result>\n1\|one\n<\/result>/);
  });

  it('says where images were, which it cannot hold', () => {
    const images = [{ mime: 'image/png', base64: 'AAAA', label: 'cart.png, 3×2' }];
    const text = transcriptText(
      [
        { role: 'user', text: 'Look', images },
        { role: 'user', text: '', images },
      ],
      10_000,
    );
    assert.match(text, /<user>\nLook\n\[image: cart\.png, 3×2\]\n<\/user>/);
    assert.match(text, /<user>\n\[image: cart\.png, 3×2\]\n<\/user>/);
    assert.doesNotMatch(text, /AAAA/);
  });

  it('shortens long results first, and keeps both of their ends', () => {
    const text = transcriptText([user('Sort it'), called, result(`first ${'x'.repeat(50_000)} last`)], 10_000);
    assert.match(text, /first x+\n\[… \d+ characters are left out here …\]\nx+ last/);
    assert.match(text, /Sort it/);
  });

  it('leaves out the oldest messages behind the first one when that is not enough, and says how many', () => {
    const many = Array.from({ length: 60 }, (_, index) => user(`message ${index} ${'y'.repeat(1000)}`));
    const text = transcriptText([user('The goal'), ...many], 10_000);
    assert.match(text, /The goal/);
    assert.match(text, /\[… 5\d messages are left out here/);
    assert.match(text, /message 59/);
    assert.doesNotMatch(text, /message 10 /);
  });

  it('masks secrets', () => {
    assert.doesNotMatch(transcriptText([result('API_KEY=abcdefghijklmnopqrstuvwxyz')], 10_000), /ghijklmnop/);
  });

  it('is never longer than its limit, and leaves no half characters', () => {
    const message = fc
      .string({ unit: 'binary', maxLength: 3000 })
      .map((text) => (text.length % 2 ? user(text) : result(text)));
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1000, max: 9000 }),
        (all, limit) => {
          const whole = all.map((one) => ({
            ...one,
            text: 'text' in one ? one.text.toWellFormed() : '',
          })) as ModelMessage[];
          const text = transcriptText(whole, limit);
          assert.ok(text.length <= limit, `${text.length} of ${limit}`);
          assert.ok(text.isWellFormed());
        },
      ),
    );
  });
});
