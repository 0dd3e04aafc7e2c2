import assert from 'node:assert/strict';
import { addUsage, costOf, NO_USAGE, withCost } from '../../../src/agent/model/index.ts';

const usage = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, reasoning: 40 };
const price = { input: 3, output: 15 };

describe('the cost of a request', () => {
  it('is tokens times price', () => {
    assert.equal(costOf(usage, price), 0.0045);
  });

  it('is unknown without a price', () => {
    assert.equal(costOf(usage, undefined), undefined);
    assert.equal('costUsd' in withCost(usage, undefined), false);
  });

  it('is unknown when tokens of the cache have no price', () => {
    assert.equal(costOf({ ...usage, cacheRead: 1 }, price), undefined);
    assert.equal(costOf({ ...usage, cacheWrite: 1 }, { ...price, cacheRead: 0.3 }), undefined);
  });

  it('counts the cache at its own price', () => {
    const cached = { ...usage, cacheRead: 1_000_000, cacheWrite: 1_000_000 };
    assert.equal(costOf(cached, { ...price, cacheRead: 0.3, cacheWrite: 3.75 }), 0.0045 + 0.3 + 3.75);
  });
});

describe('the sum of two usages', () => {
  it('adds each count and the cost', () => {
    const a = withCost(usage, price);
    assert.deepEqual(addUsage(a, a), { ...usage, input: 2_000, output: 200, reasoning: 80, costUsd: 0.009 });
  });

  it('has no cost when one of the two is unknown', () => {
    assert.equal(addUsage(withCost(usage, price), usage).costUsd, undefined);
  });

  it('begins with nothing, which costs nothing', () => {
    assert.equal(addUsage(NO_USAGE, withCost(usage, price)).costUsd, 0.0045);
    assert.equal(addUsage(NO_USAGE, NO_USAGE).costUsd, undefined);
  });
});
