import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ModelMessage, ModelWire } from '../../../src/agent/model/types.ts';
import { requestOf, run, type TestedWire, WIRES } from './wire-fixture.ts';

/** A wire whose requests go nowhere, and the bodies of those. */
function wireWith({ create }: TestedWire): { readonly wire: ModelWire; readonly bodies: string[] } {
  const bodies: string[] = [];
  const wire = create(
    { origin: 'http://127.0.0.1:9' },
    {
      fetch: (_url, init) => {
        bodies.push(String(init?.body));
        return Promise.reject(new Error('not sent'));
      },
    },
  );
  return { wire, bodies };
}

const text = fc.constantFrom('Words', '', ' ', 'a "quoted" line\n', 'half \ud800 pair', 'ä');
const exchange: fc.Arbitrary<readonly ModelMessage[]> = fc.oneof(
  text.map((words) => [{ role: 'user' as const, text: words }]),
  text.map((words) => [{ role: 'assistant' as const, text: words, calls: [] }]),
  fc.tuple(text, fc.integer({ min: 1, max: 3 })).map(([words, calls]) => {
    const names = Array.from({ length: calls }, (_, index) => `c${index}`);
    return [
      {
        role: 'assistant' as const,
        text: words,
        calls: names.map((callId) => ({ callId, name: 'read_file', input: { path: callId } })),
      },
      ...names.map((callId) => ({ role: 'tool' as const, callId, name: 'read_file', text: words, isError: false })),
    ];
  }),
);

for (const tested of WIRES) {
  describe(`what ${tested.name} sends of a conversation that grows`, () => {
    it('is byte for byte what it would send without having sent anything before', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(exchange, { minLength: 1, maxLength: 12 }), async (exchanges) => {
          const kept = wireWith(tested);
          for (let count = 1; count <= exchanges.length; count++) {
            const messages = exchanges.slice(0, count).flat();
            const fresh = wireWith(tested);
            await run(kept.wire, requestOf(messages));
            await run(fresh.wire, requestOf(messages.map((message) => structuredClone(message))));
            assert.equal(kept.bodies.at(-1), fresh.bodies[0]);
            JSON.parse(kept.bodies.at(-1) ?? '');
          }
        }),
        { numRuns: 60 },
      );
    });

    it('is written once: an old message is not read again', async () => {
      let read = 0;
      const counted = (role: 'user' | 'assistant'): ModelMessage => {
        const message = { role, calls: [] };
        Object.defineProperty(message, 'text', {
          enumerable: true,
          get: () => {
            read += 1;
            return 'Words';
          },
        });
        return message as unknown as ModelMessage;
      };
      const messages = Array.from({ length: 200 }, (_, index) => counted(index % 2 ? 'assistant' : 'user'));
      const { wire } = wireWith(tested);
      await run(wire, requestOf(messages));
      read = 0;
      await run(wire, requestOf([...messages, counted('user')]));
      assert.ok(read < 50, `${read} reads`);
    });

    it('starts anew for another past', async () => {
      const { wire, bodies } = wireWith(tested);
      const first: ModelMessage = { role: 'user', text: 'First' };
      const past = (word: string): ModelMessage[] =>
        Array.from({ length: 8 }, () => [
          { role: 'assistant' as const, text: word, calls: [] },
          { role: 'user' as const, text: word },
        ]).flat();
      await run(wire, requestOf([first, ...past('one')]));
      await run(wire, requestOf([first, ...past('two')]));
      assert.ok(!bodies[1]?.includes('one'));
    });
  });
}
