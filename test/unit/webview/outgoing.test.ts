import assert from 'node:assert/strict';
import type { Receipt } from '../../../src/api.ts';
import { events, item, snapshot, user } from '../../../webview/dev/script.ts';
import { type ChatState, initialState } from '../../../webview/state/chat-state.ts';
import { sendOptimistically, takeBack, takeReceipt } from '../../../webview/state/outgoing.ts';
import { reduce } from '../../../webview/state/reduce.ts';

const idle = reduce(initialState, snapshot());
const busy = reduce(initialState, snapshot({ state: { state: 'running', phase: 'tool' } }));
const receipt = (outcome: 'started' | 'steering' | 'queued', more: Partial<Receipt> = {}): Receipt =>
  ({ id: 'mine', verb: 'send', seq: 1, outcome, ...more }) as Receipt;
const places = (state: ChatState) => state.outgoing.map((sent) => sent.place);

describe('a text on its way', () => {
  it('is shown at once: as a message when idle, on the shelf while a turn runs', () => {
    assert.deepEqual(places(sendOptimistically(idle, 'mine', 'Hello', 'send')), ['transcript']);
    assert.deepEqual(places(sendOptimistically(busy, 'mine', 'Hello', 'send')), ['shelf']);
  });

  it('makes place for the row that holds it, by id and never by text', () => {
    const sent = sendOptimistically(idle, 'mine', 'Hello', 'send');
    const other = reduce(sent, events(0, { type: 'row', row: user('t1', 'Hello', { itemIds: ['other'] }) }));
    assert.equal(other.outgoing.length, 1);
    const mine = reduce(other, events(1, { type: 'row', row: user('t1', 'Hello', { itemIds: ['mine'] }) }));
    assert.equal(mine.outgoing.length, 0);
  });

  it('makes place for the first row of the turn it started, whichever comes first', () => {
    const row = { type: 'row', row: user('t9', 'Hello', { itemIds: [] }) } as const;
    const sent = sendOptimistically(idle, 'mine', 'Hello', 'send');
    const rowFirst = takeReceipt(reduce(sent, events(0, row)), receipt('started', { turnId: 't9' }));
    const receiptFirst = reduce(takeReceipt(sent, receipt('started', { turnId: 't9' })), events(0, row));
    assert.deepEqual([rowFirst.outgoing, receiptFirst.outgoing], [[], []]);
  });

  it('makes place for its item, and stays until then', () => {
    const sent = takeReceipt(sendOptimistically(busy, 'mine', 'Hello', 'send'), receipt('steering'));
    assert.equal(sent.outgoing.length, 1);
    const after = reduce(sent, events(0, { type: 'item', item: item('steer', 'Hello', { id: 'mine' }) }));
    assert.deepEqual(after.outgoing, []);
  });

  it('moves where the receipt says it went', () => {
    const raced = takeReceipt(sendOptimistically(idle, 'mine', 'Hello', 'send'), receipt('steering'));
    assert.deepEqual(places(raced), ['shelf']);
  });

  it('survives a new snapshot of its session, and no other session gets it', () => {
    const sent = sendOptimistically(idle, 'mine', 'Hello', 'send');
    assert.equal(reduce(sent, snapshot({ seq: 4 })).outgoing.length, 1);
    assert.equal(reduce(sent, snapshot({ session: { id: 's2', title: '' } })).outgoing.length, 0);
  });

  it('comes back with the reason when it was refused or did not arrive', () => {
    const sent = sendOptimistically(idle, 'mine', 'Hello', 'send');
    const refused = takeReceipt(sent, {
      ...{ id: 'mine', verb: 'send', seq: 1, outcome: 'refused', reason: 'no_model', message: 'No model is chosen.' },
    } as Receipt);
    for (const state of [refused, takeBack(sent, 'mine', 'No model is chosen.')]) {
      assert.deepEqual(state.outgoing, []);
      assert.deepEqual(state.quietLine, { level: 'error', text: 'No model is chosen.', draft: 'Hello' });
    }
  });

  it('comes back with its images', () => {
    const image = { kind: 'image', name: 'a.png', ref: 'r1' } as const;
    const sent = sendOptimistically(idle, 'mine', '', 'send', [image]);
    assert.deepEqual(takeBack(sent, 'mine', 'The disk is full.').quietLine?.images, [image]);
  });

  it('says when it became a weaker verb, and why', () => {
    const state = takeReceipt(
      busy,
      receipt('steering', { verb: 'redirect', downgradedFrom: 'redirect', reason: 'tools_running' }),
    );
    assert.match(state.quietLine?.text ?? '', /^Not redirected: tools are running.*steer\.$/);
  });
});
