import assert from 'node:assert/strict';
import { StorageError } from '../../../src/agent/session/index.ts';
import type { LiveSession } from '../../../src/agent/turn/index.ts';
import { event, Rig } from './rig.ts';

const WRITE = { call: { name: 'write_file', input: { path: 'a.txt', content: 'a' } } };

describe('a stop that cannot be stored', () => {
  let rig: Rig;
  let session: LiveSession;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
    session = rig.agent.create();
    rig.server.script({ steps: [WRITE] }, { steps: [{ text: 'Fine.' }] });
    session.send('Write');
    await event(session, 'approval.opened');
  });

  afterEach(() => rig.close());

  /** The next `times` writes find the database locked. */
  function lock(times: number): void {
    const commit = rig.store.commit.bind(rig.store);
    let left = times;
    rig.store.commit = (written) => {
      if (left-- > 0) throw new StorageError('locked', 'Another window is writing.');
      commit(written);
    };
  }

  function stored(): (readonly [string, string | undefined])[] {
    return rig.store.rows(session.id).map(({ kind, status }) => [kind, status]);
  }

  it('ends the turn all the same and says that it is not stored', () => {
    lock(1);
    assert.equal(session.stop().outcome, 'stopping');
    assert.equal(session.state, 'idle');
    assert.ok(session.events(0).some((told) => told.type === 'notice' && told.kind === 'not_stored'));
  });

  it('is stored before what comes next, so that each call keeps its result', async () => {
    lock(1);
    session.stop();
    session.send('Go on');
    await session.settled();
    assert.deepEqual(stored().slice(0, 4), [
      ['message', undefined],
      ['text', undefined],
      ['tool_result', 'withdrawn'],
      ['closing', undefined],
    ]);
    const turns = rig.store.turns(session.id);
    assert.deepEqual(
      turns.map(({ result }) => result?.exitReason),
      ['interrupted_by_user', 'answered'],
    );
    const request = rig.server.requests.at(-1);
    assert.equal(request?.invalid, undefined);
  });

  it('is stored as the session is closed', () => {
    lock(1);
    session.stop();
    const again = rig.reopen(session.id);
    assert.equal(again.turnResult(rig.store.turns(session.id)[0]?.id ?? '')?.exitReason, 'interrupted_by_user');
    assert.deepEqual(stored().slice(2), [
      ['tool_result', 'withdrawn'],
      ['closing', undefined],
    ]);
  });

  it('keeps new texts out until it can be stored', () => {
    lock(2);
    session.stop();
    const refused = session.send('Go on');
    assert.equal(refused.outcome === 'refused' && refused.reason, 'storage_busy');
    assert.equal(session.send('Go on now').outcome, 'started');
  });
});
