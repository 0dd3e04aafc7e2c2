import assert from 'node:assert/strict';
import { event } from '../turn/rig.ts';
import { AgentsRig, call, delegate, sent, WIRES } from './agents-rig.ts';

for (const wire of WIRES) {
  describe(`after a reload, on the ${wire} wire`, () => {
    let agents: AgentsRig;

    beforeEach(async () => {
      agents = await AgentsRig.start(wire);
    });

    afterEach(async () => assert.deepEqual(await agents.close(), []));

    it('an agent that ran in the background is interrupted, and the model is told once', async () => {
      agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
      agents.script('Task a', { steps: [call('list_files', {})] }, { steps: [{ text: 'Half' }, { pause: true }] });
      agents.session.send('Go');
      await agents.session.settled();
      const before = await agents.doing('a', 'Half');
      const session = agents.reopen();
      const [child] = session.childAgents();
      assert.ok(child);
      assert.equal(child.state, 'interrupted');
      const { id, name, task, turnId, callId, mode, startedAt } = before;
      assert.deepEqual({ ...child, ...{ id, name, task, turnId, callId, mode, startedAt } }, child);
      assert.equal(session.state, 'idle');
      assert.deepEqual(agents.requests('Go').length, 2);
      for (const text of ['Next', 'And then']) {
        agents.session.send(text);
        await agents.session.settled();
      }
      assert.equal(agents.notices().length, 1);
      assert.match(
        agents.notices()[0] ?? '',
        /"a" was interrupted after \d requests?: the editor was closed or reloaded/,
      );
      agents.reopen().send('Once more');
      await agents.session.settled();
      assert.equal(agents.notices().length, 1);
      assert.equal(sent(agents.requests('Go').at(-1)).split('the editor was closed or reloaded').length, 2);
    });

    it('an agent in the foreground keeps what it had said, and the model is told of it', async () => {
      agents.script('Go', { steps: [delegate('a', 'Task a')] });
      agents.script('Task a', { steps: [{ text: 'Half of a' }, { pause: true }] });
      agents.session.send('Go');
      await agents.doing('a', 'Half of a');
      agents.reopen();
      assert.equal(agents.child('a').state, 'interrupted');
      agents.session.send('Next');
      await agents.session.settled();
      assert.match(agents.notices().join('|'), /^[^|]*What it had said:\nHalf of a$/);
    });

    it('what the user had sent to an agent and it did not read is told with its end', async () => {
      agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
      agents.script('Task a', { steps: [call('list_files', {})] }, { steps: [{ text: 'Half' }, { pause: true }] });
      agents.session.send('Go');
      await agents.session.settled();
      agents.session.children()[0]?.steer('This was read');
      await agents.doing('a', 'Half');
      agents.session.children()[0]?.steer('Mind the gap');
      agents.reopen().send('Next');
      await agents.session.settled();
      assert.match(agents.notices().join('|'), /^[^|]*The user sent it this, which it did not read: Mind the gap\n/);
    });

    it('an end is told also when the report of another agent has named it', async () => {
      const background = { background: true };
      agents.script('Go', { steps: [delegate('a', 'Task a', background)] }, { steps: [{ text: 'Well' }] });
      agents.script('Task a', { steps: [{ text: 'Half of a' }, { pause: true }] });
      agents.session.send('Go');
      await agents.session.settled();
      await agents.doing('a', 'Half of a');
      const name = `agent-${agents.child('a').id.slice(0, 8)}`;
      agents.script('Go', { steps: [delegate('b', 'Task b', background)] });
      agents.script('Task b', { steps: [{ text: `Delegated ${name} is at work` }] });
      agents.session.send('Look after it');
      await agents.session.settled();
      await agents.childIs('b', 'finished');
      agents.session.send('And then');
      await agents.session.settled();
      agents.reopen().send('Next');
      await agents.session.settled();
      assert.match(agents.notices().join('|'), /^[^|]*is at work\|[^|]*"a" was interrupted/);
    });

    it('an end that was not told yet is told, and one that was told is not', async () => {
      agents.script('Go', { steps: [delegate('a', 'Task a', { background: true }), delegate('b', 'Task b')] });
      agents.script('Task a', { steps: [{ text: 'Report a' }], holdHead: true });
      agents.script('Task b', { steps: [{ text: 'Report b' }] });
      agents.session.send('Go');
      await agents.session.settled();
      (await agents.request('Task a', 0)).release();
      await agents.childIs('a', 'finished');
      agents.reopen();
      assert.deepEqual(
        agents.session.childAgents().map(({ name, state, mode }) => [name, state, mode]),
        [
          ['a', 'finished', 'background'],
          ['b', 'finished', 'foreground'],
        ],
      );
      agents.session.send('Next');
      await agents.session.settled();
      assert.equal(agents.notices().length, 1);
      assert.match(agents.notices()[0] ?? '', /Report a$/);
      const rows = await agents.session.children()[1]?.transcript();
      assert.deepEqual(
        rows?.map((row) => row.displayText),
        ['Task b', 'Report b'],
      );
    });
  });
}

