import type { RateLimits, RateLimitWindow } from '../types.ts';

type Counted = RateLimitWindow['of'];

/** Names in headers, and what they count. */
const COUNTED: readonly (readonly [string, Counted])[] = [
  ['requests', 'requests'],
  ['tokens', 'tokens'],
  ['input-tokens', 'input_tokens'],
  ['output-tokens', 'output_tokens'],
];

/** Suffixes of `x-ratelimit-…-requests`, and the time that they are about. */
const SPANS: readonly (readonly [string, RateLimitWindow['per']])[] = [
  ['', 'minute'],
  ['-1h', 'hour'],
  ['-1d', 'day'],
];

/**
 * What an answer's headers say is left: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}[-1h]` of OpenAI and those
 * that follow it, and `anthropic-ratelimit-…`. Undefined when they say nothing.
 *
 * @param now milliseconds since the epoch
 */
export function readRateLimits(headers: Headers, now: number): RateLimits | undefined {
  const named = COUNTED.flatMap(([name, of]) => {
    const spans = SPANS.flatMap(([suffix, per]) => {
      const read = (what: string) => headers.get(`x-ratelimit-${what}-${name}${suffix}`);
      return windowOf({ of, per }, read, now) ?? [];
    });
    // Alone it may count a minute or a day; only beside a longer one it is known to be the short one.
    return spans.length === 1
      ? spans.map((one) => (one.per === 'minute' ? { ...one, per: 'unknown' as const } : one))
      : spans;
  });
  const anthropic = COUNTED.flatMap(([name, of]) => {
    const read = (what: string) => headers.get(`anthropic-ratelimit-${name}-${what}`);
    return windowOf({ of, per: 'minute' }, read, now) ?? [];
  });
  const windows = [...named, ...anthropic];
  return windows.length === 0 ? undefined : { at: now, windows };
}

function windowOf(
  of: Pick<RateLimitWindow, 'of' | 'per'>,
  read: (what: 'limit' | 'remaining' | 'reset') => string | null,
  now: number,
): RateLimitWindow | undefined {
  const limit = countOf(read('limit'));
  const remaining = countOf(read('remaining'));
  if (limit === undefined || limit === 0 || remaining === undefined) return undefined;
  const resetMs = resetOf(read('reset'), now);
  return { ...of, limit, remaining: Math.min(remaining, limit), ...(resetMs !== undefined && { resetMs }) };
}

function countOf(text: string | null): number | undefined {
  return text !== null && /^\s*\d{1,15}(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** From here on a number is a date, in seconds or milliseconds since the epoch: no window is decades long. */
const EPOCH = 1e9;
const EPOCH_MS = 1e12;

function dateOf(number: number): number {
  return number < EPOCH_MS ? number * 1_000 : number;
}

/** Milliseconds from now: seconds, a span such as `6m0s` or `120ms`, or a date. */
function resetOf(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const seconds = countOf(text);
  if (seconds !== undefined) return seconds < EPOCH ? seconds * 1_000 : Math.max(0, dateOf(seconds) - now);
  const span = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)];
  if (span.length > 0 && span.map(([whole]) => whole).join('') === text.trim()) {
    return span.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
  }
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** From 0 to 1. */
export function usedShare({ limit, remaining }: RateLimitWindow): number {
  return 1 - remaining / limit;
}

const WARN_AT = 0.8;
/** When nobody says when it is whole again. */
const HOUR = 3_600_000;

/** Says once for each window that little is left of it. */
export class RateLimitWatch {
  /** Until when it was said, in milliseconds since the epoch. */
  readonly #said = new Map<string, number>();
  readonly #newest = new Map<string, RateLimits>();

  /** What each model's provider said last, by `provider/model`. */
  get newest(): ReadonlyMap<string, RateLimits> {
    return this.#newest;
  }

  /**
   * The windows of which at least 80 % are used and that were not named before.
   *
   * @param model whose limits they are, as `provider/model`
   */
  newlyTight(model: string, { at, windows }: RateLimits): readonly RateLimitWindow[] {
    this.#newest.set(model, { at, windows });
    return windows.filter((window) => {
      const name = `${model} ${window.of} ${window.per}`;
      if (usedShare(window) < WARN_AT || at < (this.#said.get(name) ?? 0)) return false;
      // One of a minute is tight again and again while the model works: once is enough.
      const until = window.per === 'minute' ? Number.POSITIVE_INFINITY : at + (window.resetMs ?? HOUR);
      this.#said.set(name, until);
      return true;
    });
  }
}
