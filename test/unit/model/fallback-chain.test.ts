import assert from 'node:assert/strict';
import { FallbackChain } from '../../../src/agent/model/recovery/fallback-chain.ts';

describe('the fallback chain', () => {
  let now = 0;
  const entries = ['a/one', 'b/two', 'a/three', 'broken', '/none', 'none/', 'b/two'];
  let chain: FallbackChain;

  beforeEach(() => {
    now = 5_000_000;
    chain = new FallbackChain({
      entries: () => entries,
      backendOf: (ref) => ref.slice(0, ref.indexOf('/')),
      now: () => now,
    });
  });

  const restsFor = (ref: string): number => {
    const from = now;
    while (chain.rests(ref)) now += 1_000;
    return (now - from) / 1_000;
  };

  it('names each whole entry once, in the user’s order, without those that were tried', () => {
    assert.deepEqual(chain.candidates(['x/y'], 'server'), ['a/one', 'b/two', 'a/three']);
    assert.deepEqual(chain.candidates(['x/y', 'a/one'], 'server'), ['b/two', 'a/three']);
  });

  it('leaves out what shares a backend with a failure of all of it', () => {
    for (const because of ['auth', 'billing', 'network', 'not_json'] as const) {
      assert.deepEqual(chain.candidates(['a/zero'], because), ['b/two'], because);
    }
    for (const because of ['rate_limit', 'overloaded', 'model_not_found', 'content_policy'] as const) {
      assert.equal(chain.candidates(['a/zero'], because).length, 3, because);
    }
  });

  it('lets a model at its limit rest a minute, and twice as long each time, up to four hours', () => {
    const rests = Array.from({ length: 10 }, () => {
      chain.failed('b/two', { kind: 'rate_limit' });
      assert.deepEqual(chain.candidates([], undefined), ['a/one', 'a/three']);
      return restsFor('b/two');
    });
    assert.deepEqual(rests, [60, 120, 240, 480, 960, 1920, 3840, 7680, 14_400, 14_400]);
  });

  it('believes a provider that names the time', () => {
    chain.failed('b/two', { kind: 'billing', retryAfterMs: 30_000 });
    assert.equal(restsFor('b/two'), 30);
  });

  it('lets a model that failed otherwise rest for five seconds, and does not double that', () => {
    for (let times = 0; times < 3; times++) {
      chain.failed('b/two', { kind: 'server' });
      assert.equal(restsFor('b/two'), 5);
    }
  });

  it('begins anew once the model has answered', () => {
    chain.failed('b/two', { kind: 'rate_limit' });
    chain.worked('b/two');
    assert.equal(chain.rests('b/two'), false);
    chain.failed('b/two', { kind: 'rate_limit' });
    assert.equal(restsFor('b/two'), 60);
  });
});
