import { splitRef } from '../catalogue/index.ts';
import type { ModelError, ModelErrorKind } from '../types.ts';

const SECOND = 1_000;
/** A model that reached its limit is left alone that long, and twice as long each time after. */
const FIRST = 60 * SECOND;
const LONGEST = 4 * 3600 * SECOND;
/** After any other failure: long enough that the next turn does not run into it at once. */
const BRIEF = 5 * SECOND;

const LIMITS: ReadonlySet<ModelErrorKind> = new Set(['rate_limit', 'billing']);

/** What fails for one model of a provider and so for all of it. */
const OF_PROVIDER: ReadonlySet<ModelErrorKind> = new Set(['auth', 'billing', 'network', 'not_json']);

export interface ChainParts {
  /** `provider/model` references in the user's order. */
  entries(): readonly string[];
  /** What a reference is answered by, such as its provider or address: entries with one backend fail together. */
  backendOf(ref: string): string;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The models that go on when one fails, and how long one that failed is left alone. */
export class FallbackChain {
  readonly #parts: ChainParts;
  /** By reference; the time is milliseconds since the epoch. */
  readonly #resting = new Map<string, { readonly until: number; readonly limits: number }>();

  constructor(parts: ChainParts) {
    this.#parts = parts;
  }

  /**
   * Entries that may go on, in order: those that were not tried, do not rest, and do not share what has failed.
   *
   * @param tried references, the one that failed last at the end
   * @param because undefined when nothing has failed now: the first one rests
   */
  candidates(tried: readonly string[], because: ModelErrorKind | undefined): readonly string[] {
    const failing = tried.at(-1);
    const together = failing !== undefined && because !== undefined && OF_PROVIDER.has(because);
    const { entries, backendOf } = this.#parts;
    return [...new Set(entries())].filter((ref) => {
      if (!isWhole(ref) || tried.includes(ref) || this.rests(ref)) return false;
      return !together || backendOf(ref) !== backendOf(failing);
    });
  }

  rests(ref: string): boolean {
    return (this.#resting.get(ref)?.until ?? 0) > this.#parts.now();
  }

  /** It failed in a way that lasts. A provider that named a time knows best. */
  failed(ref: string, { kind, retryAfterMs }: Pick<ModelError, 'kind' | 'retryAfterMs'>): void {
    const { limits = 0 } = this.#resting.get(ref) ?? {};
    if (!LIMITS.has(kind)) return this.#rest(ref, BRIEF, limits);
    this.#rest(ref, retryAfterMs ?? Math.min(FIRST * 2 ** limits, LONGEST), limits + 1);
  }

  worked(ref: string): void {
    this.#resting.delete(ref);
  }

  /** Nothing rests any more. */
  forget(): void {
    this.#resting.clear();
  }

  #rest(ref: string, ms: number, limits: number): void {
    this.#resting.set(ref, { until: this.#parts.now() + ms, limits });
  }
}

/** `provider/model`, both there. */
function isWhole(ref: string): boolean {
  const { provider, model } = splitRef(ref);
  return provider !== '' && model !== '';
}
