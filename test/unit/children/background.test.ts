import assert from 'node:assert/strict';
import { AgentsRig, call, delegate, sent, WIRES } from './agents-rig.ts';

for (const wire of WIRES) {
  describe(`an agent in the background on the ${wire} wire`, () => {
    let agents: AgentsRig;

    beforeEach(async () => {
      agents = await AgentsRig.start(wire);
    });

    afterEach(async () => assert.deepEqual(await agents.close(), []));

    it('lets its call return at once; its end starts nothing and is told once, with the next message', async () => {
      agents.script(
        'Go',
        { steps: [delegate('a', 'Task a', { background: true })] },
        { steps: [{ text: 'It works.' }] },
      );
      agents.script('Task a', { steps: [{ text: 'Report a' }], holdHead: true });
      agents.session.send('Go');
      const first = await agents.session.settled();
      assert.equal(first.finalText, 'It works.');
      const [told] = agents.results();
      assert.equal(told?.status, 'success');
      const [, name = 'none'] = /^Started as (agent-\w{8});/.exec(told?.text ?? '') ?? [];
      (await agents.request('Task a', 0)).release();
      await agents.childIs('a', 'finished');
      assert.equal(agents.session.state, 'idle');
      assert.deepEqual(agents.notices(), []);
      for (const text of ['Next', 'And then']) {
        agents.session.send(text);
        await agents.session.settled();
      }
      assert.deepEqual(agents.notices(), [
        `Delegated agent ${name}: The agent "a" finished after 1 request.\nIts report:\nReport a`,
      ]);
      assert.deepEqual(
        agents.session.rows().map((row) => row.kind),
        ['message', 'text', 'tool_result', 'text', 'notice', 'message', 'text', 'message', 'text'],
      );
      assert.match(sent(agents.requests('Go')[2]), /Report a/);
    });

    it('is moved there by a redirect, which it does not end', async () => {
      agents.script(
        'Go',
        { steps: [delegate('a', 'Task a')] },
        { steps: [{ text: 'Other way.' }] },
        { steps: [{ text: 'Read.' }] },
      );
      agents.script('Task a', { steps: [{ text: 'Report' }, { pause: 'middle' }, { text: ' a' }] });
      agents.session.send('Go');
      await agents.doing('a', 'Report');
      const receipt = agents.session.redirect('Do it another way');
      assert.deepEqual([receipt.outcome, 'reason' in receipt && receipt.reason], ['steering', 'tools_running']);
      const result = await agents.session.settled();
      assert.equal(result.finalText, 'Other way.');
      const [told] = agents.results();
      assert.equal(told?.status, 'yielded');
      assert.match(
        told?.text ?? '',
        /- Report\n\[The agent goes on in the background as agent-\w{8}, because the user sent new guidance/,
      );
      assert.deepEqual([agents.child('a').mode, agents.child('a').state], ['background', 'running']);
      (await agents.request('Task a', 0)).release();
      await agents.childIs('a', 'finished');
      assert.equal(agents.session.state, 'idle');
      agents.session.send('Next');
      await agents.session.settled();
      assert.match(
        agents.notices().join('|'),
        /^Delegated agent agent-\w{8}: The agent "a" finished after 1 request\.\nIts report:\nReport a$/,
      );
    });
  });
}

describe('an agent in the background', () => {
  let agents: AgentsRig;

  beforeEach(async () => {
    agents = await AgentsRig.start('openai-chat');
  });

  afterEach(async () => assert.deepEqual(await agents.close(), []));

  it('ends in a running turn, which is told at its next boundary', async () => {
    agents.script(
      'Go',
      { steps: [delegate('a', 'Task a', { background: true })] },
      { steps: [call('list_files', {})], holdHead: true },
      { steps: [{ text: 'Good.' }] },
    );
    agents.script('Task a', { steps: [{ text: 'Report a' }] });
    agents.session.send('Go');
    const second = await agents.request('Go', 1);
    await agents.childIs('a', 'finished');
    second.release();
    const { finalText } = await agents.session.settled();
    assert.equal(finalText, 'Good.');
    assert.doesNotMatch(sent(second), /Report a/);
    assert.match(sent(agents.requests('Go')[2]), /Report a/);
    assert.equal(agents.notices().length, 1);
  });

  it('is moved there by the user from its card', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: [{ text: 'Report a' }], holdHead: true });
    agents.session.send('Go');
    const request = await agents.request('Task a', 0);
    assert.ok(agents.session.moveToBackground(agents.child('a').callId));
    await agents.session.settled();
    assert.match(agents.results()[0]?.text ?? '', /because the user moved it there/);
    request.release();
    await agents.childIs('a', 'finished');
    assert.equal(agents.session.moveToBackground(agents.child('a').callId), false);
  });

  it('waits for a place like any other, and its call does not', async () => {
    agents.rig.settings = { ...agents.rig.settings, agents: { max: 1, requests: 5 } };
    agents.script('Go', {
      steps: ['a', 'b'].map((name) => delegate(name, `Task ${name}`, { background: true })),
    });
    agents.script('Task a', { steps: [{ text: 'A' }], holdHead: true });
    agents.session.send('Go');
    await agents.session.settled();
    assert.deepEqual([agents.child('a').state, agents.child('b').state], ['running', 'waiting']);
    (await agents.request('Task a', 0)).release();
    await agents.childIs('b', 'finished');
  });

  it('keeps the session of a window open when its holder lets go of it', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
    agents.script('Task a', { steps: [{ text: 'A' }], holdHead: true });
    agents.session.send('Go');
    await agents.session.settled();
    agents.session.dispose();
    assert.ok(agents.rig.agent.live().includes(agents.session));
    (await agents.request('Task a', 0)).release();
    await agents.childIs('a', 'finished');
    agents.session.dispose();
    assert.deepEqual(agents.rig.agent.live(), []);
  });

  it('a long report is cut in its notice', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
    agents.script('Task a', { steps: [{ text: 'x'.repeat(10_000) }] });
    agents.session.send('Go');
    await agents.childIs('a', 'finished');
    await agents.session.settled();
    agents.session.send('Next');
    await agents.session.settled();
    const [notice] = agents.notices();
    assert.ok((notice?.length ?? 0) < 4_300 && (notice?.length ?? 0) > 4_000);
  });
});
