import assert from 'node:assert/strict';
import { event } from '../turn/rig.ts';
import { AgentsRig, call, delegate, sent } from './agents-rig.ts';

describe('a steer to an agent', () => {
  let agents: AgentsRig;

  beforeEach(async () => {
    agents = await AgentsRig.start('openai-chat');
  });

  afterEach(async () => assert.deepEqual(await agents.close(), []));

  it('arrives in its next request, and not in its parent', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: [call('list_files', {})], holdHead: true }, { steps: [{ text: 'Report a' }] });
    agents.session.send('Go');
    const first = await agents.request('Task a', 0);
    const receipt = agents.session.children()[0]?.steer('Only the tests', { id: 'my-steer' });
    assert.deepEqual([receipt?.outcome, receipt?.id], ['steering', 'my-steer']);
    first.release();
    await agents.session.settled();
    assert.match(sent(agents.requests('Task a')[1]), /Only the tests/);
    for (const request of agents.requests('Go')) assert.doesNotMatch(sent(request), /Only the tests/);
    assert.ok(agents.child('a').activity.includes('Steered: Only the tests'));
  });

  it('waits with an agent that waits for a place', async () => {
    agents.rig.settings = { ...agents.rig.settings, agents: { max: 1, requests: 5 } };
    agents.script('Go', { steps: [delegate('a', 'Task a'), delegate('b', 'Task b')] });
    agents.script('Task a', { steps: [{ text: 'A' }], holdHead: true });
    agents.session.send('Go');
    const a = await agents.request('Task a', 0);
    assert.equal(agents.session.children()[1]?.steer('Only the tests').outcome, 'steering');
    a.release();
    assert.match(sent(await agents.request('Task b', 0)), /Only the tests/);
    await agents.session.settled();
  });

  it('while it writes its last words leads one more turn of it', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script(
      'Task a',
      { steps: [{ text: 'Report' }, { pause: 'middle' }] },
      { steps: [{ text: 'Better report' }] },
    );
    agents.session.send('Go');
    await agents.doing('a', 'Report');
    agents.session.children()[0]?.steer('And the docs');
    agents.requests('Task a')[0]?.release();
    await agents.session.settled();
    assert.match(agents.results()[0]?.text ?? '', /^Better report\n\n\[The agent "a" finished after 2 requests/);
  });

  it('is refused once it has ended', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.session.send('Go');
    await agents.session.settled();
    const before = agents.session.children()[0]?.steer('Too late');
    assert.deepEqual([before?.outcome, before && 'reason' in before && before.reason], ['refused', 'closed']);
    const after = agents.reopen().children()[0]?.steer('Too late');
    assert.deepEqual([after?.outcome, after && 'reason' in after && after.reason], ['refused', 'closed']);
  });

  it('is refused while it is being stopped: it would start it again', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: [call('terminal', { command: "trap '' INT; touch ready; sleep 300" })] });
    agents.session.send('Go');
    const { id } = await event(agents.session, 'approval.opened');
    assert.ok(agents.session.answer(id, 'once'));
    await agents.appears('ready');
    const settled = agents.session.settled();
    agents.session.stop();
    assert.equal(agents.child('a').state, 'stopping');
    const receipt = agents.session.children()[0]?.steer('Go on');
    assert.deepEqual([receipt?.outcome, receipt && 'reason' in receipt && receipt.reason], ['refused', 'closed']);
    assert.equal((await settled).exitReason, 'interrupted_by_user');
    assert.equal(agents.requests('Task a').length, 1);
  });

  it('that it did not read before it was stopped is told to its parent', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: [], holdHead: true });
    agents.session.send('Go');
    await agents.request('Task a', 0);
    const [child] = agents.session.children();
    child?.steer('Only the tests');
    child?.stop();
    await agents.session.settled();
    assert.match(agents.results()[0]?.text ?? '', /The user sent it this, which it did not read: Only the tests\]$/);
  });
});
