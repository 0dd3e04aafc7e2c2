import type { ModelPort, ResolvedModel } from '../../turn/types.ts';
import { splitRef } from '../catalogue/index.ts';
import type { ModelError, ModelErrorKind, ModelWire } from '../types.ts';
import { CredentialPool, type KeyStrategy } from './credentials.ts';
import { FallbackChain } from './fallback-chain.ts';

type Opened = ResolvedModel | { readonly error: ModelError };

/** What the routes are made of: the editor's settings and secret storage, or a test's own. */
export interface RouteSource {
  /** The `provider/model` that is used when none is named. */
  chosen(): Promise<string>;
  /**
   * The keys of a provider in the user's order; none for one that takes none.
   *
   * @param reread past what is remembered of them
   */
  keys(provider: string, reread: boolean): Promise<readonly string[]>;
  /** Never throws. Each key has a wire of its own. */
  open(ref: string, key: string | undefined): Promise<Opened>;
  /** `midcourse.fallback`. */
  fallbacks(): readonly string[];
  strategyOf(provider: string): KeyStrategy;
  /** What answers a reference, such as its address. */
  backendOf(ref: string): string;
  learn(ref: string, limits: { readonly contextWindow?: number; readonly maxOutput?: number }): void;
  /** Milliseconds since the epoch. */
  now(): number;
  /** In [0, 1). */
  random(): number;
}

/** The ways to a model: which key, and which model instead of it. One for all sessions, because limits are the account's. */
export class ModelRoutes implements ModelPort {
  readonly #source: RouteSource;
  readonly #pools = new Map<string, CredentialPool>();
  readonly #chain: FallbackChain;
  /** By wire: a model is copied when its limits become known, its wire is not. */
  readonly #keyOf = new WeakMap<ModelWire, string>();
  readonly #restedFor = new Map<string, ModelErrorKind>();

  constructor(source: RouteSource) {
    this.#source = source;
    this.#chain = new FallbackChain({
      entries: () => source.fallbacks(),
      backendOf: (ref) => source.backendOf(ref),
      now: () => source.now(),
    });
  }

  /** The wanted model; while that rests after it reached a limit, the first of the chain that can be opened. */
  async resolve(ref: string | undefined): Promise<Opened> {
    const wanted = ref || (await this.#source.chosen());
    const because = this.#restedFor.get(wanted);
    if (because === undefined || !this.#chain.rests(wanted)) return this.#open(wanted);
    const next = await this.#firstOf(this.#chain.candidates([wanted], because));
    return next ? { ...next, standsIn: { for: splitRef(wanted).model, because } } : this.#open(wanted);
  }

  async rotate(model: ResolvedModel, error: ModelError, reread: boolean): Promise<ResolvedModel | undefined> {
    const provider = splitRef(model.ref).provider;
    const key = this.#keyOf.get(model.wire);
    const pool = await this.#pool(provider, reread);
    if (key !== undefined) pool.failed(key, error);
    const next = key === undefined ? pool.pick() : pool.next(key);
    if (next === undefined) return undefined;
    const opened = await this.#openWith(model.ref, next, pool);
    return 'error' in opened ? undefined : opened;
  }

  async fallback(tried: readonly ResolvedModel[], error: ModelError): Promise<ResolvedModel | undefined> {
    const refs = tried.length > 0 ? tried.map(({ ref }) => ref) : [await this.#source.chosen()];
    const failing = refs.at(-1) ?? '';
    const limited = error.kind === 'rate_limit' || error.kind === 'billing';
    if (limited) this.#rest(failing, error);
    const next = await this.#firstOf(this.#chain.candidates(refs, error.kind));
    // After any other failure it rests only where nothing goes on for it: the next turn may as well try it again.
    if (!limited && !next) this.#rest(failing, error);
    return next;
  }

  learn(ref: string, limits: { readonly contextWindow?: number; readonly maxOutput?: number }): void {
    this.#source.learn(ref, limits);
  }

  worked(model: ResolvedModel): void {
    this.#chain.worked(model.ref);
    this.#restedFor.delete(model.ref);
    const key = this.#keyOf.get(model.wire);
    if (key !== undefined) this.#pools.get(splitRef(model.ref).provider)?.worked(key);
  }

  /** The user chose a model, or changed keys or settings: none of the wanted models rests any more. */
  forget(): void {
    this.#chain.forget();
    this.#restedFor.clear();
  }

  async #firstOf(refs: readonly string[]): Promise<ResolvedModel | undefined> {
    for (const ref of refs) {
      const opened = await this.#open(ref);
      if (!('error' in opened)) return opened;
      this.#rest(ref, opened.error);
    }
    return undefined;
  }

  #rest(ref: string, error: ModelError): void {
    this.#chain.failed(ref, error);
    this.#restedFor.set(ref, error.kind);
  }

  async #open(ref: string): Promise<Opened> {
    const pool = await this.#pool(splitRef(ref).provider, false);
    return this.#openWith(ref, pool.pick(), pool);
  }

  async #openWith(ref: string, key: string | undefined, pool: CredentialPool): Promise<Opened> {
    const opened = await this.#source.open(ref, key);
    if ('error' in opened || key === undefined) return opened;
    this.#keyOf.set(opened.wire, key);
    const { keys } = pool;
    return keys.length > 1 ? { ...opened, key: keys.indexOf(key) } : opened;
  }

  async #pool(provider: string, reread: boolean): Promise<CredentialPool> {
    const source = this.#source;
    const known = this.#pools.get(provider);
    const pool = known ?? new CredentialPool(source, () => source.strategyOf(provider));
    this.#pools.set(provider, pool);
    pool.set(await source.keys(provider, reread));
    return pool;
  }
}
