import assert from 'node:assert/strict';
import { turnResult } from '../../../webview/dev/script.ts';
import { approvalTitle } from '../../../webview/state/call-label.ts';
import { diffLines } from '../../../webview/state/diff-lines.ts';
import {
  activityWords,
  cost,
  duration,
  outcomeWords,
  tokens,
  turnSummary,
  waitsForWords,
} from '../../../webview/state/words.ts';

describe('numbers in words', () => {
  it('are short and true', () => {
    assert.deepEqual(
      [duration(800), duration(12_000), duration(185_000), duration(3_720_000)],
      ['0.8 s', '12 s', '3 min 5 s', '1 h 2 min'],
    );
    assert.deepEqual([tokens(999), tokens(1_240), tokens(34_400), tokens(1_200_000)], ['999', '1.2k', '34k', '1.2M']);
    assert.deepEqual([cost(0.4321), cost(0.0042), cost(0.00001), cost(0)], ['$0.43', '$0.0042', '<$0.0001', '$0']);
  });

  it('sum up a turn with its cached share, and say an unknown cost as unknown', () => {
    assert.deepEqual(turnSummary(turnResult('t1')), ['1 min 12 s', '4 requests', '48k tokens (87 % cached)', '$0.04']);
    const { costUsd: _unknown, ...usage } = turnResult('t1').usage;
    assert.equal(turnSummary(turnResult('t1', { usage })).at(-1), 'cost unknown');
    const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
    assert.deepEqual(turnSummary(turnResult('t1', { usage: nothing })), ['1 min 12 s', '4 requests']);
  });
});

describe('how a turn ended', () => {
  const stopped = { completed: false, interrupted: true } as const;

  it('says nothing after a plain answer', () => {
    assert.equal(outcomeWords(turnResult('t1')), undefined);
  });

  it('says who stopped it and in which phase', () => {
    const byUser = turnResult('t1', { ...stopped, exitReason: 'interrupted_by_user', phase: 'tool' });
    assert.equal(outcomeWords(byUser), 'Stopped by you while a tool ran.');
    const error = { kind: 'budget', message: 'The budget is used up. Raise it.', action: 'midcourse.openSettings' };
    const overBudget = turnResult('t1', { ...stopped, exitReason: 'interrupted_by_system(budget)', error });
    assert.equal(outcomeWords(overBudget), error.message, 'which budget, and what to do');
    const byWatchdog = turnResult('t1', { ...stopped, exitReason: 'interrupted_by_system(liveness)', phase: 'model' });
    assert.equal(
      outcomeWords(byWatchdog),
      'Stopped by Midcourse while the model answered. Nothing had moved for too long.',
    );
    const takenOver = turnResult('t1', { ...stopped, exitReason: 'interrupted_by_system(taken_over)', phase: 'tool' });
    assert.equal(outcomeWords(takenOver), 'Stopped by another window while a tool ran. It took this session over.');
    const byUnknown = turnResult('t1', { ...stopped, exitReason: 'interrupted_by_system(new_producer)' });
    assert.equal(outcomeWords(byUnknown), 'Stopped by new_producer.');
  });

  it('says of a reload where it caught the turn, and that nothing is lost', () => {
    const reloaded = { ...stopped, exitReason: 'interrupted_by_reload' } as const;
    assert.equal(
      outcomeWords(turnResult('t1', { ...reloaded, phase: 'model' })),
      'Interrupted while the model answered: the window was closed or reloaded. What was done until then is kept.',
    );
    assert.match(outcomeWords(turnResult('t1', reloaded)) ?? '', /^Interrupted: the window was closed or reloaded/);
  });

  it('says which budget stopped it in the words that name it', () => {
    const exitReason = 'interrupted_by_system(budget)' as const;
    const error = { kind: 'budget', message: 'The budget of $1.00 for this turn is used up.' };
    assert.equal(outcomeWords(turnResult('t1', { ...stopped, exitReason, error })), error.message);
    assert.match(outcomeWords(turnResult('t1', { ...stopped, exitReason })) ?? '', /^Stopped by its budget/);
  });

  it('says what failed in the words of the failure', () => {
    const failed = turnResult('t1', {
      completed: false,
      failed: true,
      exitReason: 'model_error',
      error: { kind: 'auth', message: 'The key was refused.' },
    });
    assert.equal(outcomeWords(failed), 'The key was refused.');
  });
});

describe('the activity line', () => {
  const running = (phase: 'model' | 'tool' | 'backoff', label?: string) =>
    ({ state: 'running', phase, ...(label !== undefined && { label }) }) as const;

  it('says what happens right now', () => {
    assert.equal(activityWords(running('model'), null, undefined), 'Waiting for the model');
    assert.equal(
      activityWords(running('model', 'patch 1200'), null, undefined),
      'Preparing an edit · 1,200 characters',
    );
    assert.equal(activityWords(running('tool', 'Running npm test'), null, undefined), 'Running npm test');
    assert.equal(activityWords(running('backoff', 'Overloaded.'), null, 4_200), 'Trying again in 5 s · Overloaded.');
    assert.equal(activityWords(running('backoff'), null, 4_200), 'Trying again in 5 s · the request failed');
  });
});

describe('a chip', () => {
  it('says what it waits for', () => {
    const words = (what: 'tool' | 'model' | 'turn_end', label = '') =>
      waitsForWords({ waitsFor: { what, label }, state: { is: 'pending' } });
    assert.equal(words('tool', 'npm test'), 'after npm test');
    assert.equal(words('model'), 'waiting for the model');
    assert.equal(words('turn_end'), 'after this turn');
  });
});

describe('a change as lines', () => {
  it('shows what was added and removed with two lines around it', () => {
    const view = diffLines('a\nb\nc\nd\ne\n', 'a\nb\nC\nd\ne\n', 50);
    assert.deepEqual(
      view?.lines.map((line) => [line.kind, line.text, line.line]),
      [
        ['same', 'a', 1],
        ['same', 'b', 2],
        ['removed', 'c', 3],
        ['added', 'C', 3],
        ['same', 'd', 4],
        ['same', 'e', 5],
      ],
    );
    assert.deepEqual([view?.added, view?.removed, view?.hidden], [1, 1, 0]);
  });

  it('shows at most as many lines as it may and counts the rest', () => {
    const view = diffLines('', 'line\n'.repeat(100), 10);
    assert.deepEqual([view?.lines.length, view?.hidden, view?.added], [10, 90, 100]);
  });
});

describe('the title of an approval', () => {
  const title = (summary: string, command?: string) =>
    approvalTitle({ summary, ...(command !== undefined && { command }) });

  it('says of a command only that it is one and where it runs', () => {
    assert.equal(title('Run: echo a: b', 'echo a: b'), 'Run a command');
    assert.equal(title('Run in packages/shop: npm test', 'npm test'), 'Run a command in packages/shop');
    assert.equal(title('Start in the background: npm run dev', 'npm run dev'), 'Run a command in the background');
    assert.equal(
      title('Start in the background in shop: npm run dev', 'npm run dev'),
      'Run a command in the background, in shop',
    );
  });

  it('is the summary of anything else', () => {
    assert.equal(title('Edit src/cart.js'), 'Edit src/cart.js');
  });
});
