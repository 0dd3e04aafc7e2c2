import assert from 'node:assert/strict';
import type { ModelPart } from '../../../src/agent/model/types.ts';
import { requestOf, textOf, WIRES } from './wire-fixture.ts';

describe('a burst of a model', () => {
  const [wire] = WIRES;

  it('lets everything else in the host have its turns, though all of it has arrived at once', async function () {
    this.timeout(60_000);
    // So many that no machine reads them within a few of the pauses that a burst makes.
    const frames = 50_000;
    const frame = `data: ${JSON.stringify({ choices: [{ delta: { content: 'token ' } }] })}\n\n`;
    const end = `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;
    const body = frame.repeat(frames) + end;
    const fetch = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const created = wire?.create({ origin: 'http://127.0.0.1:9' }, { fetch });
    assert.ok(created);

    let turns = 0;
    const count = () => {
      turns += 1;
      pending = setImmediate(count);
    };
    let pending = setImmediate(count);
    const parts: ModelPart[] = [];
    let turnsBefore = 0;
    for await (const part of created.stream(requestOf(), new AbortController().signal)) {
      if (parts.push(part) === 2) turnsBefore = turns;
    }
    clearImmediate(pending);

    assert.equal(textOf(parts).length, frames * 'token '.length);
    assert.ok(turns - turnsBefore >= 3, `${turns - turnsBefore} turns`);
  });
});
