import assert from 'node:assert/strict';
import type { LiveSession } from '../../../src/agent/turn/index.ts';
import type { ChildAgent } from '../../../src/api.ts';
import { AgentsRig, call, delegate, WIRES } from './agents-rig.ts';

/**
 * Two agents in the foreground, one in the background, and room for two: each reads and reports.
 *
 * @param mark tells this work from an earlier one, whose last request may reach the server late
 */
function work(agents: AgentsRig, mark: number): void {
  agents.rig.settings = { ...agents.rig.settings, agents: { max: 2, requests: 5 } };
  const tasks = ['a', 'b', 'c'].map((name) => ({ name, task: `Task ${name} ${mark}` }));
  const calls = tasks.map(({ name, task }) => delegate(name, task, { background: name === 'b' }));
  agents.script(`Go ${mark}`, { steps: [...calls, call('list_files', {})] }, { steps: [call('list_files', {})] });
  for (const { task } of tasks) {
    agents.script(task, { steps: [{ text: 'Looking.' }, call('list_files', {})] }, { steps: [{ text: 'Found.' }] });
  }
  agents.session.send(`Go ${mark}`);
}

/** Resolves when neither the session nor an agent of it does anything. */
async function allOver(session: LiveSession): Promise<void> {
  const isOver = () => session.state === 'idle' && session.childAgents().every(({ endedAt }) => endedAt !== undefined);
  if (isOver()) return;
  await new Promise<void>((resolve) => {
    const listening = session.onDidEmit(() => {
      if (!isOver()) return;
      listening.dispose();
      resolve();
    });
  });
}

/** Does it once, after that many events. False when there were not so many. */
async function actAt(agents: AgentsRig, moment: number, act: (session: LiveSession) => void): Promise<boolean> {
  let left = moment;
  const counting = agents.session.onDidEmit(() => {
    if (left-- === 0) act(agents.session);
  });
  work(agents, moment);
  await allOver(agents.session);
  counting.dispose();
  return left < 0;
}

/** Each end reaches the model exactly once: as the result of its call, or as a notice. */
function assertToldOnce(session: LiveSession, child: ChildAgent): void {
  const rows = session.rows();
  const result = rows.find((row) => row.callId === child.callId)?.displayText ?? '';
  const name = `agent-${child.id.slice(0, 8)}`;
  const inResult = result.includes('[The agent "') ? 1 : 0;
  const notices = rows.filter((row) => row.kind === 'notice' && row.displayText?.includes(name)).length;
  assert.equal(inResult + notices, 1, `${child.name}: ${result}`);
}

function assertOneResultForEachCall(session: LiveSession): void {
  const rows = session.rows();
  const calls = rows.flatMap((row) => row.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : [])));
  const results = rows.flatMap((row) => (row.kind === 'tool_result' ? [row.callId] : []));
  assert.deepEqual(results, calls);
}

const acts: Readonly<Record<string, (session: LiveSession) => void>> = {
  'a stop': (session) => session.stop(),
  'a stop of each agent alone': (session) => session.children().map((child) => child.stop()),
  'a move to the background': (session) => session.childAgents().map(({ callId }) => session.moveToBackground(callId)),
  'a redirect': (session) => session.redirect('Otherwise.'),
  'a steer to each agent': (session) => session.children().map((child) => child.steer('And briefly.')),
};

Object.entries(acts).forEach(([name, act], index) => {
  // What is sent is alike on all wires: they take turns.
  const wire = WIRES[index % WIRES.length] ?? 'anthropic';

  it(`${name} at any moment of a turn with agents leaves nothing at work, and each end is told once`, async function () {
    this.timeout(60_000);
    const agents = await AgentsRig.start(wire);
    try {
      let moment = 0;
      for (let reached = true; reached; moment++) {
        agents.startOver();
        try {
          reached = await actAt(agents, moment, act);
          agents.forgetScripts();
          const before = agents.session.childAgents();
          agents.session.send('Next');
          await agents.session.settled();
          assert.deepEqual(agents.session.childAgents(), before);
          for (const child of agents.session.childAgents()) assertToldOnce(agents.session, child);
          assertOneResultForEachCall(agents.session);
        } catch (error) {
          throw new Error(`at moment ${moment}`, { cause: error });
        }
      }
      // Fewer would be a turn that did nothing, at which nothing can go wrong.
      assert.ok(moment > 20, `only ${moment} moments`);
    } finally {
      assert.deepEqual(await agents.close(), []);
    }
  });
});
