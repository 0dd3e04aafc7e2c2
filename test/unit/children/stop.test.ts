import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../../../src/agent/session/index.ts';
import { event } from '../turn/rig.ts';
import { AgentsRig, call, delegate, sent, WIRES } from './agents-rig.ts';

const onLinux = process.platform === 'linux' ? it : it.skip;
const holdText = (text: string) => ({ steps: [{ text }, { pause: 'middle' }, { text: ' never seen' }] });

for (const wire of WIRES) {
  describe(`a stop and agents on the ${wire} wire`, () => {
    let agents: AgentsRig;

    beforeEach(async () => {
      agents = await AgentsRig.start(wire);
    });

    afterEach(async () => assert.deepEqual(await agents.close(), []));

    it('reaches all of them, and each gives its partial result as interrupted', async () => {
      agents.script('Go', { steps: [delegate('a', 'Task a'), delegate('b', 'Task b')] });
      agents.script('Task a', holdText('Half of a'));
      agents.script('Task b', holdText('Half of b'));
      agents.session.send('Go');
      const requests = await Promise.all(['Task a', 'Task b'].map((task) => agents.request(task, 0)));
      await Promise.all(requests.map((request) => request.paused('middle')));
      await agents.doing('a', 'Half of a');
      await agents.doing('b', 'Half of b');
      assert.equal(agents.session.stop().outcome, 'stopping');
      const result = await agents.session.settled();
      assert.equal(result.exitReason, 'interrupted_by_user');
      for (const request of requests) assert.equal((await request.closed).by, 'client');
      const told = agents.results();
      assert.deepEqual(
        told.map(({ status }) => status),
        ['stopped', 'stopped'],
      );
      assert.match(
        told[0]?.text ?? '',
        /^Half of a\n\n\[The agent "a" was interrupted after 1 request: your turn was stopped/,
      );
      assert.deepEqual([agents.child('a').state, agents.child('b').state], ['interrupted', 'interrupted']);
      assert.equal(agents.rig.server.requests.length, 3);
      agents.script('Go', { steps: [{ text: 'Well.' }] });
      agents.session.send('And now?');
      await agents.session.settled();
      assert.match(sent(agents.requests('Go')[1]), /Half of b/);
    });

    onLinux('ends the command of an agent with its whole tree', async () => {
      agents.script('Go', { steps: [delegate('a', 'Task a')] });
      const command = 'setsid sleep 300 & echo $! > pid; touch ready; sleep 300';
      agents.script('Task a', { steps: [call('terminal', { command })] });
      agents.session.send('Go');
      const { id } = await event(agents.session, 'approval.opened');
      assert.ok(agents.session.answer(id, 'once'));
      await agents.appears('ready');
      agents.session.stop();
      await agents.session.settled();
      const pid = readFileSync(join(agents.rig.folder, 'pid'), 'utf8').trim();
      assert.ok(!runs(pid));
      assert.match(
        agents.results()[0]?.text ?? '',
        /was interrupted.*\nWhat it did last:\n- Did not finish running setsid/s,
      );
      const [row] =
        (await agents.session.children()[0]?.transcript())?.filter((one) => one.kind === 'tool_result') ?? [];
      assert.equal(row?.status, 'stopped');
    });
  });
}

describe('a stop', () => {
  let agents: AgentsRig;

  beforeEach(async () => {
    agents = await AgentsRig.start('openai-chat');
  });

  afterEach(async () => assert.deepEqual(await agents.close(), []));

  it('reaches agents in the background, and their ends are told with the next message', async () => {
    agents.script(
      'Go',
      { steps: [delegate('a', 'Task a', { background: true })] },
      { steps: [{ text: 'Meanwhile' }, { pause: 'parent' }] },
    );
    agents.script('Task a', holdText('Half of a'));
    agents.session.send('Go');
    await agents.doing('a', 'Half of a');
    await (await agents.request('Go', 1)).paused('parent');
    agents.session.stop();
    await agents.childIs('a', 'interrupted');
    await agents.session.settled();
    assert.deepEqual(agents.notices(), []);
    agents.session.send('Next');
    await agents.session.settled();
    const [notice, ...more] = agents.notices();
    assert.deepEqual(more, []);
    assert.match(
      notice ?? '',
      /^Delegated agent agent-\w{8}: The agent "a" was interrupted.*\nWhat it had said:\nHalf of a$/s,
    );
    assert.match(sent(agents.requests('Go')[2]), /Half of a/);
  });

  it('in an idle session ends the agents in its background and starts nothing', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
    agents.script('Task a', holdText('Half of a'));
    agents.session.send('Go');
    await agents.session.settled();
    await agents.doing('a', 'Half of a');
    assert.equal(agents.session.state, 'idle');
    assert.equal(agents.session.stop().outcome, 'stopping');
    const child = await agents.childIs('a', 'interrupted');
    assert.equal(child.mode, 'background');
    assert.equal(agents.session.state, 'idle');
    assert.equal(agents.session.stop().outcome, 'nothing_running');
    assert.equal(agents.requests('Go').length, 2);
  });

  it('reaches one that waits for a place: it never asks a model', async () => {
    agents.rig.settings = { ...agents.rig.settings, agents: { max: 1, requests: 5 } };
    agents.script('Go', { steps: [delegate('a', 'Task a'), delegate('b', 'Task b')] });
    agents.script('Task a', holdText('Half'));
    agents.session.send('Go');
    await agents.childIs('b', 'waiting');
    await agents.request('Task a', 0);
    agents.session.stop();
    await agents.session.settled();
    const [, b] = agents.results();
    assert.equal(b?.status, 'stopped');
    assert.match(b?.text ?? '', /"b" was interrupted after 0 requests: your turn was stopped.*\nIt had not begun\./s);
    assert.doesNotMatch(b?.text ?? '', /done in part/);
    assert.deepEqual(agents.requests('Task b'), []);
    agents.session.send('Again');
    await agents.session.settled();
    assert.deepEqual(agents.requests('Task b'), []);
  });

  for (const background of [false, true]) {
    it(`reaches one that attaches after it, in the ${background ? 'background' : 'foreground'}`, async () => {
      agents.script('Go', { steps: [delegate('a', 'Task a', { background })] });
      const { store } = agents.rig;
      const create = store.create.bind(store);
      // The call runs by now, and its agent has not attached.
      store.create = (session) => {
        agents.session.stop();
        create(session);
      };
      agents.session.send('Go');
      const { exitReason } = await agents.session.settled();
      assert.equal(exitReason, 'interrupted_by_user');
      await agents.childIs('a', 'interrupted');
      assert.deepEqual(agents.requests('Task a'), []);
    });
  }

  it('of one that cannot be stored does not keep it from the others', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a'), delegate('b', 'Task b')] });
    agents.script('Task a', holdText('Half of a'));
    agents.script('Task b', holdText('Half of b'));
    agents.session.send('Go');
    await agents.doing('a', 'Half of a');
    await agents.doing('b', 'Half of b');
    const { store } = agents.rig;
    const commit = store.commit.bind(store);
    const { id } = agents.child('a');
    store.commit = (one) => {
      if (one.sessionId === id) throw new StorageError('disk', 'The disk is full.');
      commit(one);
    };
    agents.session.stop();
    await agents.session.settled();
    assert.deepEqual(
      agents.results().map(({ status, text }) => [status, text.slice(0, 9)]),
      [
        ['stopped', 'Half of a'],
        ['stopped', 'Half of b'],
      ],
    );
    assert.ok(agents.session.events(0).some((told) => told.type === 'notice' && told.text === 'a: The disk is full.'));
  });

  it('of one agent leaves the others and the turn alone', async () => {
    agents.script(
      'Go',
      { steps: [delegate('a', 'Task a'), delegate('b', 'Task b')] },
      { steps: [{ text: 'All right.' }] },
    );
    agents.script('Task a', holdText('Half of a'));
    agents.script('Task b', { steps: [{ text: 'Whole b' }], holdHead: true });
    agents.session.send('Go');
    await agents.doing('a', 'Half of a');
    const [a] = agents.session.children();
    assert.equal(a?.stop().outcome, 'stopping');
    await agents.childIs('a', 'interrupted');
    assert.equal(agents.session.state, 'running');
    (await agents.request('Task b', 0)).release();
    const result = await agents.session.settled();
    assert.equal(result.exitReason, 'answered');
    const told = agents.results();
    assert.deepEqual(
      told.map(({ status }) => status),
      ['stopped', 'success'],
    );
    assert.match(
      told[0]?.text ?? '',
      /^Half of a\n\n\[The agent "a" was interrupted after 1 request: the user stopped it/,
    );
    assert.equal(a?.stop().outcome, 'nothing_running');
  });

  it('that an agent cannot follow in time still brings its partial result: it gives up first', async () => {
    agents.rig.registry.register({
      name: 'deaf',
      description: 'Never ends.',
      inputSchema: { type: 'object' },
      readOnly: true,
      invoke: () => new Promise(() => undefined),
    });
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: [{ text: 'Listening.' }, call('deaf', {})] });
    agents.session.send('Go');
    await agents.doing('a', 'Using deaf');
    agents.session.stop();
    await agents.session.settled();
    const [told] = agents.results();
    assert.equal(told?.status, 'stopped');
    assert.match(
      told?.text ?? '',
      /was interrupted after 1 request.*- Listening\.\n- (?:Using|Did not finish using) deaf/s,
    );
    assert.deepEqual(
      (await agents.session.children()[0]?.transcript())?.flatMap((row) => row.status ?? []),
      ['abandoned'],
    );
  });

  it('on the card of the call is the stop of its agent', async () => {
    agents.script('Go', { steps: [delegate('a', 'Task a')] }, { steps: [{ text: 'All right.' }] });
    agents.script('Task a', holdText('Half of a'));
    agents.session.send('Go');
    await agents.doing('a', 'Half of a');
    assert.ok(agents.session.stopCommand(agents.child('a').callId));
    assert.equal((await agents.session.settled()).exitReason, 'answered');
    assert.match(agents.results()[0]?.text ?? '', /the user stopped it/);
  });

  it('ends the background processes of an interrupted agent, and leaves those of a finished one', async () => {
    const serve = (name: string) =>
      call('terminal', { command: `echo ${name} > ${name}.txt; sleep 300`, background: true });
    agents.script('Go', { steps: [delegate('a', 'Task a'), delegate('b', 'Task b')] });
    agents.script('Task a', { steps: [serve('a')] }, { steps: [{ text: 'Runs.' }] });
    agents.script('Task b', { steps: [serve('b')] }, holdText('Half'));
    agents.session.onDidEmit((told) => {
      if (told.type === 'approval.opened') agents.session.answer(told.id, 'once');
    });
    agents.session.send('Go');
    await agents.childIs('a', 'finished');
    await agents.doing('b', 'Half');
    const [one, two] = agents.session.processes();
    assert.ok(one && two);
    const ofB = one.command.includes('echo b') ? one : two;
    const ofA = one === ofB ? two : one;
    assert.equal(ofA.turnId, agents.child('a').turnId);
    agents.session
      .children()
      .find(({ name }) => name === 'b')
      ?.stop();
    await event(agents.session, 'process', (told) => told.process.id === ofB.id && told.process.state === 'killed');
    await agents.session.settled();
    assert.equal(agents.session.processes().find(({ id }) => id === ofA.id)?.state, 'running');
    assert.match(agents.results()[0]?.text ?? '', new RegExp(`It left running in the background: ${ofA.id} `));
  });

  it('is told to hooks once, by the parent; the stop of one agent alone is told with its parent', async () => {
    agents.rig.hooks.set('agent_loop_stopped', () => ({}));
    agents.script('Go', { steps: [delegate('a', 'Task a'), delegate('b', 'Task b')] });
    agents.script('Task a', holdText('Half of a'));
    agents.script('Task b', holdText('Half of b'));
    agents.session.send('Go');
    await agents.doing('a', 'Half of a');
    await agents.doing('b', 'Half of b');
    agents.session.children()[0]?.stop();
    await agents.childIs('a', 'interrupted');
    agents.session.stop();
    await agents.session.settled();
    const stops = agents.rig.fired.filter((fired) => fired.event === 'agent_loop_stopped');
    assert.deepEqual(
      stops.map(({ payload }) => [payload.session_id, payload.parent_session_id, payload.reason]),
      [
        [agents.child('a').id, agents.session.id, 'user_stop'],
        [agents.session.id, undefined, 'user_stop'],
      ],
    );
  });

  it('a tool call of an agent is told to hooks with its own session and its parent', async () => {
    for (const name of ['pre_tool_call', 'post_tool_call', 'on_session_end', 'on_session_start'] as const) {
      agents.rig.hooks.set(name, () => ({}));
    }
    agents.script('Go', { steps: [delegate('a', 'Task a')] });
    agents.script('Task a', { steps: [call('list_files', {})] });
    agents.session.send('Go');
    await agents.session.settled();
    const { id } = agents.child('a');
    const ofChild = agents.rig.fired.filter(({ payload }) => payload.session_id === id);
    assert.deepEqual(
      ofChild.map((fired) => [fired.event, fired.payload.tool_name, fired.payload.parent_session_id]),
      [
        ['pre_tool_call', 'list_files', agents.session.id],
        ['post_tool_call', 'list_files', agents.session.id],
      ],
    );
  });
});

/** False also for a zombie, which only its parent can take away. */
function runs(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
