import assert from 'node:assert/strict';
import { CredentialPool, type KeyStrategy } from '../../../src/agent/model/recovery/credentials.ts';
import type { ModelError } from '../../../src/agent/model/types.ts';

const failure = (kind: ModelError['kind'], rest: Partial<ModelError> = {}): ModelError => ({
  kind,
  message: '',
  detail: '',
  retryable: false,
  ...rest,
});

describe('the keys of a provider', () => {
  let now = 0;
  let random = 0;
  const clock = { now: () => now, random: () => random };

  beforeEach(() => {
    now = 1_000_000;
    random = 0;
  });

  function pool(keys: readonly string[], strategy: KeyStrategy = 'fill_first'): CredentialPool {
    const made = new CredentialPool(clock, () => strategy);
    made.set(keys);
    return made;
  }

  const picks = (from: CredentialPool, times: number) => Array.from({ length: times }, () => from.pick());

  it('are used in the user’s order by default', () => {
    assert.deepEqual(picks(pool(['A', 'B']), 3), ['A', 'A', 'A']);
  });

  it('take turns, follow chance or spread their use, as the user likes', () => {
    assert.deepEqual(picks(pool(['A', 'B', 'C'], 'round_robin'), 4), ['A', 'B', 'C', 'A']);
    const random3 = pool(['A', 'B', 'C'], 'random');
    random = 0.99;
    assert.deepEqual(picks(random3, 1), ['C']);
    const least = pool(['A', 'B'], 'least_used');
    assert.deepEqual(picks(least, 3), ['A', 'B', 'A']);
  });

  const coolDowns: [string, ModelError, number][] = [
    ['a refused key', failure('auth'), 5 * 60_000],
    ['a limit', failure('rate_limit'), 3_600_000],
    ['an empty account', failure('billing'), 3_600_000],
    ['a limit whose end the provider names', failure('rate_limit', { retryAfterMs: 20_000 }), 20_000],
  ];
  for (const [what, error, ms] of coolDowns) {
    it(`rest ${ms / 1000} s after ${what}`, () => {
      const two = pool(['A', 'B']);
      two.failed('A', error);
      assert.equal(two.pick(), 'B');
      now += ms - 1;
      assert.equal(two.pick(), 'B');
      now += 1;
      assert.equal(two.pick(), 'A');
    });
  }

  it('rest a minute when there is only one, but not when its account is empty', () => {
    const limited = pool(['A']);
    limited.failed('A', failure('rate_limit'));
    const empty = pool(['A']);
    empty.failed('A', failure('billing'));
    now += 60_000;
    assert.deepEqual(limited.status('A'), { is: 'ok' });
    assert.equal(empty.status('A').is, 'exhausted');
  });

  it('never rest for what is not their fault', () => {
    const two = pool(['A', 'B']);
    for (const kind of ['overloaded', 'server', 'network', 'timeout', 'bad_request'] as const)
      two.failed('A', failure(kind));
    assert.deepEqual(two.status('A'), { is: 'ok' });
  });

  it('stay out when the provider has revoked them', () => {
    const two = pool(['A', 'B']);
    two.failed('A', failure('auth', { code: 'token_revoked' }));
    now += 30 * 24 * 3_600_000;
    assert.deepEqual(two.status('A'), { is: 'dead' });
    assert.equal(two.pick(), 'B');
  });

  it('give another one after a failure, and none when none is usable', () => {
    const two = pool(['A', 'B']);
    two.failed('A', failure('billing'));
    assert.equal(two.next('A'), 'B');
    two.failed('B', failure('billing'));
    assert.equal(two.next('B'), undefined);
  });

  it('are never missing only because all of them rest: the one that is usable first is taken', () => {
    const two = pool(['A', 'B']);
    two.failed('A', failure('billing'));
    two.failed('B', failure('auth'));
    assert.equal(two.pick(), 'B');
    const dead = pool(['A']);
    dead.failed('A', failure('auth', { code: 'invalid_grant' }));
    assert.equal(dead.pick(), 'A');
    assert.equal(pool([]).pick(), undefined);
  });

  it('keep what happened to them when they are read again in another order, and forget keys that are gone', () => {
    const some = pool(['A', 'B']);
    some.failed('A', failure('billing'));
    some.set(['C', 'A', 'B']);
    assert.equal(some.status('A').is, 'exhausted');
    some.set(['B']);
    some.set(['A', 'B']);
    assert.equal(some.pick(), 'A');
  });

  it('are usable again once they have worked', () => {
    const two = pool(['A', 'B']);
    two.failed('A', failure('rate_limit'));
    two.worked('A');
    assert.equal(two.pick(), 'A');
  });

  it('count once each, without what no header can carry', () => {
    assert.deepEqual(pool([' A\n', 'A', '\u00e9', '“B”']).keys, ['A', 'B']);
  });
});
