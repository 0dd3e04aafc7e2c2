import assert from 'node:assert/strict';
import type { PendingApproval } from '../../../src/api.ts';
import { agent, answer, events, snapshot, toolResult, user } from '../../../webview/dev/script.ts';
import { agentDoes, agentFacts, agentsAtWork, agentTime } from '../../../webview/state/agent-words.ts';
import { announcement } from '../../../webview/state/announcements.ts';
import { approvalTitle } from '../../../webview/state/call-label.ts';
import { type ChatState, initialState } from '../../../webview/state/chat-state.ts';
import { childEntries } from '../../../webview/state/child-entries.ts';
import { entriesOf } from '../../../webview/state/entries.ts';
import { Paced } from '../../../webview/state/paced.ts';
import { reduce } from '../../../webview/state/reduce.ts';
import { waitsForWords } from '../../../webview/state/words.ts';

const tests = agent('tests', 'Mend the tests', { activity: ['Read a.ts', 'Ran npm test'] });
const docs = agent('docs', 'Mend the docs');
const told = (child: typeof tests) =>
  ({ type: 'child', childId: child.id, name: child.name, state: child.state, child }) as const;
const opened = (overrides: Parameters<typeof snapshot>[0] = {}): ChatState => reduce(initialState, snapshot(overrides));

describe('agents in the state of the page', () => {
  it('come with the snapshot and change one by one', () => {
    const state = opened({ children: [tests, docs] });
    const done = { ...tests, state: 'finished', endedAt: tests.startedAt + 1 } as const;
    const after = reduce(state, events(0, told(done)));
    assert.deepEqual(after.children, [done, docs]);
    assert.equal(after.children[1], docs, 'what did not change keeps its identity');
  });

  it('are added in the order of their start', () => {
    const state = reduce(opened(), events(0, told(tests), told(docs)));
    assert.deepEqual(
      state.children.map((child) => child.name),
      ['tests', 'docs'],
    );
  });

  it('are those of the session that is shown', () => {
    const other = reduce(opened({ children: [tests] }), snapshot({ session: { id: 's2', title: '' } }));
    assert.deepEqual(other.children, []);
  });
});

describe('the transcript inside the card of an agent', () => {
  const call = (callId: string) => ({ callId, name: 'terminal', input: { command: 'npm test' } });
  const rows = [
    user('c1', 'Mend the tests'),
    answer('c1', 1, 'I run them.', [call('a'), call('b'), call('c')]),
    toolResult('c1', 'a', 'ok', { label: 'Ran npm test', durationMs: 1 }),
  ];
  const stretch = { rows, hasOlder: false, turnResults: [] };
  const states = (state: typeof tests.state) =>
    childEntries(stretch, state).steps.flatMap((entry) => (entry.is === 'tool' ? [entry.state] : []));

  it('tells the task from a text that steered it', () => {
    const steer = user('c1', 'Only the cart', { kind: 'steer', request: 2 });
    const shown = childEntries({ ...stretch, rows: [...rows, steer] }, 'running');
    assert.equal(shown.task, 'Mend the tests');
    assert.deepEqual(
      shown.steps.map((entry) => (entry.is === 'user' ? entry.text : entry.is)),
      ['text', 'tool', 'tool', 'tool', 'Only the cart'],
    );
  });

  it('takes no later message for the task where the beginning was not read', () => {
    const later = childEntries({ ...stretch, hasOlder: true }, 'running');
    assert.equal(later.task, undefined);
    assert.equal(later.steps[0]?.is, 'user');
  });

  it('shows the first call without a result as running, or as asking, and later ones as waiting', () => {
    assert.deepEqual(states('running'), ['success', 'running', 'waiting']);
    assert.deepEqual(states('waiting'), ['success', 'approval', 'waiting']);
  });

  it('shows no call as running when the agent is over', () => {
    assert.deepEqual(states('interrupted'), ['success', 'not_run', 'not_run']);
  });
});

describe('words about agents', () => {
  const now = tests.startedAt + 65_000;

  it('say what it does while it runs, and how it stands otherwise', () => {
    assert.equal(agentDoes(tests), 'Ran npm test');
    assert.equal(agentDoes({ ...tests, activity: [] }), 'running');
    assert.equal(agentDoes({ ...tests, state: 'waiting' }), 'waiting for you');
    assert.equal(agentDoes({ ...tests, state: 'waiting', requests: 0 }), 'waiting for a place');
    assert.equal(agentDoes({ ...tests, mode: 'background', activity: [] }), 'in background');
  });

  it('count the time while it runs and tell it afterwards', () => {
    assert.equal(agentTime(tests, now), '1 min 5 s');
    assert.equal(agentTime({ ...tests, endedAt: tests.startedAt + 2_000 }, now), '2.0 s');
  });

  it('leave out a cost that nobody knows', () => {
    assert.equal(agentFacts(tests), '3 requests · 13k tokens · $0.01');
    const { costUsd: _unknown, ...usage } = tests.usage;
    assert.equal(agentFacts({ requests: 1, usage }), '1 request · 13k tokens');
  });

  it('say which agents the turn waits for, first the one that waits for the user', () => {
    assert.equal(agentsAtWork([tests])?.words, 'Agent tests is working');
    assert.equal(agentsAtWork([tests, docs])?.words, '2 agents are working');
    assert.deepEqual(agentsAtWork([tests, { ...docs, state: 'waiting' }]), {
      words: 'Agent docs is waiting for you',
      ask: true,
    });
    assert.equal(
      agentsAtWork([
        { ...tests, mode: 'background' },
        { ...docs, state: 'finished' },
      ]),
      undefined,
    );
  });

  it('say in the title of an approval which agent asks', () => {
    const child = { id: tests.id, name: 'tests' };
    const title = (summary: string, command?: string) =>
      approvalTitle({ summary, child, ...(command !== undefined && { command }) });
    assert.equal(title('Run in shop: npm test', 'npm test'), 'Agent tests wants to run a command in shop');
    assert.equal(title('Edit src/Cart.ts'), 'Agent tests wants to edit src/Cart.ts');
  });

  it('say on a waiting text for which agent it waits', () => {
    const waits = (label: string) => waitsForWords({ state: { is: 'pending' }, waitsFor: { what: 'child', label } });
    assert.equal(waits('tests'), 'after agent tests');
    assert.equal(waits(''), 'after an agent');
  });
});

