/** What becomes of a session: summarised, interrupted, in another window. */

import type { TranscriptRow } from '../../src/api.ts';
import { type Snapshot, testIds } from '../../src/protocol/index.ts';
import type { Scene } from './scene.ts';
import { answer, snapshot, summary, turnResult, user } from './script.ts';

const summaryText = `**Goal.** The cart shows a wrong total when a line has a quantity above one.

**Done.** \`src/cart.js\` multiplies by \`quantity\`; two tests were added; all 14 pass.

**Open.** Rounding of goods sold by weight.`;

const conversation = (): readonly TranscriptRow[] => [
  user('t1', 'The cart shows a wrong total when a line has a quantity above one. Find out why and mend it.'),
  answer('t1', 1, '`total` never looked at `quantity`. It does now, and two tests hold it to that.'),
];

function summarised(overrides: Partial<Snapshot> = {}): Snapshot {
  return snapshot({
    rows: [
      ...conversation(),
      user('t2', 'And how are goods sold by weight rounded?'),
      summary('t2', summaryText),
      answer('t2', 1, 'Not at all so far: only the display rounds.'),
    ],
    turnResults: [turnResult('t1'), turnResult('t2', { requests: 1 })],
    ...overrides,
  });
}

const elsewhere = {
  id: 's1',
  title: 'Mend the cart total',
  readOnly:
    'This session is running in another window, so it can only be read here. Go on there, or take it over: what runs there is stopped first.',
  canTakeOver: true,
};

export const sessionScenes: readonly Scene[] = [
  { name: 'summary', messages: () => [summarised()] },
  {
    name: 'summary-open',
    messages: () => [summarised()],
    act: (chat) => chat.testId(testIds.summaryToggle).click(),
  },
  {
    name: 'compacting',
    messages: () => [
      summarised({
        turnResults: [turnResult('t1')],
        state: { state: 'running', phase: 'compaction', since: Date.now() - 5_000 },
        live: { turnId: 't2', startedAt: Date.now(), request: 1, attempt: 1, text: '', reasoning: '', tools: [] },
      }),
    ],
  },
  {
    name: 'read-only',
    messages: () => [
      snapshot({
        session: elsewhere,
        rows: conversation(),
        turnResults: [turnResult('t1')],
        draft: 'Now the rounding',
      }),
    ],
  },
  {
    name: 'taking-over',
    messages: () => [snapshot({ session: elsewhere, rows: conversation(), turnResults: [turnResult('t1')] })],
    act: (chat) => chat.testId(testIds.takeOver).click(),
  },
  {
    name: 'continue',
    messages: () => [
      snapshot({
        rows: [
          ...conversation(),
          user('t2', 'And how are goods sold by weight rounded?'),
          answer('t2', 1, 'Not at all so far: only the', [], { interrupted: 'reload' }),
        ],
        turnResults: [
          turnResult('t1'),
          turnResult('t2', {
            exitReason: 'interrupted_by_reload',
            completed: false,
            interrupted: true,
            phase: 'model',
            requests: 1,
            finalText: '',
          }),
        ],
      }),
    ],
  },
];
