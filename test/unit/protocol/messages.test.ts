import assert from 'node:assert/strict';
import { parseToHost, parseToView } from '../../../src/protocol/index.ts';

const head = { seq: 7, at: 1_700_000_000_000, turnId: 't1' };

describe('messages to the view', () => {
  it('are kept as they are when they fit', () => {
    const message = {
      type: 'events',
      from: 6,
      to: 7,
      events: [{ ...head, type: 'delta', request: 1, attempt: 1, part: 'text', text: 'Hello' }],
    };
    assert.deepEqual(parseToView(message), { ok: true, message });
  });

  it('are refused with a problem that names the place when an event does not fit', () => {
    const message = { type: 'events', from: 6, to: 7, events: [{ ...head, type: 'delta', request: 'one' }] };
    const parsed = parseToView(message);
    assert.equal(parsed.ok, false);
    assert.match(parsed.ok ? '' : parsed.problem, /events\[0\]/);
  });

  it('carry the producer of a system stop in the exit reason, and nothing else that is not known', () => {
    const result = {
      turnId: 't1',
      completed: false,
      interrupted: true,
      failed: false,
      partial: true,
      survivors: [],
      finalText: '',
      requests: 1,
      attempts: 1,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    };
    const event = (exitReason: string) => ({
      type: 'events',
      from: 1,
      to: 2,
      events: [{ ...head, type: 'turn.ended', result: { ...result, exitReason } }],
    });
    assert.equal(parseToView(event('interrupted_by_system(liveness)')).ok, true);
    assert.equal(parseToView(event('interrupted_by_magic')).ok, false);
  });

  it('say in a reply either a value or why there is none', () => {
    assert.equal(parseToView({ type: 'reply', requestId: 'r1', ok: true, value: true }).ok, true);
    assert.equal(parseToView({ type: 'reply', requestId: 'r1', ok: false, message: 'Closed.' }).ok, true);
    assert.equal(parseToView({ type: 'reply', requestId: 'r1', ok: false }).ok, false);
  });
});

describe('messages to the host', () => {
  it('carry every verb with what it needs', () => {
    const text = { id: 'i1', text: 'Look here', attachments: [] };
    const verbs = [
      ...['send', 'steer', 'redirect', 'queue', 'stopAndSend'].map((verb) => ({ verb, ...text })),
      ...['stop', 'stopAfterStep', 'resumeQueue', 'clearQueue'].map((verb) => ({ verb })),
      ...['withdraw', 'sendNow', 'redirectNow', 'move'].map((verb) => ({ verb, id: 'i1' })),
      { verb: 'edit', id: 'i1', text: 'Look there', revision: 2 },
    ];
    for (const verb of verbs) {
      const message = { type: 'verb', requestId: 'r1', verb };
      assert.deepEqual(parseToHost(message), { ok: true, message });
    }
  });

  it('are refused when an id is longer than 128 characters', () => {
    const verb = { verb: 'withdraw', id: 'x'.repeat(129) };
    assert.equal(parseToHost({ type: 'verb', requestId: 'r1', verb }).ok, false);
  });

  it('run no command that is not on the list', () => {
    assert.equal(parseToHost({ type: 'runCommand', command: 'midcourse.setApiKey' }).ok, true);
    assert.equal(parseToHost({ type: 'runCommand', command: 'workbench.action.terminal.sendSequence' }).ok, false);
  });

  it('are refused, not thrown at, when they are nothing we know', () => {
    for (const raw of [undefined, null, 3, 'ready', [], {}, { type: 'readyy' }]) {
      assert.equal(parseToHost(raw).ok, false);
    }
  });
});