describe('what is announced of agents', () => {
  const approval: PendingApproval = {
    ...{ id: 'a1', turnId: 'c1', callId: 'x', sessionId: tests.id, child: { id: tests.id, name: 'tests' } },
    ...{ tool: 'terminal', summary: 'Run npm test', why: '', choices: ['once', 'deny'] },
  };
  const before = opened();
  const running = reduce(before, events(0, told(tests)));

  it('is that it started, that it needs the user, and how it ended', () => {
    assert.equal(announcement(before, running), 'Agent tests started.');
    const asking = { ...running, approvals: [approval] };
    assert.equal(announcement(running, asking), 'Agent tests needs your approval: Run npm test. Alt+J moves there.');
    for (const [state, sentence] of [
      ['finished', 'Agent tests finished.'],
      ['interrupted', 'Agent tests was interrupted.'],
      ['failed', 'Agent tests failed.'],
    ] as const) {
      assert.equal(announcement(running, reduce(running, events(1, told({ ...tests, state })))), sentence);
    }
  });

  it('is that it goes on in the background, and not each step', () => {
    const moved = reduce(running, events(1, told({ ...tests, mode: 'background' })));
    assert.equal(announcement(running, moved), 'Agent tests goes on in the background.');
    const step = reduce(running, events(1, told({ ...tests, activity: ['Read b.ts'] })));
    assert.equal(announcement(running, step), undefined);
  });

  it('names each of several that a stop reached, after the stop', () => {
    const two = reduce(running, events(1, told(docs)));
    const stopped = reduce(
      two,
      events(
        2,
        { type: 'state', state: 'stopping' },
        told({ ...tests, state: 'interrupted' }),
        told({ ...docs, state: 'interrupted' }),
      ),
    );
    assert.equal(announcement(two, stopped), 'Stopping. Agent tests was interrupted. Agent docs was interrupted.');
  });
});

describe('the call that delegates', () => {
  it('keeps the agent that its result names', () => {
    const rows = [
      answer('t1', 1, '', [{ callId: 'd', name: 'delegate', input: { name: 'tests', task: 'Mend' } }]),
      toolResult('t1', 'd', 'Done', { label: 'Delegated: tests', durationMs: 1, childId: tests.id }),
    ];
    const sources = { live: null, reads: new Map(), calls: new Map(), result: undefined };
    const [entry] = entriesOf({ key: 's', turnId: 't1', rows }, sources);
    assert.equal(entry?.is === 'tool' ? entry.childId : undefined, tests.id);
  });
});

describe('looks at a transcript that changes', () => {
  it('happen at once, then one at a time with a pause, and a last time for the last change', async () => {
    const timers: (() => void)[] = [];
    const answers: (() => void)[] = [];
    const later = (_ms: number, callback: () => void) => {
      timers.push(callback);
      return () => undefined;
    };
    const work = () => new Promise<void>((resolve) => answers.push(resolve));
    const paced = new Paced(500, work, later);
    paced.wish();
    paced.wish();
    paced.wish();
    assert.equal(answers.length, 1, 'the first wish at once, no second look while the first is under way');
    answers.shift()?.();
    await settle();
    assert.equal(answers.length, 0, 'not before the pause is over');
    timers.shift()?.();
    assert.equal(answers.length, 1, 'the wishes meanwhile are one more look');
    answers.shift()?.();
    await settle();
    timers.shift()?.();
    assert.equal(answers.length, 0, 'and nothing without a wish');
  });

  it('end with their owner', async () => {
    let looks = 0;
    const timers: (() => void)[] = [];
    const paced = new Paced(
      500,
      async () => {
        looks++;
      },
      (_ms, callback) => {
        timers.push(callback);
        return () => timers.splice(timers.indexOf(callback), 1);
      },
    );
    paced.wish();
    await settle();
    paced.wish();
    paced.dispose();
    assert.equal(timers.length, 0);
    assert.equal(looks, 1);
  });

  /** Promises that are resolved have been followed when it resolves. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
});
