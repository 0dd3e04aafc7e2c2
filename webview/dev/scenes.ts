/** Moments of the chat that are worth looking at. */

import type { TranscriptRow } from '../../src/api.ts';
import {
  approvalCardId,
  cardControls,
  type Snapshot,
  type ToView,
  testIds,
  toolCardId,
} from '../../src/protocol/index.ts';
import { agentScenes } from './agent-scenes.ts';
import { askScenes } from './ask-scenes.ts';
import { hookScenes } from './hook-scenes.ts';
import { modelScenes } from './model-scenes.ts';
import type { Scene } from './scene.ts';
import { answer, events, item, snapshot, toolResult, turnResult, user } from './script.ts';
import { sessionScenes } from './session-scenes.ts';
import { slashScenes } from './slash-scenes.ts';

export type { Scene } from './scene.ts';

const before = `export function total(lines) {
  let sum = 0;
  for (const line of lines) {
    sum += line.price;
  }
  return sum;
}
`;
const after = before.replace('sum += line.price;', 'sum += line.price * line.quantity;');

const command = { callId: 'c3', name: 'terminal', input: { command: 'npm test' } };

function work(): readonly TranscriptRow[] {
  return [
    user('t1', 'The cart shows a wrong total when a line has a quantity above one. Find out why and mend it.'),
    answer('t1', 1, 'I’ll look at how the total is made.', [
      { callId: 'r1', name: 'search_files', input: { pattern: 'total(' } },
      { callId: 'r2', name: 'read_file', input: { path: 'src/cart.js' } },
      { callId: 'r3', name: 'read_file', input: { path: 'src/cart.test.js' } },
    ]),
    toolResult('t1', 'r1', 'src/cart.js:1: export function total(lines) {', {
      label: 'Searched for total(',
      detail: '3 hits',
      durationMs: 40,
    }),
    toolResult('t1', 'r2', before, { label: 'Read src/cart.js', detail: '8 lines', durationMs: 4 }),
    toolResult('t1', 'r3', '…', { label: 'Read src/cart.test.js', detail: '41 lines', durationMs: 3 }),
    answer('t1', 2, '`total` adds each price once and **never looks at `quantity`**:', [
      {
        callId: 'p1',
        name: 'todo',
        input: {
          items: [
            { id: '1', content: 'Find where the total is made', status: 'completed' },
            { id: '2', content: 'Multiply by the quantity', status: 'in_progress' },
            { id: '3', content: 'Run the tests', status: 'pending' },
          ],
        },
      },
      {
        callId: 'e1',
        name: 'patch',
        input: {
          path: 'src/cart.js',
          old_string: 'sum += line.price;',
          new_string: 'sum += line.price * line.quantity;',
        },
      },
    ]),
    toolResult('t1', 'p1', 'ok', { label: 'Updated the plan', detail: '1 of 3 done', durationMs: 1 }),
    toolResult('t1', 'e1', 'Edited', {
      label: 'Edited src/cart.js',
      detail: '+1 −1',
      durationMs: 12,
      diff: { path: 'src/cart.js', before, after },
    }),
  ];
}

const testOutput =
  '> shop@1.0.0 test\n> node --test\n\n✔ an empty cart costs nothing (0.6ms)\n✔ adds the prices (0.2ms)\n✖ counts quantities (1.1ms)\n✔ rounds to cents (0.2ms)';

function running(overrides: Partial<Snapshot> = {}): Snapshot {
  return snapshot({
    rows: [...work(), answer('t1', 3, '', [command])],
    state: { state: 'running', phase: 'tool', label: 'Running npm test', since: Date.now() - 12_000 },
    live: {
      turnId: 't1',
      startedAt: Date.now() - 60_000,
      request: 3,
      attempt: 1,
      text: '',
      reasoning: '',
      tools: [
        {
          callId: 'c3',
          name: 'terminal',
          state: 'running',
          label: 'Ran npm test',
          startedAt: Date.now() - 12_000,
          output: testOutput,
        },
      ],
    },
    ...overrides,
  });
}

const prose = `The total was wrong because \`total\` added each line’s price once. It now multiplies by the quantity.

## What I changed

1. \`src/cart.js\` multiplies by \`line.quantity\`, see [the loop](src/cart.js:4)
2. a test for quantities above one

\`\`\`ts
export function total(lines: readonly Line[]): number {
  // Quantities may be fractions for goods sold by weight.
  return lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
}
\`\`\`

| case | before | after |
|:--|--:|:-:|
| one line | 4.00 | 4.00 |
| three of a line | 4.00 | 12.00 |

> Rounding still happens in \`format\`. See [the guide](https://example.com/money) on money.

All 14 tests pass.`;

const finished = () => [
  ...work(),
  answer('t1', 3, '', [command]),
  toolResult('t1', 'c3', testOutput, { label: 'Ran npm test', detail: 'exit 0', durationMs: 12_300 }),
  answer('t1', 4, prose),
];

