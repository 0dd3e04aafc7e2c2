/** What the chat shows of hooks. */

import { cardControls, type Snapshot, toolCardId } from '../../src/protocol/index.ts';
import type { Scene } from './scene.ts';
import { answer, events, snapshot, toolResult, turnResult, user } from './script.ts';

const reason =
  'Nothing below migrations/ is changed by hand: migrations that have run are history.\nMake a new one with npm run migration:create instead.';

function blocked(overrides: Partial<Snapshot> = {}): Snapshot {
  return snapshot({
    session: { id: 's1', title: 'Rename the column' },
    rows: [
      user('t1', 'Rename the column `sum` to `total`.'),
      answer('t1', 1, 'I change the migration and the code that reads it.', [
        {
          callId: 'h1',
          name: 'patch',
          input: {
            path: 'migrations/0007-totals.sql',
            old_string: 'sum += line.price;',
            new_string: 'sum += line.price * line.quantity;',
          },
        },
        { callId: 'h2', name: 'terminal', input: { command: 'npm test -- --reporter=dot' } },
      ]),
      toolResult(
        't1',
        'h1',
        `Blocked by hook: ${reason}`,
        {
          label: 'Edited migrations/0007-totals.sql',
          durationMs: 0,
          blockedBy: { hook: './scripts/guard-migrations.sh', reason },
        },
        'blocked',
      ),
      toolResult('t1', 'h2', '12 passing', {
        label: 'Ran npm test -- --reporter=dot --bail',
        durationMs: 4_200,
        detail: 'exit 0',
        changedBy: './scripts/quiet-tests.sh',
      }),
      answer('t1', 2, 'The old migration may not be changed, so I wrote a new one.'),
      {
        ...answer('t1', 2, ''),
        role: 'notice',
        kind: 'notice',
        hook: './scripts/lint.sh',
        parts: [{ type: 'text', text: 'src/cart.js:4 is not formatted.\nRun npm run format and look again.' }],
        displayText: 'Hook ./scripts/lint.sh: src/cart.js:4 is not formatted.\nRun npm run format and look again.',
        providerText: '…',
      },
      answer('t1', 3, 'Formatted, and the tests pass.'),
    ],
    turnResults: [turnResult('t1')],
    ...overrides,
  });
}

export const hookScenes: readonly Scene[] = [
  { name: 'hook-blocked', messages: () => [blocked()] },
  {
    name: 'hook-blocked-open',
    messages: () => [blocked()],
    act: async (chat) => {
      await chat.testId(toolCardId('h1')).getByTestId(cardControls.toggle).click();
    },
  },
  {
    name: 'hook-waits',
    messages: () => [
      snapshot({
        rows: [user('t1', 'Rename the column `sum` to `total`.')],
        state: {
          state: 'running',
          phase: 'hook',
          label: './scripts/ask-the-team-before-anything-is-changed.sh, company-policy',
          since: Date.now() - 12_000,
        },
        live: {
          turnId: 't1',
          startedAt: Date.now() - 13_000,
          request: 1,
          attempt: 1,
          text: '',
          reasoning: '',
          tools: [],
        },
      }),
    ],
  },
  {
    name: 'hook-asks',
    messages: () => [
      snapshot({
        rows: [
          user('t1', 'Publish the package.'),
          answer('t1', 1, '', [{ callId: 'h3', name: 'terminal', input: { command: 'npm publish' } }]),
        ],
        state: { state: 'waiting', phase: 'approval', since: Date.now() - 3_000 },
        live: {
          turnId: 't1',
          startedAt: Date.now() - 13_000,
          request: 1,
          attempt: 1,
          text: '',
          reasoning: '',
          tools: [],
        },
        approvals: [
          {
            id: 'a1',
            turnId: 't1',
            callId: 'h3',
            sessionId: 's1',
            tool: 'terminal',
            summary: 'Run in shop: npm publish',
            command: 'npm publish',
            why: 'The hook ./scripts/guard.sh wants you to be asked: it publishes to the registry of the company. Commands ask before they run.',
            choices: ['once', 'deny'],
          },
        ],
      }),
    ],
  },
  {
    name: 'hook-says',
    messages: () => [
      snapshot({
        rows: [user('t1', 'Rename the column.')],
        state: { state: 'running', phase: 'model', since: Date.now() },
        live: { turnId: 't1', startedAt: Date.now(), request: 1, attempt: 1, text: '', reasoning: '', tools: [] },
      }),
      events(0, {
        type: 'notice',
        kind: 'hook',
        turnId: 't1',
        text: './scripts/context.sh: the branch is 12 commits behind main',
      }),
    ],
  },
];
