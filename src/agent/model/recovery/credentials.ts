import { HINTS } from '../failures/hints.ts';
import type { ModelError } from '../types.ts';

/** Which of several usable keys a turn begins with. `fill_first`: the first in the user's order. */
export type KeyStrategy = 'fill_first' | 'round_robin' | 'random' | 'least_used';

export type KeyStatus =
  | { readonly is: 'ok' }
  /** `until`: milliseconds since the epoch. */
  | { readonly is: 'exhausted'; readonly until: number }
  /** The provider has revoked it: it never works again. */
  | { readonly is: 'dead' };

export interface PoolClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** In [0, 1). */
  random(): number;
}

interface Entry {
  readonly key: string;
  status: KeyStatus;
  uses: number;
}

const MINUTE = 60_000;
const REFUSED = 5 * MINUTE;
const USED_UP = 60 * MINUTE;
/** There is no other key to spare it for. */
const ONLY_ONE = MINUTE;

/** Anything but visible ASCII: a zero-width space, a curly quote, a line's end. */
const UNSENDABLE = /[^\x21-\x7e]/g;

const DEAD: ReadonlySet<string> = new Set([
  'token_invalidated',
  'token_revoked',
  'invalid_token',
  'invalid_grant',
  'unauthorized_client',
  'refresh_token_reused',
]);

/**
 * The keys of one provider. What happened to a key is kept by the key itself, so that reading the keys again, in
 * another order or with others among them, never puts a used-up key back in use nor blames the wrong one.
 */
export class CredentialPool {
  readonly #clock: PoolClock;
  readonly #strategy: () => KeyStrategy;
  #entries: readonly Entry[] = [];
  #last = -1;

  constructor(clock: PoolClock, strategy: () => KeyStrategy = () => 'fill_first') {
    this.#clock = clock;
    this.#strategy = strategy;
  }

  /** The keys as they are now, in the user's order. What no header can carry came with copying, and is left out. */
  set(keys: readonly string[]): void {
    const sendable = keys.map((key) => key.replace(UNSENDABLE, '')).filter((key) => key !== '');
    const known = new Map(this.#entries.map((entry) => [entry.key, entry]));
    this.#entries = [...new Set(sendable)].map((key) => known.get(key) ?? { key, status: { is: 'ok' }, uses: 0 });
  }

  get keys(): readonly string[] {
    return this.#entries.map(({ key }) => key);
  }

  status(key: string): KeyStatus {
    const status = this.#entry(key)?.status ?? { is: 'ok' };
    return status.is === 'exhausted' && status.until <= this.#clock.now() ? { is: 'ok' } : status;
  }

  /**
   * The key that a turn begins with. When none is usable, the one that is so soonest, or else any: the provider's own
   * refusal says more than that there was no key. Undefined only without keys.
   */
  pick(): string | undefined {
    const usable = this.#usable();
    const entry = usable.length > 0 ? this.#choose(usable) : this.#soonest();
    return entry && this.#use(entry);
  }

  /** Another usable key after `key` has failed; undefined when there is none. */
  next(key: string): string | undefined {
    const usable = this.#usable().filter((entry) => entry.key !== key);
    return usable.length > 0 ? this.#use(this.#choose(usable)) : undefined;
  }

  /** What it failed with, when that is the key's own: a server that is overloaded says nothing of it. */
  failed(key: string, error: ModelError): void {
    const entry = this.#entry(key);
    if (!entry || !HINTS[error.kind].rotate) return;
    entry.status = DEAD.has(error.code ?? '')
      ? { is: 'dead' }
      : { is: 'exhausted', until: this.#clock.now() + this.#coolDown(error) };
  }

  worked(key: string): void {
    const entry = this.#entry(key);
    if (entry) entry.status = { is: 'ok' };
  }

  /** Milliseconds. What the provider said wins. */
  #coolDown({ kind, retryAfterMs }: ModelError): number {
    if (retryAfterMs !== undefined) return retryAfterMs;
    if (this.#entries.length === 1 && kind !== 'billing') return ONLY_ONE;
    return kind === 'auth' ? REFUSED : USED_UP;
  }

  #entry(key: string): Entry | undefined {
    return this.#entries.find((entry) => entry.key === key);
  }

  #usable(): readonly Entry[] {
    return this.#entries.filter(({ key }) => this.status(key).is === 'ok');
  }

  #choose(usable: readonly Entry[]): Entry {
    const [first] = usable;
    if (!first) throw new Error('a key is chosen from none');
    const strategy = this.#strategy();
    switch (strategy) {
      case 'fill_first':
        return first;
      case 'round_robin':
        return usable.find((entry) => this.#entries.indexOf(entry) > this.#last) ?? first;
      case 'random':
        return usable[Math.floor(this.#clock.random() * usable.length)] ?? first;
      case 'least_used':
        return usable.reduce((least, entry) => (entry.uses < least.uses ? entry : least));
      default:
        return strategy satisfies never;
    }
  }

  #soonest(): Entry | undefined {
    const until = ({ status }: Entry) => (status.is === 'exhausted' ? status.until : Number.POSITIVE_INFINITY);
    return this.#entries.toSorted((a, b) => until(a) - until(b))[0];
  }

  #use(entry: Entry): string {
    entry.uses += 1;
    this.#last = this.#entries.indexOf(entry);
    return entry.key;
  }
}
