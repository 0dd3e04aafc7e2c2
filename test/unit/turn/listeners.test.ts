import assert from 'node:assert/strict';
import type { SessionEvent } from '../../../src/api.ts';
import { event, Rig } from './rig.ts';

describe('a listener that answers an event with a verb', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
  });

  afterEach(() => rig.close());

  it('can stop a turn at its very first event', async () => {
    const session = rig.agent.create();
    const first = session.onDidEmit(() => {
      first.dispose();
      assert.equal(session.stop().outcome, 'stopping');
    });
    session.send('Hello');
    assert.equal(session.state, 'idle');
    assert.equal((await session.settled()).exitReason, 'interrupted_by_user');
  });

  it('can redirect as soon as its own message is a row: the request is asked once, with both', async () => {
    rig.server.script({ steps: [{ text: 'Done' }] });
    const session = rig.agent.create();
    const listening = session.onDidEmit((told) => {
      if (told.type !== 'row') return;
      listening.dispose();
      assert.equal(session.redirect('Rather this').outcome, 'redirecting');
    });
    session.send('Hello');
    const result = await session.settled();
    assert.deepEqual([result.exitReason, result.finalText], ['answered', 'Done']);
    const request = await rig.server.request(rig.server.requests.length - 1);
    assert.match(JSON.stringify(request.body), /Hello.*Rather this/);
  });

  it('is told of nothing before it counts, and every listener hears the events in their order', async () => {
    rig.server.script({ steps: [{ text: 'Half' }, { pause: 'never' }] });
    const session = rig.agent.create();
    const heard: SessionEvent[] = [];
    const states: string[] = [];
    session.onDidEmit((told) => {
      if (told.type === 'turn.started') session.queue('Next');
      if (told.type === 'turn.ended') states.push(session.state);
    });
    session.onDidEmit((told) => heard.push(told));
    session.send('Hello');
    await event(session, 'delta');
    session.stop();
    assert.deepEqual(states, ['idle']);
    const numbers = heard.map(({ seq }) => seq);
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    );
  });
});

describe('the result of a turn', () => {
  it('holds no error when a request was answered after it had failed once', async function () {
    // It really waits before it asks again.
    this.timeout(20_000);
    const rig = await Rig.start('openai-chat');
    try {
      rig.server.script({ status: 503, headers: { 'retry-after': '0' } });
      rig.server.script({ steps: [{ text: 'Now' }] });
      const session = rig.agent.create();
      session.send('Hello');
      const result = await session.settled();
      assert.deepEqual([result.exitReason, result.attempts, result.error], ['answered', 2, undefined]);
    } finally {
      await rig.close();
    }
  });
});
