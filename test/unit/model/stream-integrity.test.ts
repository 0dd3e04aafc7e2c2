import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ended, ending, run, type TestedWire, WIRES, withoutFacts } from './wire-fixture.ts';

/** An answer with everything in it: thinking, text of several bytes a letter, calls in fragments. */
function answer({ frames: framesOf, closes }: TestedWire): { bytes: Uint8Array; closing: number } {
  const frames = framesOf();
  const writes = [
    ...frames.open(),
    ...frames.reasoning('Hm… 🤔'),
    ...frames.text('Grüße, 世界 '),
    ...frames.text('🙂\n\ndata: x'),
    ...frames.call({ id: 'a', name: 'read_file', input: { path: 'ü/🙂.ts' }, split: 9 }),
    ...frames.call({ id: 'b', name: 'todo', input: { todos: [{ id: '1', content: 'x\n\ny' }] }, split: 15 }),
    ...frames.close(),
  ].map((frame) => Buffer.from(frame));
  const closing = writes.findIndex((frame) => closes.test(frame.toString('latin1')));
  return { bytes: Buffer.concat(writes), closing: Buffer.concat(writes.slice(0, closing)).length };
}

/** A `fetch` whose body arrives in exactly these pieces. */
function arriving(contentType: string, pieces: readonly Uint8Array[], breaks: boolean): typeof fetch {
  return async () => {
    const waiting = [...pieces];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = waiting.shift();
        if (next !== undefined) controller.enqueue(next);
        else if (breaks) controller.error(new TypeError('terminated'));
        else controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': contentType } });
  };
}

function split(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...[...new Set(places)].sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, index) => bytes.slice(cuts[index], end));
}

for (const tested of WIRES) {
  describe(`the stream of the ${tested.name} wire`, function () {
    // Thousands of streams; on a busy machine they take their time.
    this.timeout(60_000);
    const { bytes, closing } = answer(tested);
    const arrives = (pieces: readonly Uint8Array[], breaks: boolean) => arriving(tested.contentType, pieces, breaks);
    let arrival: typeof fetch;
    const wire = tested.create(
      { origin: 'http://127.0.0.1:9' },
      // With a key nothing has to be signed.
      { apiKey: 'k', fetch: (...request) => arrival(...request) },
    );
    const over = async (fetch: typeof globalThis.fetch) => {
      arrival = fetch;
      return withoutFacts(await run(wire));
    };

    it('means the same wherever the network splits it', async () => {
      const whole = await over(arrives([bytes], false));
      assert.deepEqual(
        ended(whole).calls.map(({ input }) => input),
        [{ path: 'ü/🙂.ts' }, { todos: [{ id: '1', content: 'x\n\ny' }] }],
      );
      const places = fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(places, async (at) => {
          assert.deepEqual(await over(arrives(split(bytes, at), false)), whole);
        }),
        { numRuns: 100 },
      );
    });

    it('means the same when each byte arrives alone', async () => {
      const whole = await over(arrives([bytes], false));
      const alone = split(
        bytes,
        Array.from({ length: bytes.length - 1 }, (_, index) => index + 1),
      );
      assert.deepEqual(await over(arrives(alone, false)), whole);
    });

    // The closing frames are the tail of the answer: before them nothing may look complete.
    for (const breaks of [true, false]) {
      it(`never gives a call when it is cut at any byte (${breaks ? 'broken socket' : 'end of body'})`, async () => {
        const whole = ended(await over(arrives([bytes], false)));
        for (let at = 0; at < bytes.length; at++) {
          const last = ending(await over(arrives([bytes.slice(0, at)], breaks)));
          // Of these two APIs a stream of nothing but closed text that ends properly is taken as an answer.
          const isText = ['anthropic', 'openai-responses'].includes(tested.name) && !breaks && last.type === 'end';
          if (at <= closing && isText) assert.deepEqual(last.calls, []);
          else if (at <= closing) assert.equal(last.type, 'error', `cut at byte ${at} of ${bytes.length}`);
          else if (last.type === 'end') assert.deepEqual(last.calls, whole.calls);
          if (last.type === 'error') assert.equal(last.error.kind, 'stream_cut');
        }
      });
    }
  });
}
