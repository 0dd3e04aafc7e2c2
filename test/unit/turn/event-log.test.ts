import assert from 'node:assert/strict';
import { EventLog } from '../../../src/agent/turn/event-log.ts';
import type { SessionEvent } from '../../../src/api.ts';

describe('the events that a session keeps', () => {
  const fail = (error: unknown) => {
    throw error;
  };
  const output = (seq: number, text: string): SessionEvent => ({
    ...{ seq, at: 0, turnId: 't', type: 'tool', callId: 'c', name: 'terminal', state: 'running' },
    output: text,
  });
  const characters = (events: readonly SessionEvent[]) =>
    events.reduce((sum, event) => sum + (event.type === 'tool' ? (event.output?.length ?? 0) : 0), 0);

  it('K2b. are bounded by their characters, the newest stay, and one that is longer by itself does too', () => {
    const log = new EventLog(fail);
    for (let seq = 1; seq <= 5_000; seq++) log.emit(output(seq, 'x'.repeat(4_000)));
    const kept = log.since(0);
    assert.ok(characters(kept) <= 2 * 1024 * 1024, `${characters(kept)} characters`);
    assert.ok(kept.length >= 200);
    assert.equal(kept.at(-1)?.seq, 5_000);
    log.emit(output(5_001, 'x'.repeat(3 * 1024 * 1024)));
    assert.deepEqual(
      log.since(5_000).map(({ seq }) => seq),
      [5_001],
    );
  });
});
