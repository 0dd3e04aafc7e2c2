import assert from 'node:assert/strict';
import { event, Rig } from './rig.ts';

describe('letting go of a session', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
  });

  afterEach(() => rig.close());

  it('closes an idle session, and the next opening reads it again', async () => {
    const session = rig.agent.create();
    session.send('Hello');
    await session.settled();
    session.dispose();
    assert.equal(session.send('Closed').outcome, 'refused');
    const again = rig.agent.open(session.id);
    assert.notEqual(again, session);
    assert.equal(again.rows().length, 2);
    assert.equal(again.send('More').outcome, 'started');
    assert.equal((await again.settled()).exitReason, 'answered');
  });

  it('lets a running turn go on', async () => {
    rig.server.script({ steps: [{ text: 'Half' }, { pause: 'p' }, { text: ' whole' }] });
    const session = rig.agent.create();
    session.send('Hello');
    await event(session, 'delta');
    session.dispose();
    assert.equal(rig.agent.open(session.id), session);
    (await rig.server.request(0)).release('p');
    assert.equal((await session.settled()).finalText, 'Half whole');
  });
});
