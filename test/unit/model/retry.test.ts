import assert from 'node:assert/strict';
import { backoff, ceiling } from '../../../src/agent/model/recovery/retry.ts';
import type { ModelError } from '../../../src/agent/model/types.ts';

const failure = (rest: Partial<ModelError> = {}): ModelError => ({
  kind: 'server',
  message: '',
  detail: '',
  retryable: true,
  ...rest,
});

const seconds = (error: ModelError, upTo: number) =>
  Array.from({ length: upTo }, (_none, index) => backoff(error, index + 1, 0).delayMs / 1000);

describe('the back-off', () => {
  it('doubles from 2 s up to 60 s', () => {
    assert.deepEqual(seconds(failure(), 8), [2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('adds up to a half, by chance', () => {
    assert.deepEqual(backoff(failure(), 1, 0.5), { delayMs: 2_500, retryAfter: false });
    assert.ok(backoff(failure(), 9, 0.999).delayMs < 90_000);
  });

  it('waits exactly as long as the server asked', () => {
    assert.deepEqual(backoff(failure({ retryAfterMs: 7_000 }), 3, 0.9), { delayMs: 7_000, retryAfter: true });
  });

  it('has longer waits of its own for an overload that outlasts three short ones', () => {
    const overloaded = (code: string) => failure({ kind: 'overloaded', code });
    assert.deepEqual(seconds(overloaded('overloaded_error'), 8), [2, 4, 8, 15, 30, 60, 120, 120]);
    assert.deepEqual(seconds(overloaded('1305'), 7), [2, 4, 8, 30, 60, 90, 120]);
    assert.deepEqual(seconds(overloaded('toString'), 4), [2, 4, 8, 16]);
  });

  it('gives such an overload the attempts for all its waits, and any other failure what is set', () => {
    assert.equal(ceiling(failure({ kind: 'overloaded', code: 'overloaded_error' }), 3), 8);
    assert.equal(ceiling(failure({ kind: 'overloaded' }), 3), 3);
    assert.equal(ceiling(failure({ kind: 'server', code: 'overloaded_error' }), 3), 3);
    assert.equal(ceiling(failure({ kind: 'overloaded', code: '1305' }), 20), 20);
  });
});
