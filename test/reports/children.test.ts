import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveSession } from '../../src/agent/turn/index.ts';
import type { Answer } from '../model-server/index.ts';
import { AgentsRig, conversationOf, delegate } from '../unit/children/agents-rig.ts';
import { nothingStartedAfterStop, type Race } from './races.ts';
import {
  allowAll,
  answersOnly,
  assertAccepted,
  assertTrueRows,
  call,
  count,
  event,
  idle,
  messagesOf,
  type Rig,
  statuses,
  UNTIL_GO,
  wires,
} from './replay.ts';
import { atEveryEvent } from './sweep.ts';

const standing = (text: string): Answer => ({ steps: [{ text }, { pause: 'p' }, { text: ' never' }] });

/** Two agents of one answer, one of them in the background, each with a tool and a report; then a last answer. */
function work(rig: Rig, session: LiveSession): void {
  const scripts = new Map<string, Answer[]>([
    ['Go', [{ steps: [delegate('front', 'Task front'), delegate('behind', 'Task behind', { background: true })] }]],
    ['Task front', [{ steps: [call('list_files', {})] }, { steps: [{ text: 'Front report.' }] }]],
    ['Task behind', [{ steps: [call('list_files', {})] }, { steps: [{ text: 'Behind report.' }] }]],
  ]);
  rig.server.fallback = (request) => {
    const next = scripts.get(conversationOf(request))?.shift();
    return next ?? { steps: [{ text: 'Done.' }] };
  };
  session.send('Go', { id: 'first' });
}

const isOver = (state: string) => state === 'finished' || state === 'interrupted' || state === 'failed';

/** Resolves when nothing runs, in the foreground or behind it. */
async function still(session: LiveSession): Promise<void> {
  await idle(session);
  while (session.childAgents().some(({ state }) => !isOver(state))) {
    await event(session, 'child', ({ state }) => isOver(state), session.seq);
    await idle(session);
  }
}

/** The next message makes one request in all, and tells of each agent's end once. */
async function goesOn(rig: Rig, session: LiveSession): Promise<void> {
  rig.server.fallback = { steps: [{ text: 'ok' }] };
  const asked = rig.server.requests.length;
  await answersOnly(rig, session, 'next');
  // A request that was cut before the server had read it may come late; nobody waits for its answer.
  const requests = rig.server.requests.slice(asked);
  const closings = await Promise.all(requests.map((request) => request.closed));
  const [answered, ...more] = requests.filter((_, index) => closings[index]?.by === 'finished');
  assert.deepEqual(more, [], 'no agent asks any more');
  const told = messagesOf(answered).join('\n');
  for (const { name, state } of session.childAgents()) {
    const ends = count(told, `The agent \\"${name}\\" ${state === 'finished' ? 'finished' : 'was interrupted'}`);
    assert.equal(ends, 1, `${name} is told of ${ends} times`);
  }
  assertTrueRows(session, ['first']);
  assertAccepted(rig);
}

const stopped: Race = {
  start: work,
  act: (session) => assert.notEqual(session.stop().outcome, 'refused'),
  async judge(rig, session) {
    await still(session);
    const first = session.item('first')?.state;
    assert.ok(first);
    if (first.is !== 'delivered' || session.turnResult(first.turnId)?.interrupted) nothingStartedAfterStop(session);
    assertTrueRows(session, ['first']);
    await goesOn(rig, session);
  },
};

const said = (verb: 'steer' | 'redirect'): Race => ({
  start: work,
  act: (session) => assert.notEqual(session[verb]('BY THE WAY', { id: 'x' }).outcome, 'refused'),
  async judge(rig, session) {
    await still(session);
    assert.equal(session.item('x')?.state.is, 'delivered');
    assert.deepEqual(
      session.childAgents().map(({ state }) => state),
      session.childAgents().map(() => 'finished'),
      'no agent is ended by it',
    );
    assertTrueRows(session, ['first', 'x']);
    await goesOn(rig, session);
  },
});

