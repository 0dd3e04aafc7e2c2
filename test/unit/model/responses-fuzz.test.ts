import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createResponsesWire } from '../../../src/agent/model/index.ts';
import type { ModelMessage, ModelPart } from '../../../src/agent/model/types.ts';
import { responsesItems } from '../../../src/agent/model/wires/responses/items.ts';
import { validateResponses } from '../../model-server/index.ts';
import { responsesEvent } from '../../model-server/responses-frames.ts';
import { ending, requestOf, run, textOf } from './wire-fixture.ts';

const BASE_URL = 'http://127.0.0.1:9/v1';

const index = fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined });
const id = fc.constantFrom('a', 'b', '', undefined);
const words = fc.constantFrom('', 'Said. ', ' to=functions.x', '\ud83d', '<|start|>', '{"path":', '"a"}');
const args = fc.constantFrom('', '{}', '{"path":"a"}', '{"path":"a', 'null', undefined);
const phase = fc.constantFrom(undefined, 'commentary', 'final_answer');

const item = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    id: id.map(prefixed('msg_')),
    phase,
    content: fc.array(words.map(outputText)),
  }),
  fc.record({
    type: fc.constant('reasoning'),
    id: id.map(prefixed('rs_')),
    encrypted_content: fc.constantFrom('gAAAA-1', 'gAAAA-2', undefined, null),
    summary: fc.array(words.map((text) => ({ type: 'summary_text', text }))),
  }),
  fc.record({ type: fc.constant('compaction'), encrypted_content: fc.constant('gAAAA-c') }),
  fc.record({
    type: fc.constant('function_call'),
    id: id.map(prefixed('fc_')),
    call_id: id,
    name: id,
    arguments: args,
  }),
  fc.constant({ type: 'web_search_call', status: 'in_progress' }),
);

const place = { item_id: id, output_index: index };
const event = fc.oneof(
  fc.tuple(
    fc.constantFrom('response.output_item.added', 'response.output_item.done'),
    fc.record({ output_index: index, item }),
  ),
  fc.tuple(
    fc.constantFrom('response.output_text.delta', 'response.refusal.delta', 'response.function_call_arguments.delta'),
    fc.record({ ...place, delta: words }),
  ),
  fc.tuple(
    fc.constantFrom('response.reasoning_summary_text.delta', 'response.reasoning_text.delta'),
    fc.record({ ...place, summary_index: index, delta: words }),
  ),
  fc.tuple(fc.constant('response.output_text.done'), fc.record({ ...place, text: words })),
  fc.tuple(fc.constant('response.function_call_arguments.done'), fc.record({ ...place, name: id, arguments: args })),
  fc.tuple(fc.constant('response.something.new'), fc.record({ delta: words })),
);

const closing = fc.constantFrom(undefined, 'completed', 'incomplete', 'failed', 'cancelled');

describe('any events of a Responses stream, in any order', function () {
  this.timeout(60_000);

  it('end once, run calls of a completed answer only, and leave a history that is legal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 12 }), closing, async (events, status) => {
        const body = events.map(([type, fields]) => responsesEvent(type, fields));
        if (status !== undefined) body.push(responsesEvent(`response.${status}`, { response: { status } }));
        const parts = await answer(body.join(''));
        const last = ending(parts);
        if (last.type !== 'end') return;
        if (status !== 'completed') assert.deepEqual(last.calls, []);
        const history: ModelMessage[] = [
          { role: 'user', text: 'Begin' },
          { role: 'assistant', text: textOf(parts), thinking: last.thinking, calls: last.calls },
          ...last.calls.map(({ callId, name }) => ({ role: 'tool' as const, callId, name, text: 'x', isError: false })),
          { role: 'user', text: 'Next' },
        ];
        const ways = { quirks: {}, issuer: `other:${BASE_URL}`, seals: true };
        const input = responsesItems(history, ways);
        assert.equal(validateResponses({ model: 'm', store: false, input }), undefined);
        const ids = last.calls.map(({ callId }) => callId);
        assert.equal(new Set(ids).size, ids.length, 'each call has an id of its own');
      }),
      { numRuns: 500 },
    );
  });
});

function answer(body: string): Promise<ModelPart[]> {
  const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  return run(createResponsesWire({ baseUrl: BASE_URL, reopens: 0, fetch }), requestOf());
}

function prefixed(prefix: string): (id: string | undefined) => string | undefined {
  return (one) => (one ? prefix + one : one);
}

function outputText(text: string): object {
  return { type: 'output_text', text };
}
