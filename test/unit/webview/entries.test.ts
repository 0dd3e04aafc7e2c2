import assert from 'node:assert/strict';
import type { TranscriptRow } from '../../../src/api.ts';
import { answer, summary, toolResult, turnResult, user } from '../../../webview/dev/script.ts';
import { type Entry, type EntrySources, entriesOf } from '../../../webview/state/entries.ts';

const nothing: EntrySources = { live: null, reads: new Map(), calls: new Map(), result: undefined };
const live = { turnId: 't1', startedAt: 0, request: 1, attempt: 1, text: '', reasoning: '', tools: [] };
const entries = (rows: readonly TranscriptRow[], sources: Partial<EntrySources> = {}): readonly Entry[] =>
  entriesOf({ key: 's', turnId: 't1', rows }, { ...nothing, ...sources });
const call = (callId: string, name = 'read_file', input: unknown = { path: `${callId}.ts` }) => ({
  callId,
  name,
  input,
});

describe('the entries of a section', () => {
  it('keep the key of an answer from its first letter to its stored row', () => {
    const asked = user('t1', 'Hello');
    const streaming = entries([asked], { live: { ...live, text: 'Hi' } }).find((entry) => entry.is === 'text');
    const stored = entries([asked, answer('t1', 1, 'Hi there')]).find((entry) => entry.is === 'text');
    assert.ok(streaming && stored);
    assert.equal(streaming.key, stored.key);
    assert.equal(streaming.streaming, true);
    assert.equal(stored.streaming, false);
  });

  it('keep a cut answer apart from the one that is written in its place', () => {
    const cut = answer('t1', 1, 'Wrong way', [], { interrupted: 'redirect' });
    const shown = entries([user('t1', 'Go'), cut], { live: { ...live, attempt: 2, text: 'Right way' } });
    const texts = shown.filter((entry) => entry.is === 'text');
    assert.deepEqual(
      texts.map((entry) => [entry.text, entry.interrupted]),
      [
        ['Wrong way', 'redirect'],
        ['Right way', undefined],
      ],
    );
    assert.equal(new Set(texts.map((entry) => entry.key)).size, 2);
  });

  it('read the pieces of an answer that was cut and went on as one text, under the key of the first', () => {
    const asked = user('t1', 'Go');
    const piece = answer('t1', 1, 'The first half', [], { continued: 'length' });
    const nudge: TranscriptRow = { ...answer('t1', 1, 'Go on.'), role: 'notice', kind: 'notice', displayText: null };
    const alone = entries([asked, piece]).filter((entry) => entry.is === 'text');
    const writing = entries([asked, piece, nudge], { live: { ...live, request: 2, text: 'and the' } });
    const whole = entries([asked, piece, nudge, answer('t1', 2, 'and the second.')], {
      result: turnResult('t1', { finalText: '' }),
    });
    const texts = (all: readonly Entry[]) => all.filter((entry) => entry.is === 'text');
    assert.deepEqual(
      [writing, whole].map((all) => texts(all).map(({ text, streaming }) => [text, streaming])),
      [[['The first half\nand the', true]], [['The first half\nand the second.', false]]],
    );
    assert.deepEqual(new Set([...alone, ...texts(writing), ...texts(whole)].map(({ key }) => key)).size, 1);
    const end = whole.find((entry) => entry.is === 'end');
    assert.equal(end?.result.finalText, 'The first half\nand the second.', 'what is copied');
  });

  it('have nothing between a piece and the punctuation that goes on with it', () => {
    const piece = answer('t1', 1, 'One', [], { continued: 'length' });
    const [text] = entries([piece, answer('t1', 2, ', two.')]);
    assert.equal(text?.is === 'text' && text.text, 'One, two.');
  });

  it('keep two answers of one turn apart when the first was whole', () => {
    const rows = [answer('t1', 1, 'I look.', [call('a')]), answer('t1', 2, 'Done.')];
    const texts = entries(rows).filter((entry) => entry.is === 'text');
    assert.deepEqual(
      texts.map(({ text }) => text),
      ['I look.', 'Done.'],
    );
  });

  it('put what was thought between two pieces before the whole', () => {
    const piece = answer('t1', 1, 'One', [], { continued: 'network' });
    const rest = answer('t1', 2, 'two');
    const thought = { ...rest, parts: [{ type: 'thinking' as const, text: 'Hm', signed: false }, ...rest.parts] };
    assert.deepEqual(
      entries([piece, thought]).map((entry) => entry.is),
      ['reasoning', 'text'],
    );
  });

  it('carry the images of a message', () => {
    const row = user('t1', 'Look');
    const image = { type: 'image', mime: 'image/png', ref: 'r1', name: 'a.png' } as const;
    const [entry] = entries([{ ...row, parts: [...row.parts, image] }]);
    assert.deepEqual(entry?.is === 'user' && entry.images, [{ ref: 'r1', name: 'a.png' }]);
  });

  it('show a summary as a line of its own that keeps its text', () => {
    const row = summary('t1', 'What came before');
    assert.deepEqual(entries([user('t1', 'Go'), row]).at(-1), {
      is: 'summary',
      key: row.id,
      text: 'What came before',
    });
  });

  it('fold reads in a row, but never one that failed', () => {
    const rows = [
      answer('t1', 1, '', [call('a'), call('b'), call('c')]),
      toolResult('t1', 'a', '', { label: 'Read a.ts', durationMs: 1 }),
      toolResult('t1', 'b', '', { label: 'Read b.ts', durationMs: 1 }),
      toolResult('t1', 'c', '', { label: 'Read c.ts', durationMs: 1 }, 'error'),
    ];
    assert.deepEqual(
      entries(rows).map((entry) => entry.is),
      ['group', 'tool'],
    );
  });

  it('show a call from its stored row on, with what its run says and later its result', () => {
    const rows = [answer('t1', 1, '', [call('c', 'terminal', { command: 'npm test' })])];
    const tool = {
      callId: 'c',
      name: 'terminal',
      state: 'running',
      label: 'Ran npm test',
      startedAt: 5,
      output: 'so far',
    };
    const [running] = entries(rows, { live: { ...live, tools: [tool] } });
    assert.ok(running?.is === 'tool');
    assert.deepEqual([running.state, running.output, running.startedAt], ['running', 'so far', 5]);
    const [done] = entries([
      ...rows,
      toolResult('t1', 'c', 'all of it', { label: 'Ran npm test', detail: 'exit 1', durationMs: 9 }, 'error'),
    ]);
    assert.ok(done?.is === 'tool');
    assert.deepEqual([done.state, done.output, done.detail, done.key], ['error', 'all of it', 'exit 1', running.key]);
  });

  it('say of a call without a result that it waits while the turn lives, and that it was not run afterwards', () => {
    const rows = [answer('t1', 1, '', [call('c', 'terminal', { command: 'npm test' })])];
    const state = (sources: Partial<EntrySources>) =>
      entries(rows, sources).flatMap((entry) => (entry.is === 'tool' ? [entry.state] : []));
    assert.deepEqual(state({ live }), ['waiting']);
    assert.deepEqual(state({}), ['not_run']);
  });

  it('hide what only the model sees', () => {
    const closing = answer('t1', 1, 'closing words', [], { kind: 'closing', displayText: null });
    assert.deepEqual(entries([closing]), []);
  });

  it('say of a steer whether the model has read it', () => {
    const steer = user('t1', 'Look', { kind: 'steer', request: 4, itemIds: ['i1'] });
    const read = (reads: ReadonlyMap<string, boolean>) =>
      entries([steer], { reads }).flatMap((entry) => (entry.is === 'user' ? [entry.read] : []));
    assert.deepEqual(read(new Map([['i1', false]])), [false]);
    assert.deepEqual(read(new Map()), [true]);
  });

  it('end with the result of the turn', () => {
    const shown = entries([answer('t1', 1, 'Done')], { result: turnResult('t1') });
    assert.equal(shown.at(-1)?.is, 'end');
  });
});
