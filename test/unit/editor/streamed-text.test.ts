import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StreamedText } from '../../../src/editor/streamed-text.ts';
import type { EventsMessage } from '../../../src/protocol/index.ts';
import { answer, events, snapshot, turnResult, user } from '../../../webview/dev/script.ts';
import { type ChatState, initialState } from '../../../webview/state/chat-state.ts';
import { reduce } from '../../../webview/state/reduce.ts';

type Told = Parameters<typeof events>[1];

const turnId = 't1';
const delta = (text: string, request = 1, attempt = 1): Told => ({
  type: 'delta',
  turnId,
  request,
  attempt,
  part: 'text',
  text,
});
const stored = (text: string, id = 'row-1', request = 1): Told => ({
  type: 'row',
  turnId,
  row: { ...answer(turnId, 1, text), id, request, parts: [] },
});

describe('a row whose text was streamed', () => {
  const opened = (): ChatState => reduce(initialState, snapshot());

  /** What the page makes of the events when streamed text is not sent again. */
  function withoutRepetition(whole: EventsMessage): { state: ChatState; spared: readonly string[] } {
    const text = new StreamedText();
    const spared = whole.events.flatMap((event) => text.follow(event) ?? []);
    const sent = whole.events.map((event) =>
      event.type === 'row' && spared.includes(event.row.id)
        ? { ...event, row: { ...event.row, displayText: '' } }
        : event,
    );
    return { state: reduce(opened(), { ...whole, events: sent, streamed: spared }), spared };
  }

  it('comes without it, and the page shows the same', () => {
    const told = events(0, { type: 'turn.started', turnId }, delta('Hel'), delta('lo'), stored('Hello'));
    const { state, spared } = withoutRepetition(told);
    assert.deepEqual(spared, ['row-1']);
    assert.deepEqual(state, reduce(opened(), told));
  });

  it('comes whole when the page has another text, or none', () => {
    const spared = (...told: Told[]) => withoutRepetition(events(0, ...told)).spared;
    assert.deepEqual(spared(delta('Hello'), stored('Hello, edited')), []);
    assert.deepEqual(spared(stored('Hello')), []);
    assert.deepEqual(spared(delta('old', 1, 1), delta('new', 1, 2), stored('oldnew')), []);
  });

  it('counts what a snapshot already showed', () => {
    const text = new StreamedText();
    text.restart({ turnId, startedAt: 0, request: 1, attempt: 1, text: 'Hel', reasoning: '', tools: [] });
    const [more, row] = events(0, delta('lo'), stored('Hello')).events;
    assert.ok(more && row);
    assert.equal(text.follow(more), undefined);
    assert.equal(text.follow(row), 'row-1');
  });

  it('leaves the page as if nothing had been spared, whatever happens in which order', () => {
    const number = fc.integer({ min: 1, max: 2 });
    const word = fc.constantFrom('a', 'b', 'ab');
    let rows = 0;
    const row = fc.tuple(word, number).map(([text, request]) => stored(text, `row-${++rows}`, request));
    const told: fc.Arbitrary<Told> = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(word, number, number).map((of) => delta(...of)) },
      { weight: 3, arbitrary: row },
      fc
        .tuple(number, number)
        .map(([request, attempt]): Told => ({ type: 'request.started', turnId, request, attempt })),
      fc.constant<Told>({ type: 'turn.started', turnId }),
      fc.constant<Told>({ type: 'turn.ended', turnId, result: turnResult(turnId) }),
      fc.constant<Told>({ type: 'state', state: 'idle' }),
      fc.constant<Told>({ type: 'row', turnId, row: user(turnId, 'Hi') }),
    );
    fc.assert(
      fc.property(fc.array(told, { maxLength: 12 }), (all) => {
        const message = events(0, ...all);
        assert.deepEqual(withoutRepetition(message).state, reduce(opened(), message));
      }),
      { seed: 11, numRuns: 3_000 },
    );
  });
});
