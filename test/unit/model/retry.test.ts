import assert from 'node:assert/strict';
import { nextDelay } from '../../../src/agent/model/index.ts';
import type { ModelError } from '../../../src/agent/model/types.ts';

const failure = (rest: Partial<ModelError> = {}): ModelError => ({
  kind: 'server',
  message: '',
  detail: '',
  retryable: true,
  ...rest,
});

describe('the retry policy', () => {
  it('doubles from 2 s up to 60 s', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 50].map((attempt) => nextDelay({ attempt, error: failure(), random: 0 }));
    assert.deepEqual(
      delays.map((decision) => decision.retry && decision.delayMs),
      [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000],
    );
  });

  it('takes off up to half, by chance', () => {
    const decision = nextDelay({ attempt: 1, error: failure(), random: 0.5 });
    assert.deepEqual(decision, { retry: true, delayMs: 1_500, retryAfter: false });
  });

  it('waits exactly as long as the server asked', () => {
    const decision = nextDelay({ attempt: 3, error: failure({ retryAfterMs: 7_000 }), random: 0.9 });
    assert.deepEqual(decision, { retry: true, delayMs: 7_000, retryAfter: true });
  });

  it('does not ask again when that cannot help', () => {
    assert.deepEqual(nextDelay({ attempt: 1, error: failure({ retryable: false }), random: 0 }), { retry: false });
  });

  it('does not ask again after the last attempt', () => {
    assert.equal(nextDelay({ attempt: 2, maxAttempts: 3, error: failure(), random: 0 }).retry, true);
    assert.equal(nextDelay({ attempt: 3, maxAttempts: 3, error: failure(), random: 0 }).retry, false);
  });

  it('asks again after a cut stream of which nothing was seen, and keeps what was seen otherwise', () => {
    const error = failure({ kind: 'stream_cut' });
    assert.equal(nextDelay({ attempt: 1, error, random: 0 }).retry, true);
    assert.equal(nextDelay({ attempt: 1, error, random: 0, visible: true }).retry, false);
  });
});
