import assert from 'node:assert/strict';
import { RateLimitWatch, readRateLimits } from '../../../src/agent/model/recovery/rate-limits.ts';
import type { RateLimits, RateLimitWindow } from '../../../src/agent/model/types.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const read = (headers: Record<string, string>) => readRateLimits(new Headers(headers), NOW);

describe('rate limits', () => {
  it('are read from all twelve headers, whatever their case', () => {
    const limits = read({
      'X-RateLimit-Limit-Requests': '800',
      'x-ratelimit-remaining-requests': '795',
      'x-ratelimit-reset-requests': '4.5',
      'x-ratelimit-limit-requests-1h': '33600',
      'x-ratelimit-remaining-requests-1h': '33000',
      'x-ratelimit-reset-requests-1h': '3100',
      'x-ratelimit-limit-tokens': '1000000',
      'X-RATELIMIT-REMAINING-TOKENS': '900000',
      'x-ratelimit-reset-tokens': '6m0s',
      'x-ratelimit-limit-tokens-1h': '30000000',
      'x-ratelimit-remaining-tokens-1h': '100',
      'x-ratelimit-reset-tokens-1h': '120ms',
    });
    assert.deepEqual(limits, {
      at: NOW,
      windows: [
        { of: 'requests', per: 'minute', limit: 800, remaining: 795, resetMs: 4_500 },
        { of: 'requests', per: 'hour', limit: 33_600, remaining: 33_000, resetMs: 3_100_000 },
        { of: 'tokens', per: 'minute', limit: 1_000_000, remaining: 900_000, resetMs: 360_000 },
        { of: 'tokens', per: 'hour', limit: 30_000_000, remaining: 100, resetMs: 120 },
      ],
    } satisfies RateLimits);
  });

  it('are read with a date in seconds or milliseconds, and not at all where a count is none', () => {
    const tokens = (limit: string, reset: string) =>
      read({
        'x-ratelimit-limit-tokens': limit,
        'x-ratelimit-remaining-tokens': '1',
        'x-ratelimit-reset-tokens': reset,
      })?.windows[0];
    assert.equal(tokens('10', String(NOW / 1000 + 60))?.resetMs, 60_000);
    assert.equal(tokens('10', String(NOW + 60_000))?.resetMs, 60_000);
    assert.equal(tokens('10', '9'.repeat(400))?.resetMs, undefined);
    assert.equal(tokens('9'.repeat(400), '1'), undefined);
  });

  it('do not name the time of a window that stands alone', () => {
    const limits = read({ 'x-ratelimit-limit-requests': '10', 'x-ratelimit-remaining-requests': '1' });
    assert.deepEqual(limits?.windows, [{ of: 'requests', per: 'unknown', limit: 10, remaining: 1 }]);
  });

  it('are read as Anthropic says them', () => {
    const limits = read({
      'anthropic-ratelimit-input-tokens-limit': '50000',
      'anthropic-ratelimit-input-tokens-remaining': '49000',
      'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:30Z',
    });
    assert.deepEqual(limits?.windows, [
      { of: 'input_tokens', per: 'minute', limit: 50_000, remaining: 49_000, resetMs: 30_000 },
    ]);
  });

  it('are unknown without headers, and with headers that make no sense', () => {
    assert.equal(read({ 'content-type': 'text/event-stream' }), undefined);
    assert.equal(read({ 'x-ratelimit-limit-tokens': 'many', 'x-ratelimit-remaining-tokens': '3' }), undefined);
    assert.equal(read({ 'x-ratelimit-limit-tokens': '0', 'x-ratelimit-remaining-tokens': '0' }), undefined);
    assert.equal(read({ 'x-ratelimit-limit-tokens': '10' }), undefined);
  });
});

describe('the watch over rate limits', () => {
  const reading = (remaining: number, at: number, per: RateLimitWindow['per'] = 'hour'): RateLimits => ({
    at,
    windows: [{ of: 'tokens', per, limit: 100, remaining, resetMs: 1_000 }],
  });

  it('names a window from 80 per cent on, once until it is whole again', () => {
    const watch = new RateLimitWatch();
    assert.equal(watch.newlyTight('a/one', reading(21, NOW)).length, 0);
    assert.equal(watch.newlyTight('a/one', reading(20, NOW)).length, 1);
    assert.equal(watch.newlyTight('a/one', reading(5, NOW + 999)).length, 0);
    assert.equal(watch.newlyTight('b/two', reading(5, NOW + 999)).length, 1);
    assert.equal(watch.newlyTight('a/one', reading(5, NOW + 1_000)).length, 1);
  });

  it('names a window of a minute only once: it is tight again and again', () => {
    const watch = new RateLimitWatch();
    assert.equal(watch.newlyTight('a/one', reading(5, NOW, 'minute')).length, 1);
    assert.equal(watch.newlyTight('a/one', reading(5, NOW + 3_600_000, 'minute')).length, 0);
  });
});
