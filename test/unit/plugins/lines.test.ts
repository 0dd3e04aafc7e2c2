import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { PacedLines } from '../../../src/agent/plugins/host/lines.ts';
import { ManualClock } from '../hooks/manual-clock.ts';

describe('what the process of a plugin sends', () => {
  const open = () => {
    const clock = new ManualClock();
    const stream = new PassThrough();
    const messages: string[] = [];
    const floods: string[] = [];
    new PacedLines(stream, clock, {
      message: (text) => messages.push(text),
      flood: (why) => floods.push(why),
    });
    return { clock, stream, messages, floods };
  };

  it('is read line by line, also when a line, or a letter, comes in pieces', () => {
    const { stream, messages } = open();
    const bytes = Buffer.from('{"a":1}\n{"b":"ü"}\n{"c"');
    stream.emit('data', bytes.subarray(0, 15));
    stream.emit('data', bytes.subarray(15));
    assert.deepEqual(messages, ['{"a":1}', '{"b":"ü"}']);
  });

  it('waits when more comes in a moment than the host wants to read, and goes on after it', () => {
    const { clock, stream, messages } = open();
    stream.emit('data', Buffer.from('x\n'.repeat(199)));
    assert.equal(stream.isPaused(), false);
    stream.emit('data', Buffer.from('x\n'));
    assert.deepEqual([messages.length, stream.isPaused()], [200, true]);
    clock.go(20);
    assert.equal(stream.isPaused(), false);
  });

  it('is a flood when it never pauses, and is not one when bursts are apart', () => {
    for (const [apart, isFlood] of [
      [20, true],
      [1100, false],
    ] as const) {
      const { clock, stream, floods } = open();
      for (let burst = 0; burst < 60 && floods.length === 0; burst += 1) {
        stream.emit('data', Buffer.from('x\n'.repeat(200)));
        clock.go(apart);
      }
      assert.equal(floods.length > 0, isFlood, `${apart} ms apart`);
    }
  });

  it('is a flood when one message has no end', () => {
    const { clock, stream, floods } = open();
    for (let part = 0; part < 9 && floods.length === 0; part += 1) {
      stream.emit('data', Buffer.alloc(1024 * 1024, 'x'));
      clock.go(2000);
    }
    assert.match(floods[0] ?? '', /more than 8 MB/);
  });
});
