import assert from 'node:assert/strict';
import type { Clock } from '../../../src/agent/turn/types.ts';
import type { ChildAgent, SessionEvent } from '../../../src/api.ts';
import { batchInterval, EventBatches } from '../../../src/editor/event-batches.ts';
import { agent as agentOf } from '../../../webview/dev/script.ts';

describe('batches of events for the page', () => {
  let sent: (readonly SessionEvent[])[];
  let clock: ManualClock;
  let batches: EventBatches;
  let seq = 0;

  beforeEach(() => {
    sent = [];
    seq = 0;
    clock = new ManualClock();
    batches = new EventBatches(clock, (events) => sent.push(events));
  });

  it('sends the first piece of text at once and joins the later ones every 40 ms', () => {
    batches.push(delta('a'));
    assert.deepEqual(texts(), [['a']]);
    batches.push(delta('b'));
    batches.push(delta('c'));
    assert.deepEqual(texts(), [['a']]);
    clock.pass(batchInterval);
    assert.deepEqual(texts(), [['a'], ['bc']]);
    assert.equal(sent[1]?.[0]?.seq, 3, 'the joined piece carries the newest number');
  });

  it('sends text at once again after a pause', () => {
    batches.push(delta('a'));
    clock.pass(batchInterval);
    batches.push(delta('b'));
    assert.deepEqual(texts(), [['a'], ['b']]);
  });

  it('never keeps anything else waiting, and sends the text before it along', () => {
    batches.push(delta('a'));
    batches.push(delta('b'));
    batches.push({ seq: ++seq, at: 0, type: 'state', state: 'stopping' });
    assert.deepEqual(
      sent.map((events) => events.map((event) => event.type)),
      [['delta'], ['delta', 'state']],
    );
  });

  it('keeps pieces of different requests, attempts and kinds apart', () => {
    batches.push(delta('first'));
    batches.push(delta('a'));
    batches.push(delta('b', { part: 'reasoning' }));
    batches.push(delta('c', { attempt: 2 }));
    clock.pass(batchInterval);
    assert.deepEqual(texts().at(-1), ['a', 'b', 'c']);
  });

  it('I1f. joins a line that is drawn anew with what it stands for', () => {
    const redrawn = (text: string, replaced: number) =>
      batches.push({ ...output('1', text), replaced } as SessionEvent);
    batches.push(output('1', 'first'));
    batches.push(output('1', 'ab'));
    redrawn('c', 1);
    redrawn('xyz', 4);
    clock.pass(batchInterval);
    const told = sent.flat().map((event) => (event.type === 'tool' ? [event.output, event.replaced] : []));
    assert.deepEqual(told, [
      ['first', undefined],
      ['xyz', 2],
    ]);
  });

  it('joins the output of one running tool', () => {
    batches.push(output('1', 'x'));
    batches.push(output('1', 'y'));
    batches.push(output('1', 'z'));
    batches.push(output('2', 'other'));
    clock.pass(batchInterval);
    assert.deepEqual(
      sent.map((events) => events.map((event) => (event.type === 'tool' ? event.output : ''))),
      [['x'], ['yz', 'other']],
    );
  });

  it('shows only the newest of labels that change within one state', () => {
    batches.push(running('write_file 10'));
    for (let characters = 20; characters <= 1000; characters += 10) batches.push(running(`write_file ${characters}`));
    clock.pass(batchInterval);
    assert.deepEqual(
      sent.map((events) => events.map((event) => (event.type === 'state' ? event.label : ''))),
      [['write_file 10'], ['write_file 20'], ['write_file 1000']],
    );
  });

  it('lets the steps of an agent wait, but never how it stands', () => {
    const agent = (overrides: Partial<ChildAgent>): SessionEvent => {
      const child = { ...agentOf('helper', 'Help'), ...overrides };
      return { seq: ++seq, at: 0, type: 'child', childId: child.id, name: child.name, state: child.state, child };
    };
    batches.push(agent({}));
    batches.push(agent({ activity: ['Read a.ts'] }));
    batches.push(agent({ activity: ['Read a.ts', 'Read b.ts'] }));
    assert.equal(sent.length, 2, 'the second step is gathered');
    batches.push(agent({ state: 'finished' }));
    assert.deepEqual(
      sent.map((events) => events.map((event) => (event.type === 'child' ? event.state : ''))),
      [['running'], ['running'], ['running', 'finished']],
    );
  });

  it('makes few messages of a burst, with every character in order', () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `${index} `);
    for (const [index, word] of words.entries()) {
      batches.push(delta(word));
      if (index % 1000 === 999) clock.pass(batchInterval);
    }
    assert.ok(sent.length <= 22, `${sent.length} messages`);
    assert.equal(texts().flat().join(''), words.join(''));
  });

  it('forgets what was gathered when the page gets a snapshot instead', () => {
    batches.push(delta('a'));
    batches.push(delta('b'));
    batches.clear();
    clock.pass(batchInterval);
    assert.deepEqual(texts(), [['a']]);
    assert.equal(clock.waiting, 0);
  });

  function delta(text: string, other: { part?: 'reasoning'; attempt?: number } = {}): SessionEvent {
    return { seq: ++seq, at: 0, turnId: 't', type: 'delta', request: 1, attempt: 1, part: 'text', ...other, text };
  }

  function output(callId: string, text: string): SessionEvent {
    return { seq: ++seq, at: 0, turnId: 't', type: 'tool', callId, name: 'terminal', state: 'running', output: text };
  }

  function running(label: string): SessionEvent {
    return { seq: ++seq, at: 0, turnId: 't', type: 'state', state: 'running', phase: 'model', label };
  }

  function texts(): string[][] {
    return sent.map((events) => events.map((event) => (event.type === 'delta' ? event.text : '')));
  }
});

class ManualClock implements Clock {
  #now = 0;
  #timers: { readonly due: number; readonly callback: () => void }[] = [];

  get waiting(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter((timer) => timer.due <= this.#now);
    this.#timers = this.#timers.filter((timer) => timer.due > this.#now);
    for (const { callback } of due) callback();
  }
}
