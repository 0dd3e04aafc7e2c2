import assert from 'node:assert/strict';
import { StorageError } from '../../../src/agent/session/index.ts';
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

  it('keeps a session whose background process runs, so that it can still be ended', async () => {
    const session = rig.agent.create();
    const { folder } = rig;
    const process = await rig.processes[0]?.start({ command: 'sleep 60', cwd: folder, env: {}, turnId: 't' });
    session.dispose();
    assert.equal(rig.agent.open(session.id), session);
    await session.killProcess(process?.id ?? '');
    session.dispose();
    assert.notEqual(rig.agent.open(session.id), session);
  });

  it('keeps a session as long as somebody holds it', async () => {
    const session = rig.agent.create();
    const [one, other] = [session.hold(), session.hold()];
    one.dispose();
    one.dispose();
    session.dispose();
    assert.equal(rig.agent.open(session.id), session);
    other.dispose();
    session.dispose();
    assert.notEqual(rig.agent.open(session.id), session);
  });

  it('keeps a session until the hooks of its last turn have run', async () => {
    const hook = Promise.withResolvers<Record<string, never>>();
    rig.hooks.set('on_session_end', () => hook.promise);
    const session = rig.agent.create();
    session.send('Hello');
    await event(session, 'turn.ended');
    session.dispose();
    assert.deepEqual(rig.agent.live(), [session]);
    hook.resolve({});
    await session.settled();
    session.dispose();
    assert.deepEqual(rig.agent.live(), []);
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

describe('a session that is deleted while it runs', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
    for (const hook of ['agent_loop_stopped', 'on_session_end'] as const) rig.hooks.set(hook, () => ({}));
  });

  afterEach(() => rig.close());

  const fired = () => rig.fired.map(({ event: hook }) => hook);

  it('is stopped like any other, with its hooks, closes its request and is gone', async () => {
    rig.server.script({ steps: [{ text: 'Half' }, { pause: 'never' }] });
    const session = rig.agent.create();
    session.send('Hello');
    await event(session, 'delta');
    rig.agent.delete(session.id);
    assert.deepEqual(rig.agent.list(), []);
    assert.equal((await session.settled()).exitReason, 'interrupted_by_user');
    assert.deepEqual(fired(), ['agent_loop_stopped', 'on_session_end']);
    await (await rig.server.request(0)).closed;
    const refused = session.steer('Too late');
    assert.equal(refused.outcome === 'refused' && refused.reason, 'closed');
  });

  it('ends its command, of which nothing more can be stored', async () => {
    rig.server.script({ steps: [{ call: { name: 'terminal', input: { command: 'echo ready; sleep 60' } } }] });
    const session = rig.agent.create();
    session.onDidEmit((seen) => {
      if (seen.type === 'approval.opened') session.answer(seen.id, 'once');
    });
    session.send('Run');
    await event(session, 'tool', (tool) => tool.output?.includes('ready') ?? false);
    rig.agent.delete(session.id);
    const result = await session.settled();
    assert.equal(result.exitReason, 'interrupted_by_user');
    assert.deepEqual(result.survivors, []);
    assert.deepEqual(fired(), ['agent_loop_stopped', 'on_session_end']);
    assert.deepEqual(rig.agent.live(), []);
  });

  it('ends also where another window runs it', async () => {
    rig.server.script({ steps: [{ text: 'Half' }, { pause: 'p' }, { text: ' whole' }] });
    const session = rig.agent.create();
    session.send('Hello');
    await event(session, 'delta');
    rig.secondWindow().agent.delete(session.id);
    (await rig.server.request(0)).release('p');
    assert.equal((await session.settled()).exitReason, 'interrupted_by_system(taken_over)');
    await event(session, 'notice', () => session.readOnly !== undefined);
    assert.match(session.readOnly ?? '', /deleted in another window/);
  });
});

describe('a session that cannot be deleted', () => {
  it('goes on as if nobody had tried', async () => {
    const rig = await Rig.start('openai-chat');
    try {
      const session = rig.agent.create();
      rig.store.delete = () => {
        throw new StorageError('locked', 'Another window is writing.');
      };
      assert.throws(() => rig.agent.delete(session.id), /Another window/);
      assert.equal(rig.agent.open(session.id), session);
      assert.equal(session.send('Hello').outcome, 'started');
      await session.settled();
    } finally {
      await rig.close();
    }
  });
});

describe('the hook on_session_start', () => {
  it('fires with the first turn of a session, and not again, also after a reload', async () => {
    const rig = await Rig.start('openai-chat');
    try {
      rig.hooks.set('on_session_start', () => ({}));
      const session = rig.agent.create();
      assert.equal(rig.fired.length, 0);
      for (const text of ['One', 'Two']) {
        session.send(text);
        await session.settled();
      }
      const again = rig.reopen(session.id);
      again.send('Three');
      await again.settled();
      const started = rig.fired.map(({ event: fired, payload }) => [fired, payload.session_id]);
      assert.deepEqual(started, [['on_session_start', session.id]]);
    } finally {
      await rig.close();
    }
  });
});

describe('opening a session', () => {
  it('reads each of its rows once', async () => {
    const rig = await Rig.start('openai-chat');
    try {
      const session = rig.agent.create();
      session.send('Hello');
      await session.settled();
      session.dispose();
      const { store } = rig;
      const read = store.rows.bind(store);
      let times = 0;
      store.rows = (...range) => {
        times += 1;
        return read(...range);
      };
      rig.agent.open(session.id);
      assert.equal(times, 1);
    } finally {
      await rig.close();
    }
  });
});

describe('a session that is open in two windows', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start('openai-chat');
  });

  afterEach(() => rig.close());

  it('is not written to by the one that missed what the other wrote: a text is refused once, and what it missed is shown', async () => {
    const here = rig.agent.create();
    here.send('First');
    await here.settled();
    const other = rig.secondWindow();
    const there = other.agent.open(here.id);
    there.send('Second');
    await there.settled();

    const refused = here.send('Third');
    assert.equal(refused.outcome === 'refused' && refused.reason, 'read_only');
    const again = rig.agent.open(here.id);
    assert.equal(again, here);
    assert.equal(again.rows().length, 4);
    again.send('Third');
    assert.equal((await again.settled()).exitReason, 'answered');
    assert.equal(there.send('Fourth').outcome, 'refused');
  });
});
