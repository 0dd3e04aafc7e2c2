/** A stream that begins a second answer, as a relay's does that has asked again: the first one is none. */

import assert from 'node:assert/strict';
import { ModelServer, type Step } from '../model-server/index.ts';
import { ended, run, textOf, WIRES } from '../unit/model/wire-fixture.ts';
import { Rig } from '../unit/turn/rig.ts';

describe('a second start in one stream', () => {
  for (const wire of WIRES) {
    it(`H5. discards the first answer on the ${wire.name} wire: its call never runs`, async () => {
      const first = wire.frames();
      const second = wire.again();
      const frames = [
        ...first.open(),
        ...first.text('I delete'),
        ...first.call({ name: 'read_file', input: { path: 'first' } }),
        ...second.open(),
        ...second.text('Second.'),
        ...second.call({ name: 'read_file', input: { path: 'second' } }),
        ...second.close(),
      ];
      const body = Buffer.concat(frames.map((frame) => Buffer.from(frame)));
      const opened = wire.create(
        { origin: 'http://127.0.0.1:9' },
        { fetch: async () => new Response(body, { headers: { 'content-type': wire.contentType } }) },
      );
      const parts = await run(opened);
      const restart = parts.findIndex(({ type }) => type === 'restart');
      assert.ok(restart > 0, 'what was shown is taken back');
      assert.equal(textOf(parts.slice(restart)), 'Second.');
      assert.deepEqual(
        ended(parts).calls.map(({ input }) => input),
        [{ path: 'second' }],
      );
    });
  }

  it('H5a. leaves the row of the second answer alone, and runs its call alone', async () => {
    const rig = await Rig.start('anthropic');
    try {
      rig.write('a.txt', 'A');
      const session = rig.agent.create();
      const start =
        'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_2","type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":5,"output_tokens":1}}}\n\n';
      const steps: Step[] = [
        { text: 'First' },
        { call: { name: 'read_file', input: { path: 'gone.txt' } } },
        { raw: start },
      ];
      const text =
        'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Second"}}\n\nevent: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n';
      const end =
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n';
      rig.server.script({ steps: [...steps, { raw: text + end }, { eof: true }] });
      const result = await session.settled(session.send('Go').turnId);
      assert.equal(result.finalText, 'Second');
      assert.equal(rig.server.requests.length, 1);
      assert.deepEqual(
        session.rows().map(({ role }) => role),
        ['user', 'assistant'],
      );
    } finally {
      await rig.close();
    }
  });

  it('H5b. is not seen where a server gives each chunk another id, or repeats the role', async () => {
    const server = await ModelServer.start();
    try {
      const chat = WIRES[0];
      const chunk = (id: string, content: string, finish: string | null = null): Step => ({
        raw: `data: ${JSON.stringify({ id, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }] })}\n\n`,
      });
      server.script(
        { steps: [chunk('a', 'one '), chunk('b', 'two '), chunk('c', 'three', 'stop'), { eof: true }] },
        { steps: [chunk('a', 'one '), chunk('a', 'two '), chunk('a', 'three', 'stop'), { eof: true }] },
      );
      for (const _ of [1, 2]) {
        const parts = await run(chat?.create(server) ?? assert.fail());
        assert.equal(textOf(parts), 'one two three');
        assert.ok(parts.every(({ type }) => type !== 'restart'));
      }
    } finally {
      await server.close();
    }
  });
});