function reloaded(): Race {
  let again: LiveSession | undefined;
  let before: readonly unknown[] = [];
  return {
    start: work,
    act: (session, rig) => {
      before = session.rows();
      again = rig.reopen(session.id);
    },
    async judge(rig) {
      assert.ok(again);
      assert.equal(again.state, 'idle');
      assert.deepEqual(again.rows().slice(0, before.length), before);
      assert.ok(again.childAgents().every(({ state }) => isOver(state)));
      await goesOn(rig, again);
    },
  };
}

for (const wire of wires) {
  describe(`reports 9, delegated agents, on the ${wire} wire`, function () {
    this.timeout(60_000);

    it('B122, B013: a stop at any event leaves no agent that works, and each has its end', async () => {
      for (const when of ['inside', 'behind'] as const) {
        assert.ok((await atEveryEvent(wire, stopped, when)) > 20);
      }
    });

    it('B073: a steer or a redirect at any event is read once, and ends no agent', async () => {
      for (const verb of ['steer', 'redirect'] as const) await atEveryEvent(wire, said(verb), 'behind');
    });

    it('B122: a reload at any event leaves ends of all agents, each told once', async () => {
      await atEveryEvent(wire, reloaded(), 'behind');
    });
  });
}

describe('reports 9, delegated agents', function () {
  this.timeout(60_000);
  let agents: AgentsRig;

  beforeEach(async () => {
    agents = await AgentsRig.start('anthropic');
    allowAll(agents.session);
  });
  afterEach(async () => assert.deepEqual(await agents.close(), []));

  it('B013: one stop ends a slow read, an agent with its command and what waits behind them', async () => {
    const { rig, session } = agents;
    rig.registry.register({
      name: 'slow_glob',
      description: 'Looks until it is stopped.',
      inputSchema: { type: 'object', properties: {} },
      readOnly: true,
      invoke: (_input, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve('so far'), { once: true })),
    });
    agents.script('All', {
      steps: [call('slow_glob', {}), delegate('a', 'Task a'), call('terminal', { command: 'touch b.txt' })],
    });
    agents.script('Task a', { steps: [call('terminal', { command: `touch ready; ${UNTIL_GO}; touch a.txt` })] });
    session.send('All');
    await agents.appears('ready');
    session.stop();
    await session.settled();
    assert.deepEqual(statuses(session), ['stopped', 'stopped', 'not_run']);
    rig.write('go', '');
    await answersOnly(rig, session, 'next');
    assert.deepEqual(
      ['a.txt', 'b.txt'].map((name) => existsSync(join(rig.folder, name))),
      [false, false],
    );
  });

  it('B073: a steer in a step that is an agent is read at the boundary behind it, and says what it waits for', async () => {
    const { session } = agents;
    agents.script('Go', { steps: [delegate('tests', 'Task')] }, { steps: [call('list_files', {})] });
    agents.script('Task', standing('Half'));
    session.send('Go');
    const child = await agents.request('Task', 0);
    await child.paused('p');
    assert.equal(session.steer('pause after this', { id: 's' }).outcome, 'steering');
    const { waitsFor } = session.items()[0] ?? {};
    assert.deepEqual([waitsFor?.what, waitsFor?.label.includes('tests')], ['child', true]);
    child.release('p');
    await session.settled();
    const state = session.item('s')?.state;
    assert.equal(state?.is === 'delivered' && state.request, 2);
  });

  it('B122: agents with ten rounds each ask nothing more after a stop', async () => {
    const { rig, session } = agents;
    agents.script('Go', { steps: [delegate('a', 'Task a'), delegate('b', 'Task b')] });
    const round = { steps: [call('terminal', { command: 'true' })] };
    for (const task of ['Task a', 'Task b']) agents.script(task, ...Array.from({ length: 10 }, () => round));
    session.send('Go');
    await Promise.all(['Task a', 'Task b'].map((task) => agents.request(task, 2)));
    session.stop();
    await session.settled();
    const asked = rig.server.requests.length;
    assert.deepEqual(
      session.childAgents().map(({ state }) => state),
      ['interrupted', 'interrupted'],
    );
    await answersOnly(rig, session, 'next');
    assert.equal(rig.server.requests.length, asked + 1);
  });

  it('B125: agents in the background that end after a stop start nothing; their ends come with the next message', async () => {
    const { rig, session } = agents;
    const names = ['a', 'b', 'c'];
    agents.script(
      'Go',
      { steps: names.map((name) => delegate(name, `Task ${name}`, { background: true })) },
      standing('Meanwhile'),
    );
    for (const name of names) agents.script(`Task ${name}`, standing(`Half of ${name}`));
    session.send('Go');
    for (const name of names) await agents.doing(name, `Half of ${name}`);
    await (await agents.request('Go', 1)).paused('p');
    session.stop();
    for (const name of names) await agents.childIs(name, 'interrupted');
    await idle(session);
    const asked = rig.server.requests.length;
    assert.equal(session.events(0).filter(({ type }) => type === 'turn.started').length, 1);
    const request = (await answersOnly(rig, session, 'next')).bytes.toString();
    assert.equal(rig.server.requests.length, asked + 1);
    for (const name of names) assert.ok(request.includes(`Half of ${name}`));
  });

  it('B125: agents in the background that end in an idle session start nothing', async () => {
    const { rig, session } = agents;
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
    agents.script('Task a', { steps: [{ pause: 'p' }, { text: 'Report of a' }] });
    session.send('Go');
    await session.settled();
    (await agents.request('Task a', 0)).release('p');
    await agents.childIs('a', 'finished');
    assert.equal(session.state, 'idle');
    const asked = rig.server.requests.length;
    assert.ok((await answersOnly(rig, session, 'next')).bytes.includes('Report of a'));
    assert.equal(rig.server.requests.length, asked + 1);
  });

  it('control 64: a redirect while the model is asked ends no agent in the background', async () => {
    const { session } = agents;
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] }, standing('Wrong'), {
      steps: [{ text: 'Right.' }],
    });
    agents.script('Task a', { steps: [{ text: 'Half' }, { pause: 'p' }, { text: ' and whole' }] });
    session.send('Go');
    await agents.doing('a', 'Half');
    await (await agents.request('Go', 1)).paused('p');
    assert.equal(session.redirect('The other way').outcome, 'redirecting');
    assert.equal((await session.settled()).finalText, 'Right.');
    assert.equal(agents.child('a').state, 'running');
    (await agents.request('Task a', 0)).release('p');
    await agents.childIs('a', 'finished');
  });

  it('control 119: an agent that cannot be ended at once does not keep the stop from the others', async () => {
    const { rig, session } = agents;
    let answer: (text: string) => void = () => assert.fail('the tool was not called');
    const called = Promise.withResolvers<void>();
    rig.registry.register({
      name: 'deaf',
      description: 'Hears no signal.',
      inputSchema: { type: 'object', properties: {} },
      readOnly: true,
      invoke: () =>
        new Promise((resolve) => {
          answer = resolve;
          called.resolve();
        }),
    });
    agents.script('Go', { steps: [delegate('deaf', 'Task deaf'), delegate('b', 'Task b')] });
    agents.script('Task deaf', { steps: [call('deaf', {})] });
    agents.script('Task b', standing('Half of b'));
    session.send('Go');
    await called.promise;
    await agents.doing('b', 'Half of b');
    const request = await agents.request('Task b', 0);
    session.stop();
    assert.equal((await request.closed).by, 'client');
    await agents.childIs('b', 'interrupted');
    await session.settled();
    const before = session.rows();
    answer('TOO LATE');
    await answersOnly(rig, session, 'next');
    assert.deepEqual(session.rows().slice(0, before.length), before);
    assert.ok(!JSON.stringify(session.rows()).includes('TOO LATE'));
  });

  it('control 121: a stop of an idle session ends its agent in the background, and its part is told', async () => {
    const { rig, session } = agents;
    agents.script('Go', { steps: [delegate('a', 'Task a', { background: true })] });
    agents.script('Task a', standing('Half of a'));
    session.send('Go');
    await session.settled();
    await agents.doing('a', 'Half of a');
    rig.hooks.set('agent_loop_stopped', () => ({}));
    assert.equal(session.stop().outcome, 'stopping');
    await agents.childIs('a', 'interrupted');
    assert.match((await answersOnly(rig, session, 'next')).bytes.toString(), /interrupted[\s\S]*Half of a/);
  });
});
