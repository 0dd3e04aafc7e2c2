import type { TranscriptRow } from '../../api.ts';
import { planCompaction, totalTokens } from '../context/index.ts';
import type { History } from './history.ts';

/** Growth after which a compaction is tried again, once it has failed twice in a row. */
const GROWTH = 1.1;
const TRIES = 2;

export interface Reading {
  readonly tokens: number;
  /** The newest row that it counts. */
  readonly upTo: number;
}

/**
 * How full the model's window is: the provider's last count, and an estimate of what came since. It also knows when
 * another compaction would be in vain.
 */
export class ContextWatch {
  readonly #history: History;
  readonly #overhead: () => number;
  /** `withAnswer`: it counts the answer too, which becomes the next row. */
  #reading: (Reading & { readonly withAnswer: boolean }) | undefined;
  #failures = 0;
  /** A summary was made, and no count has told yet whether it helped. */
  #unproved = false;
  /** Summaries in a row that did not help enough. */
  #ineffective = 0;
  #saidInVain = false;
  #notBelow = 0;

  /**
   * @param overhead tokens that go with every request beside the history: system prompt, tools
   * @param stored the last count, of an earlier window; it is no use when the history was compacted after it
   */
  constructor(history: History, overhead: () => number, stored: Reading | undefined) {
    this.#history = history;
    this.#overhead = overhead;
    this.reset(stored);
  }

  /** The session was read again. */
  reset(stored: Reading | undefined): void {
    const [first] = this.#history.entries();
    const outdated = first?.summary && first.seq > (stored?.upTo ?? 0);
    this.#reading = stored && !outdated ? { ...stored, withAnswer: false } : undefined;
    this.#unproved = outdated === true;
  }

  /** The provider counted a request, which ended on the row `upTo`, and its answer. */
  read(tokens: number, upTo: number, limit: number): void {
    this.#reading = { tokens, upTo, withAnswer: true };
    if (!this.#unproved) return;
    this.#unproved = false;
    if (limit > 0 && tokens >= limit) this.#ineffective += 1;
    else this.allow();
  }

  /** The user wants one, or one has helped: what came of earlier ones counts no more. */
  allow(): void {
    this.#failures = 0;
    this.#notBelow = 0;
    this.#ineffective = 0;
    this.#saidInVain = false;
  }

  /** True once when the conversation is too long and a summary would not help, as two in a row have shown. */
  isNewlyInVain(limit: number): boolean {
    if (this.#saidInVain || limit <= 0 || this.#ineffective < TRIES || this.estimate() <= limit) return false;
    this.#saidInVain = true;
    return true;
  }

  /** Tokens that the next request takes. */
  estimate(): number {
    const reading = this.#reading;
    if (!reading) return this.#overhead() + totalTokens(this.#history.entries());
    const since = this.#history.entries().filter((entry) => entry.seq > reading.upTo);
    const counted = reading.withAnswer && since[0]?.message.role === 'assistant' ? 1 : 0;
    return reading.tokens + totalTokens(since.slice(counted));
  }

  /**
   * True when a request should wait for a compaction that can gain something. Right after one the next count is waited
   * for: until then only an estimate says how much is left.
   *
   * @param limit tokens above which it should; 0 for never
   */
  isTooLong(limit: number, window: number): boolean {
    if (limit <= 0 || this.#unproved || this.#ineffective >= TRIES) return false;
    const tokens = this.estimate();
    return tokens > limit && tokens >= this.#notBelow && planCompaction(this.#history.entries(), window) !== undefined;
  }

  /** True when a summary could stand for a part of the history. */
  canCompact(window: number): boolean {
    return planCompaction(this.#history.entries(), window) !== undefined;
  }

  /** A compaction came to nothing. */
  failed(): void {
    this.#failures += 1;
    if (this.#failures >= TRIES) this.#notBelow = Math.ceil(this.estimate() * GROWTH);
  }

  /** Appends a summary to the history and estimates what is left; the next count tells whether it helped. */
  swap(summary: TranscriptRow): void {
    const before = this.estimate();
    const overhead = this.#overhead();
    const all = overhead + totalTokens(this.#history.entries());
    this.#history.append(summary);
    const left = overhead + totalTokens(this.#history.entries());
    this.#reading = { tokens: Math.ceil(before * (left / Math.max(1, all))), upTo: summary.seq, withAnswer: false };
    this.#unproved = true;
    this.#notBelow = 0;
  }
}