export const scenes: readonly Scene[] = [
  {
    name: 'empty',
    messages: () => [
      snapshot({ session: { id: 's1', title: '' }, meter: { ...snapshot().meter, contextUsed: 0, costUsd: 0 } }),
    ],
  },
  {
    name: 'empty-no-model',
    messages: () => [
      snapshot({
        session: { id: 's1', title: '' },
        meter: { ...snapshot().meter, contextUsed: 0, costUsd: 0 },
        model: { ref: '', label: '', practice: false },
        welcome: {
          ...snapshot().welcome,
          modelHint: {
            text: 'No model yet. Add a key for a provider, or try stop, steer and redirect with the practice model first.',
            actions: [
              { label: 'Add a key', command: 'midcourse.setApiKey' },
              { label: 'Try the practice model', command: 'midcourse.startPractice' },
            ],
          },
        },
      }),
    ],
  },
  {
    name: 'streaming',
    messages: () => [
      snapshot({
        rows: work(),
        state: { state: 'running', phase: 'model', since: Date.now() - 4_000 },
        live: {
          turnId: 't1',
          startedAt: Date.now() - 60_000,
          request: 4,
          attempt: 1,
          text: prose.slice(0, 430),
          reasoning: 'Let me think.',
          tools: [],
        },
        draft: '',
      }),
    ],
  },
  {
    name: 'finished',
    messages: () => [snapshot({ rows: finished(), turnResults: [turnResult('t1', { finalText: prose })] })],
  },
  {
    name: 'tools-open',
    messages: () => [running()],
    act: async (chat) => {
      await chat.testId(toolCardId('e1')).getByTestId(cardControls.toggle).click();
      await chat.testId(testIds.toolGroup).locator('button').first().click();
    },
  },
  { name: 'command-running', messages: () => [running()] },
  {
    name: 'approval-command',
    messages: () => [
      running({
        state: { state: 'waiting', phase: 'approval', since: Date.now() - 3_000 },
        approvals: [
          {
            id: 'a1',
            turnId: 't1',
            callId: 'c3',
            sessionId: 's1',
            tool: 'terminal',
            summary: 'Run in shop: npm test -- --reporter=dot && git commit -am "Count quantities"',
            command: 'npm test -- --reporter=dot && git commit -am "Count quantities"',
            why: 'Commands ask before they run. This one also changes the history of git.',
            choices: ['once', 'session', 'always', 'deny'],
            alwaysScope: 'Commands that begin with npm test',
          },
        ],
      }),
    ],
    act: async (chat) => {
      await chat.testId(testIds.composer).fill('Leave git alone, only run the tests');
    },
  },
  {
    name: 'approval-menu',
    messages: () => approvalEdit(),
    act: async (chat) => {
      await chat.testId(approvalCardId('c3')).getByTestId(cardControls.allowMenuButton).click();
    },
  },
  {
    name: 'approval-deny',
    messages: () => approvalEdit(),
    act: async (chat) => {
      await chat.testId(approvalCardId('c3')).getByTestId(cardControls.deny).click();
    },
  },
  {
    name: 'question',
    messages: () => [
      running({
        state: { state: 'waiting', phase: 'question', since: Date.now() - 3_000 },
        questions: [
          {
            id: 'q1',
            turnId: 't1',
            callId: 'c3',
            text: 'Goods sold by weight have quantities such as `0.25`. How should the total be rounded?',
            choices: [
              { id: 'a', label: 'Each line to cents, then add' },
              { id: 'b', label: 'Add first, round the sum once' },
              { id: 'c', label: 'Do not round here; the display does' },
            ],
            multiple: false,
            freeText: true,
          },
        ],
      }),
    ],
  },
  {
    name: 'shelf',
    messages: () => [
      running({
        items: [
          item('steer', 'Use Math.round, not toFixed: toFixed gives a string', {
            waitsFor: { what: 'tool', label: 'npm test', callId: 'c3' },
          }),
          item('queue', 'Then add a changelog entry for the mended total', {
            waitsFor: { what: 'turn_end', label: '' },
          }),
          item('queue', 'And bump the patch version', { waitsFor: { what: 'turn_end', label: '' } }),
        ],
        processes: [
          {
            id: 'bg1',
            pid: 4242,
            command: 'npm run dev',
            cwd: 'shop',
            startedAt: Date.now() - 190_000,
            startedBy: 'background',
            turnId: 't1',
            state: 'running',
            tail: '',
          },
        ],
      }),
      {
        type: 'notice',
        level: 'info',
        text: 'Not redirected: tools are running: commands move to the background, other tools finish first. It goes in as a steer.',
      },
    ],
    act: async (chat) => {
      await chat.testId(testIds.shelf).locator('.chip').first().hover();
    },
  },
  {
    name: 'stopped',
    messages: () => [
      snapshot({
        rows: [
          ...work(),
          user('t1', 'Only multiply; leave the rounding for later', { kind: 'steer', request: 3 }),
          answer('t1', 3, 'Understood. I’ll run the tests now and', [], { interrupted: 'redirect' }),
          user('t1', 'Run only the cart tests', { kind: 'redirect', request: 3 }),
          answer('t1', 3, '', [command]),
          toolResult(
            't1',
            'c3',
            testOutput,
            { label: 'Ran npm test', detail: 'stopped after 12 s', durationMs: 12_000 },
            'stopped',
          ),
        ],
        turnResults: [
          turnResult('t1', {
            exitReason: 'interrupted_by_user',
            completed: false,
            interrupted: true,
            stoppedBy: 'user',
            phase: 'tool',
            finalText: '',
            survivors: [{ pid: 4711, command: 'node server.js --watch' }],
          }),
        ],
        items: [
          item('queue', 'Then add a changelog entry for the mended total', { state: { is: 'held' } }),
          item('queue', 'And bump the patch version', { state: { is: 'held' } }),
          item('steer', 'Use Math.round', {
            state: { is: 'returned', why: 'the turn was stopped', acknowledged: false },
          }),
        ],
        draft: 'Now only',
      }),
    ],
  },
  {
    name: 'failed',
    messages: () => [
      snapshot({
        rows: [user('t1', 'Explain this project')],
        turnResults: [
          turnResult('t1', {
            exitReason: 'model_error',
            completed: false,
            failed: true,
            finalText: '',
            requests: 1,
            usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
            durationMs: 800,
            error: {
              kind: 'auth',
              message:
                'Anthropic refused the key. Nothing was sent on, and your message is kept. Set a key that works, then send it again.',
              action: 'midcourse.setApiKey',
            },
          }),
        ],
      }),
    ],
  },
  {
    name: 'send-menu',
    messages: () => [running()],
    act: async (chat) => {
      await chat.testId(testIds.composer).fill('Use Math.round instead');
      await chat.testId(testIds.sendMenuButton).click();
    },
  },
  {
    name: 'overflow-menu',
    messages: () => [running()],
    act: async (chat) => {
      await chat.testId(testIds.overflow).click();
    },
  },
  {
    name: 'sessions',
    messages: () => [
      running(),
      {
        type: 'sessions',
        currentId: 's1',
        sessions: [
          { id: 's1', title: 'Mend the cart total', createdAt: 0, updatedAt: Date.now() - 30_000, turns: 1 },
          {
            id: 's2',
            title: 'Why does the build take four minutes on the runner and one at home',
            createdAt: 0,
            updatedAt: Date.now() - 7_200_000,
            turns: 12,
          },
          { id: 's3', title: 'Explain this project', createdAt: 0, updatedAt: Date.now() - 200_000_000, turns: 2 },
        ],
      },
    ],
    act: async (chat) => {
      await chat.testId(testIds.sessions).click();
    },
  },
  {
    name: 'model-menu',
    messages: () => [
      snapshot({ rows: finished(), turnResults: [turnResult('t1')] }),
      {
        type: 'models',
        current: 'anthropic/claude-sonnet-4-5',
        groups: [
          {
            label: 'Anthropic',
            models: [
              { ref: 'anthropic/claude-sonnet-4-5', label: 'Claude Sonnet 4.5', detail: '200k context' },
              { ref: 'anthropic/claude-opus-4-5', label: 'Claude Opus 4.5', detail: '200k context' },
            ],
          },
          {
            label: 'Rehearsal',
            models: [
              { ref: 'practice/practice', label: 'Practice model', detail: 'Scripted; edits and commands are real' },
            ],
          },
        ],
      },
    ],
    act: async (chat) => {
      await chat.testId(testIds.modelPicker).click();
    },
  },
  {
    name: 'context-popover',
    messages: () => [snapshot({ rows: finished(), turnResults: [turnResult('t1')] })],
    act: async (chat) => {
      await chat.testId(testIds.contextMeter).click();
    },
  },
  ...agentScenes,
  ...modelScenes,
  ...sessionScenes,
  ...slashScenes,
  ...askScenes,
  ...hookScenes,
  { name: 'help', messages: () => [running(), { type: 'showHelp' }] },
  {
    name: 'long-text',
    messages: () => [
      running({
        session: { id: 's1', title: 'A very long title that goes on and on until it no longer fits into any header' },
      }),
      events(0, {
        type: 'delta',
        turnId: 't1',
        request: 4,
        attempt: 1,
        part: 'text',
        text: `Averyveryverylongwordthatdoesnotfit${'x'.repeat(120)} and \`a/path/that/is/long/${'y'.repeat(90)}\`\n\n${'Many words follow one another. '.repeat(60)}`,
      }),
    ],
  },
];

function approvalEdit(): readonly ToView[] {
  return [
    running({
      state: { state: 'waiting', phase: 'approval', since: Date.now() - 3_000 },
      approvals: [
        {
          id: 'a1',
          turnId: 't1',
          callId: 'c3',
          sessionId: 's1',
          tool: 'patch',
          summary: 'Edit src/cart.js',
          diff: { path: 'src/cart.js', before, after },
          why: 'Files ask before they are changed.',
          choices: ['once', 'session', 'always', 'deny'],
          alwaysScope: 'Changes to files below src',
        },
      ],
    }),
  ];
}