describe('with two windows', () => {
  it('the end of an agent is told by the window that goes on first, and by no other', async () => {
    const agents = await AgentsRig.start('openai-chat');
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
    agents.script('Task a', { steps: [{ text: 'Report a' }], holdHead: true });
    agents.session.send('Go');
    await agents.session.settled();
    (await agents.request('Task a', 0)).release();
    await agents.childIs('a', 'finished');
    const other = agents.rig.secondWindow().agent.open(agents.session.id);
    assert.deepEqual(
      other.childAgents().map(({ name, state }) => [name, state]),
      [['a', 'finished']],
    );
    other.send('Next');
    await other.settled();
    assert.equal(agents.rig.agent.open(agents.session.id), agents.session);
    agents.session.send('And then');
    await agents.session.settled();
    assert.equal(agents.notices().length, 1);
    assert.deepEqual(await agents.close(), []);
  });

  it('the end of an agent that works in the other one is told and shown as soon as it is looked for', async () => {
    const agents = await AgentsRig.start('openai-chat');
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
    agents.script('Task a', { steps: [{ text: 'Report a' }], holdHead: true });
    agents.session.send('Go');
    await agents.session.settled();
    const request = await agents.request('Task a', 0);
    const other = agents.rig.secondWindow().agent.open(agents.session.id);
    other.send('Next');
    await other.settled();
    request.release();
    await agents.childIs('a', 'finished');
    const { seq } = other;
    other.look();
    assert.equal(other.childAgents()[0]?.state, 'finished');
    await event(other, 'child', ({ child }) => child.state === 'finished', seq);
    other.send('And then');
    await other.settled();
    assert.match(agents.notices().join('|'), /^[^|]*Report a$/);
    agents.rig.agent.open(agents.session.id).send('Once more');
    await agents.session.settled();
    assert.equal(agents.notices().length, 1);
    assert.deepEqual(await agents.close(), []);
  });

  it('an agent that works in the other one can be stopped here', async () => {
    const agents = await AgentsRig.start('openai-chat');
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
    agents.script('Task a', { steps: [{ text: 'Report a' }], holdHead: true });
    agents.session.send('Go');
    await agents.session.settled();
    const request = await agents.request('Task a', 0);
    const other = agents.rig.secondWindow().agent.open(agents.session.id);
    const { id } = agents.child('a');
    assert.equal(other.stopChild(id, 'card')?.outcome, 'stopping');
    await agents.childIs('a', 'interrupted');
    assert.equal((await request.closed).by, 'client');
    assert.equal(other.stopChild(id, 'card')?.outcome, 'nothing_running');
    agents.session.send('Next');
    await agents.session.settled();
    assert.match(agents.notices().join('|'), /^[^|]*"a" was interrupted after 1 request: another window stopped it\./);
    assert.deepEqual(await agents.close(), []);
  });

  it('an agent that works here goes on when the other window goes on with the session', async () => {
    const agents = await AgentsRig.start('openai-chat');
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
    agents.script('Task a', { steps: [{ text: 'Report a' }], holdHead: true });
    agents.session.send('Go');
    await agents.session.settled();
    const request = await agents.request('Task a', 0);
    const other = agents.rig.secondWindow().agent.open(agents.session.id);
    assert.equal(other.childAgents()[0]?.state, 'running');
    other.send('Next');
    await other.settled();
    assert.equal(agents.rig.agent.open(agents.session.id), agents.session);
    request.release();
    await agents.childIs('a', 'finished');
    agents.session.send('And then');
    await agents.session.settled();
    assert.match(agents.notices().join('|'), /^[^|]*Report a$/);
    assert.deepEqual(await agents.close(), []);
  });
});

describe('an agent that has ended', () => {
  it('costs the opening of its session its newest rows alone, and still says what it did last', async () => {
    const agents = await AgentsRig.start('openai-chat', { agents: { max: 1, requests: 30 } });
    try {
      agents.script('Go', { steps: [delegate('a', 'Task a')] });
      const looks = Array.from({ length: 20 }, () => ({ steps: [call('list_files', {})] }));
      agents.script('Task a', ...looks, { steps: [{ text: 'Report a' }] });
      agents.session.send('Go');
      await agents.session.settled();
      const before = agents.child('a');
      const { store, agent } = agents.rig.secondWindow();
      const rows = store.rows.bind(store);
      const read: number[] = [];
      store.rows = (sessionId, range) => {
        const found = rows(sessionId, range);
        if (sessionId === before.id) read.push(found.length);
        return found;
      };
      const [child] = agent.open(agents.session.id).childAgents();
      assert.deepEqual(child?.activity, before.activity);
      assert.equal(rows(before.id).length, 42);
      assert.deepEqual(read, [20]);
    } finally {
      assert.deepEqual(await agents.close(), []);
    }
  });
});
