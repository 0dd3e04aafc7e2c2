import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { event } from '../turn/rig.ts';
import { AgentsRig, call, delegate, sent } from './agents-rig.ts';

describe('an approval of an agent', () => {
  let agents: AgentsRig;
  const run = (command: string) => ({ steps: [call('terminal', { command })] });

  beforeEach(async () => {
    agents = await AgentsRig.start('openai-chat');
  });

  afterEach(async () => assert.deepEqual(await agents.close(), []));

  it('is shown and answered in the session, with the name of the agent', async () => {
    agents.script('Go', { steps: [delegate('maker', 'Make it.')] });
    agents.script('Make it.', run('touch made.txt'), { steps: [{ text: 'Made.' }] });
    agents.session.send('Go');
    const opened = await event(agents.session, 'approval.opened');
    const [approval, ...more] = agents.session.approvals();
    assert.ok(approval);
    assert.deepEqual(more, []);
    const { id, turnId } = agents.child('maker');
    assert.deepEqual([approval.id, approval.child], [opened.id, { id, name: 'maker' }]);
    assert.deepEqual([approval.sessionId, opened.turnId], [id, turnId]);
    assert.deepEqual([agents.child('maker').state, agents.session.state], ['waiting', 'running']);
    assert.equal(agents.session.answer('a-nobody', 'once'), false);
    assert.ok(agents.session.answer(approval.id, 'once'));
    assert.equal(agents.session.answer(approval.id, 'once'), false);
    assert.deepEqual(agents.session.approvals(), []);
    await agents.session.settled();
    assert.ok(existsSync(join(agents.rig.folder, 'made.txt')));
    const closed = await event(agents.session, 'approval.closed');
    assert.deepEqual([closed.id, closed.by], [opened.id, 'once']);
  });

  it('is not closed by a steer of the session, which waits for the agent by its name', async () => {
    agents.script('Go', { steps: [delegate('maker', 'Make it.')] }, { steps: [{ text: 'Steered.' }] });
    agents.script('Make it.', run('touch made.txt'), { steps: [{ text: 'Made.' }] });
    agents.session.send('Go');
    const { id } = await event(agents.session, 'approval.opened');
    const receipt = agents.session.steer('Be quick');
    assert.equal(receipt.outcome, 'steering');
    const { callId } = agents.child('maker');
    assert.deepEqual(agents.session.items()[0]?.waitsFor, { what: 'child', label: 'maker', callId });
    assert.equal(agents.session.approvals()[0]?.id, id);
    agents.session.answer(id, 'once');
    const result = await agents.session.settled();
    assert.equal(result.finalText, 'Steered.');
    assert.deepEqual(
      agents.results().map(({ status }) => status),
      ['success'],
    );
    assert.match(sent(agents.requests('Go')[1]), /Be quick/);
  });

  it('denied tells the agent, not its parent', async () => {
    agents.script('Go', { steps: [delegate('maker', 'Make it.')] });
    agents.script('Make it.', run('touch made.txt'), { steps: [{ text: 'I was not allowed to.' }] });
    agents.session.send('Go');
    const { id } = await event(agents.session, 'approval.opened');
    agents.session.answer(id, 'deny', 'not there');
    await agents.session.settled();
    assert.match(sent(agents.requests('Make it.')[1]), /not there/);
    assert.match(agents.results()[0]?.text ?? '', /^I was not allowed to\./);
  });

  it('for the session counts for the session and all of its agents', async () => {
    const add = run('touch log.txt');
    agents.script('Go', { steps: [delegate('a', 'Task a')] }, { steps: [delegate('b', 'Task b')] }, add);
    agents.script('Task a', add);
    agents.script('Task b', add);
    agents.session.send('Go');
    const { id } = await event(agents.session, 'approval.opened');
    assert.ok(agents.session.answer(id, 'session'));
    await agents.session.settled();
    assert.ok(existsSync(join(agents.rig.folder, 'log.txt')));
    for (const name of ['a', 'b']) {
      const child = agents.session.children().find((one) => one.name === name);
      assert.deepEqual(
        (await child?.transcript())?.flatMap((row) => row.status ?? []),
        ['success'],
      );
    }
    assert.deepEqual(
      agents.results().map(({ status }) => status),
      ['success', 'success', 'success'],
    );
    assert.equal(agents.session.events(0).filter(({ type }) => type === 'approval.opened').length, 1);
  });

  it('is withdrawn by a stop', async () => {
    agents.script('Go', { steps: [delegate('maker', 'Make it.')] });
    agents.script('Make it.', run('touch made.txt'));
    agents.session.send('Go');
    const { id } = await event(agents.session, 'approval.opened');
    agents.session.stop();
    await agents.session.settled();
    assert.deepEqual(agents.session.approvals(), []);
    const closed = await event(agents.session, 'approval.closed');
    assert.deepEqual([closed.id, closed.by], [id, 'withdrawn']);
    assert.ok(!existsSync(join(agents.rig.folder, 'made.txt')));
  });

  it('has an id of its own, though the session has a call of the same id', async () => {
    const same = { id: 'call_same' };
    agents.script(
      'Go',
      { steps: [delegate('a', 'Task a', { background: true })] },
      { steps: [{ call: { name: 'terminal', input: { command: 'touch p.txt' }, ...same } }] },
    );
    agents.script('Task a', { steps: [{ call: { name: 'terminal', input: { command: 'touch a.txt' }, ...same } }] });
    agents.session.send('Go');
    await event(agents.session, 'approval.opened', () => agents.session.approvals().length === 2);
    const [own, ofAgent] = agents.session.approvals();
    assert.ok(own && ofAgent);
    assert.notEqual(own.id, ofAgent.id);
    assert.ok(agents.session.answer(ofAgent.id, 'deny'));
    assert.deepEqual(agents.session.approvals(), [own]);
    agents.session.answer(own.id, 'once');
    await agents.session.settled();
    assert.ok(existsSync(join(agents.rig.folder, 'p.txt')));
    assert.ok(!existsSync(join(agents.rig.folder, 'a.txt')));
  });
});

describe('a turn that waits for an agent', () => {
  it('is not taken for one that stands still: the agent is watched for itself', async () => {
    const agents = await AgentsRig.start('openai-chat', { livenessTimeout: 1_000 });
    agents.script('Go', { steps: [delegate('maker', 'Make it.')] }, { steps: [{ text: 'Done.' }] });
    agents.script(
      'Make it.',
      { steps: [call('terminal', { command: 'touch made.txt' })] },
      { steps: [], holdHead: true },
    );
    agents.session.send('Go');
    const { id } = await event(agents.session, 'approval.opened');
    agents.session.answer(id, 'once');
    // The second request of the agent never answers: it is stopped, and the session goes on with that.
    const result = await agents.session.settled();
    assert.equal(result.exitReason, 'answered');
    assert.match(agents.results()[0]?.text ?? '', /was interrupted after 2 requests: nothing moved in it any more/);
    assert.deepEqual(await agents.close(), []);
  });
});
