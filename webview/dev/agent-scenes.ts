/** Delegated agents, in the conversation and in the background. */

import type { ChildAgent, PendingApproval, TranscriptRow } from '../../src/api.ts';
import { agentCardId, cardControls, type Snapshot, type Stretch } from '../../src/protocol/index.ts';
import type { Scene } from './scene.ts';
import { agent, answer, item, snapshot, toolResult, user } from './script.ts';

const tests = agent(
  'tests',
  'Find out why the cart tests fail since the last merge and mend what is wrong.\nTouch nothing below dist/.',
  {
    state: 'waiting',
    activity: ['Searched for total(', 'Read src/cart.js', 'Edited src/cart.test.js'],
  },
);
const docs = agent('docs', 'Bring the README and the guide up to date with the new options', {
  startedAt: Date.now() - 31_000,
  activity: ['Listed docs/**', 'Read docs/guide/a-very-long-name-of-a-chapter-about-options-and-defaults.md'],
});
const upgrades = agent(
  'look-for-outdated-dependencies',
  'List the dependencies that are more than a major version behind, with what would break',
  { state: 'waiting', startedAt: Date.now() - 4_000, requests: 0, activity: [] },
);

const approval: PendingApproval = {
  id: 'a1',
  turnId: 'c1',
  callId: 'c9',
  sessionId: tests.id,
  child: { id: tests.id, name: tests.name },
  tool: 'terminal',
  summary: 'Run in shop: npm test -- --reporter=dot',
  command: 'npm test -- --reporter=dot',
  why: 'Commands ask before they run.',
  choices: ['once', 'session', 'always', 'deny'],
  alwaysScope: 'Commands that begin with npm test',
};

const call = ({ callId, name, task }: ChildAgent) => ({ callId, name: 'delegate', input: { name, task } });

function delegating(agents: readonly ChildAgent[], overrides: Partial<Snapshot> = {}): Snapshot {
  return snapshot({
    session: { id: 's1', title: 'Get the shop ready for the release' },
    rows: [
      user('t1', 'Get the shop ready for the release: tests, docs and dependencies.'),
      answer('t1', 1, 'These three do not depend on each other, so I hand them to agents.', agents.map(call)),
    ],
    children: agents,
    state: {
      state: 'running',
      phase: 'tool',
      label: `Delegated: ${agents[0]?.name}`,
      since: Date.now() - 48_000,
    },
    live: {
      turnId: 't1',
      startedAt: Date.now() - 60_000,
      request: 1,
      attempt: 1,
      text: '',
      reasoning: '',
      tools: agents.map(({ callId, name, startedAt }) => ({
        callId,
        name: 'delegate',
        state: 'running',
        label: `Delegated: ${name}`,
        startedAt,
        output: '',
      })),
    },
    ...overrides,
  });
}

const ended: readonly ChildAgent[] = [
  { ...tests, state: 'finished', endedAt: Date.now() },
  { ...docs, state: 'interrupted', endedAt: Date.now() },
  { ...upgrades, state: 'failed', endedAt: Date.now() },
];

function results(): readonly TranscriptRow[] {
  return ended.map(({ callId, id, name, state }) =>
    toolResult(
      't1',
      callId,
      'The tests failed because totals ignored quantities.',
      { label: `Delegated: ${name}`, durationMs: 48_000, childId: id },
      state === 'finished' ? 'success' : state === 'failed' ? 'error' : 'stopped',
    ),
  );
}

/** What the agent `tests` has done so far. */
export function childStretch(): Stretch {
  return {
    rows: [
      user('c1', tests.task),
      answer('c1', 1, 'I look at the tests first.', [
        { callId: 'k1', name: 'search_files', input: { pattern: 'total(' } },
        { callId: 'k2', name: 'read_file', input: { path: 'src/cart.js' } },
      ]),
      toolResult('c1', 'k1', 'src/cart.js:1', { label: 'Searched for total(', detail: '3 hits', durationMs: 30 }),
      toolResult('c1', 'k2', '…', { label: 'Read src/cart.js', detail: '8 lines', durationMs: 3 }),
      user('c1', 'Leave the rounding as it is', { kind: 'steer', request: 2 }),
      answer('c1', 2, '`total` never looks at `quantity`; one of the tests expects that too.', [
        {
          callId: 'k3',
          name: 'patch',
          input: {
            path: 'src/cart.test.js',
            old_string: 'sum += line.price;',
            new_string: 'sum += line.price * line.quantity;',
          },
        },
        { callId: 'k4', name: 'terminal', input: { command: 'npm test -- --reporter=dot' } },
      ]),
      toolResult('c1', 'k3', 'Edited', { label: 'Edited src/cart.test.js', detail: '+4 −1', durationMs: 12 }),
    ],
    hasOlder: false,
    turnResults: [],
  };
}

const agents = [tests, docs, upgrades];

export const agentScenes: readonly Scene[] = [
  {
    name: 'agents-running',
    messages: () => [delegating(agents, { approvals: [approval] })],
  },
  {
    name: 'agent-open',
    messages: () => [delegating([tests, docs])],
    act: async (chat) => {
      await chat.testId(agentCardId(tests.callId)).getByTestId(cardControls.toggle).click();
      await chat.reply('childRows', childStretch());
      await chat.testId(agentCardId(tests.callId)).getByText('never looks at').waitFor();
    },
  },
  {
    name: 'agents-ended',
    messages: () => [
      delegating(ended, {
        rows: [
          user('t1', 'Get the shop ready for the release: tests, docs and dependencies.'),
          answer('t1', 1, 'These three do not depend on each other, so I hand them to agents.', ended.map(call)),
          ...results(),
          answer('t1', 2, 'The tests pass again. The other two did not get to their end.'),
        ],
        state: { state: 'idle' },
        live: null,
      }),
    ],
  },
  {
    name: 'background',
    messages: () => [
      delegating(
        [
          { ...docs, mode: 'background' },
          { ...tests, mode: 'background' },
        ],
        {
          items: [item('steer', 'Use British spelling', { waitsFor: { what: 'child', label: 'docs' } })],
          approvals: [],
          processes: [
            {
              id: 'bg1',
              pid: 4242,
              command: 'npm run dev -- --host 127.0.0.1 --port 5173 --strictPort',
              cwd: 'shop',
              startedAt: Date.now() - 190_000,
              startedBy: 'background',
              turnId: 't1',
              state: 'running',
              tail: '',
            },
          ],
        },
      ),
    ],
  },
];
