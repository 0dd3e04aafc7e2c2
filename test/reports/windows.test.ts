import assert from 'node:assert/strict';
import { event, replay, sent } from './replay.ts';

describe('reports 11, two windows', function () {
  this.timeout(30_000);
  const at = replay('openai-chat');

  it('B161: two windows on one folder have two sessions that run at once, and one list', async () => {
    const { rig, session } = at();
    const other = rig.secondWindow();
    const there = other.agent.create();
    session.send('Mine');
    there.send('Yours');
    await Promise.all([session.settled(), there.settled()]);
    assert.deepEqual(
      [session, there].map((one) => one.rows().map((row) => row.displayText)),
      [
        ['Mine', 'You said: Mine'],
        ['Yours', 'You said: Yours'],
      ],
    );
    const ids = [session.id, there.id].sort();
    for (const agent of [rig.agent, other.agent]) {
      assert.deepEqual(
        agent
          .list()
          .map(({ id }) => id)
          .sort(),
        ids,
      );
    }
  });

  it('B161, control 131: a session that runs in one window can only be read in the other, and is not ended by it', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'Half' }, { pause: 'p' }, { text: ' and whole' }] });
    session.send('Go');
    await event(session, 'delta');
    const there = rig.secondWindow().agent.open(session.id);
    for (const verb of ['send', 'steer', 'queue', 'redirect'] as const) {
      const receipt = there[verb]('Me too');
      assert.equal(receipt.outcome === 'refused' && receipt.reason, 'read_only', verb);
    }
    (await rig.server.request(0)).release('p');
    assert.equal((await session.settled()).finalText, 'Half and whole');
    assert.equal(rig.server.requests.length, 1);
  });

  it('B163: a session that went on in another window is shown as it is before anything is said in it', async () => {
    const { rig, session } = at();
    session.send('One');
    await session.settled();
    const there = rig.secondWindow().agent.open(session.id);
    there.send('Two');
    await there.settled();
    const refused = session.send('Three', { id: 'three' });
    assert.equal(refused.outcome === 'refused' && refused.reason, 'read_only');
    assert.equal(rig.server.requests.length, 2, 'nothing is sent on an old past');
    assert.equal(session.rows().length, 4, 'what it missed is shown');
    assert.equal(session.send('Three').outcome, 'started');
    await session.settled();
    for (const words of ['One', 'Two', 'Three']) assert.ok(sent(rig, 2).includes(words));
  });

  it('B163: a session that is taken over ends its turn there, and goes on here with its text and its queue', async () => {
    const { rig, session } = at();
    rig.server.script({ steps: [{ text: 'Half' }, { pause: 'p' }] });
    session.send('Go');
    await event(session, 'delta');
    session.queue('Later', { id: 'later' });
    const there = rig.secondWindow().agent.open(session.id);
    assert.ok(await there.takeOver());
    assert.equal((await session.settled()).exitReason, 'interrupted_by_system(taken_over)');
    assert.equal((await (await rig.server.request(0)).closed).by, 'client');
    assert.equal(there.items().find(({ id }) => id === 'later')?.state.is, 'held');
    there.send('Go on here');
    assert.equal((await there.settled()).exitReason, 'answered');
    assert.ok(sent(rig, 1).includes('Half'));
    const refused = session.send('And here');
    assert.equal(refused.outcome === 'refused' && refused.reason, 'read_only');
  });
});
