import { type KnownModel, type Route, routerPreferences, SMALL_WINDOW } from '../agent/model/catalogue/index.ts';
import { type KeyStrategy, type RouteSource, usageCaveat } from '../agent/model/index.ts';
import type { ModelError, ModelWire, ProgramModel } from '../agent/model/types.ts';
import type { ResolvedModel } from '../agent/turn/types.ts';
import { type DescribedModel, describeModel, selectLanguageModel } from './described-model.ts';
import type { LearnedLimits } from './learned-limits.ts';
import type { OutputLog } from './log.ts';
import { noAddress, noKey, notOpened, refusedProvider, unknownModel } from './model-errors.ts';
import type { ModelLists } from './model-lists.ts';
import type { ModelProviders, NamedModel } from './model-providers.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import { openWire } from './wires.ts';

export interface SourceParts {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly providers: ModelProviders;
  readonly lists: ModelLists;
  readonly limits: LearnedLimits;
  readonly log: OutputLog;
  /** The model that is used when none is named. */
  chosen(): Promise<string>;
  /** Absolute path of the folder in which a program works that is a model of its own. */
  folder(): string | undefined;
}

/** Milliseconds that a program gets to start and to list its models. */
const PROGRAM_PATIENCE = 4_000;

/** What the ways to models are made of here: the settings, the secret storage, and the wires. */
export class ModelSource implements RouteSource {
  readonly #parts: SourceParts;
  readonly #wires = new Map<string, Promise<ModelWire>>();
  readonly #keys = new Map<string, Promise<readonly string[]>>();
  readonly #told = new Set<string>();

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  chosen(): Promise<string> {
    return this.#parts.chosen();
  }

  /** Kept until secrets or settings change: the secret storage is a round trip to the window, for every turn. */
  keys(alias: string, reread: boolean): Promise<readonly string[]> {
    const known = reread ? undefined : this.#keys.get(alias);
    if (known) return known;
    const { providers, secrets } = this.#parts;
    // Which model it is does not matter for the keys.
    const { route, provider } = providers.named(`${alias}/any`);
    const keys = route ? secrets.keys(provider, route.keyVariables) : Promise.resolve([]);
    this.#keys.set(alias, keys);
    keys.catch(() => this.#keys.delete(alias));
    return keys;
  }

  async open(ref: string, key: string | undefined): Promise<ResolvedModel | { readonly error: ModelError }> {
    try {
      return await this.#open(this.#parts.providers.named(ref), key);
    } catch (error) {
      this.#parts.log.failed(`The model ${ref} could not be opened`, error);
      return { error: notOpened(error) };
    }
  }

  fallbacks(): readonly string[] {
    return this.#parts.providers.fallbacks();
  }

  strategyOf(alias: string): KeyStrategy {
    return this.#parts.providers.named(`${alias}/any`).entry?.keyStrategy ?? 'fill_first';
  }

  backendOf(ref: string): string {
    return this.#parts.providers.backendOf(ref);
  }

  learn(ref: string, limits: { readonly contextWindow?: number; readonly maxOutput?: number }): void {
    this.#parts.log.info(`${ref} takes ${JSON.stringify(limits)}, as its provider says; kept for later sessions`);
    this.#parts.limits.learn(ref, limits);
  }

  now(): number {
    return Date.now();
  }

  random(): number {
    return Math.random();
  }

  /** What is known of a model; asks its server where that could matter. Never rejects. */
  describe(named: NamedModel & { readonly route: Route }, key: string | undefined): Promise<DescribedModel> {
    return describeModel(this.#parts, named, key);
  }

  /** What a program lists that is a provider of its own; empty when it does not answer in time. Never rejects. */
  async listedByProgram(named: NamedModel & { readonly route: Route }): Promise<readonly ProgramModel[]> {
    try {
      const wire = await this.#wire(named, named.route, undefined);
      const listed = wire.models?.();
      return listed === undefined ? [] : await within(PROGRAM_PATIENCE, listed);
    } catch (error) {
      this.#parts.log.debug(`${named.provider} did not list its models: ${String(error)}`);
      return [];
    }
  }

  /** Keys and lists are asked for again. Wires stay: each belongs to the settings that it was opened with. */
  forget(): void {
    this.#keys.clear();
    this.#parts.lists.forget();
  }

  /** Closes the wires. Those that own a process have ended it when this resolves. Never rejects. */
  async close(): Promise<void> {
    const wires = [...this.#wires.values()];
    this.#wires.clear();
    const closed = await Promise.allSettled(wires.map(async (opening) => (await opening).dispose?.()));
    for (const end of closed) {
      if (end.status === 'rejected') this.#parts.log.failed('A wire could not be closed', end.reason);
    }
  }

  async #open(named: NamedModel, key: string | undefined): Promise<ResolvedModel | { readonly error: ModelError }> {
    const { ref, model, route, provider } = named;
    if (named.refused !== undefined) return { error: refusedProvider(named.refused) };
    if (route === undefined) return { error: unknownModel(ref) };
    if (route.wantsAddress !== undefined) return { error: noAddress(provider, route.wantsAddress) };
    if (route.needsKey && key === undefined) return { error: noKey(route) };
    const [wire, described] = await Promise.all([
      this.#wire(named, route, key),
      this.describe({ ...named, route }, key),
    ]);
    const { known, label, price, effort, maxOutput } = described;
    this.#tell(named, route, known);
    return {
      ref,
      label,
      wire,
      model,
      contextWindow: known.contextWindow,
      // A model that nobody knows is shown the image; a refusal puts words in its place.
      vision: known.vision ?? true,
      efforts: known.efforts,
      ...(maxOutput !== undefined && { maxOutput }),
      ...(price !== undefined && { price }),
      ...(effort !== undefined && { effort }),
      ...(route.api === 'codex-app-server' && { keepsHistory: true }),
    };
  }

  #wire(named: NamedModel, route: Route, key: string | undefined): Promise<ModelWire> {
    const { settings } = this.#parts;
    const { model } = named;
    const own = named.entry?.models?.[model];
    const entry = named.entry && this.#withoutRefused(named.entry);
    const perModel = route.api === 'vscode' || own?.staleTimeout !== undefined;
    const isProgram = route.api === 'codex-app-server';
    const needs = {
      route,
      entry,
      model: perModel ? model : '',
      key,
      // A program has no use for them, and for another value it would be started a second time, beside itself.
      promptCaching: isProgram ? ('off' as const) : settings.get('promptCaching'),
      nativeCompaction: !isProgram && settings.get('compaction.native'),
      secretEnv: this.#parts.providers.keyVariables(),
    };
    const slot = JSON.stringify(needs);
    const known = this.#wires.get(slot);
    if (known) return known;
    const opened = openWire({
      ...needs,
      debug: (message) => this.#parts.log.debug(message),
      folder: this.#parts.folder,
      languageModel: () => selectLanguageModel(model),
    });
    opened.catch(() => this.#wires.delete(slot));
    this.#wires.set(slot, opened);
    return opened;
  }

  #withoutRefused(entry: NonNullable<NamedModel['entry']>): NonNullable<NamedModel['entry']> {
    if (entry.extraBody === undefined) return entry;
    const { body, unknownSort } = routerPreferences(entry.extraBody);
    if (unknownSort !== undefined)
      this.#once(`extraBody.provider.sort knows no "${unknownSort}": it is left out`, 'warn');
    return { ...entry, extraBody: { ...body } };
  }

  /** What has to be known of a model once, in the log. */
  #tell({ ref, model }: NamedModel, { api, baseUrl = '' }: Route, { contextWindow, windowFrom }: KnownModel): void {
    if (api === 'practice' || api === 'vscode') return;
    if (windowFrom === 'unknown') {
      this.#once(
        `Nobody says how much ${ref} reads: ${contextWindow} tokens are assumed. Set its contextWindow.`,
        'warn',
      );
    } else if (contextWindow < SMALL_WINDOW) {
      this.#once(`${ref} reads ${contextWindow} tokens: work of any length will be compacted often.`, 'warn');
    }
    const caveat = usageCaveat({ api, baseUrl, model });
    if (caveat !== undefined) this.#once(caveat, 'debug');
  }

  #once(message: string, level: 'warn' | 'debug'): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#parts.log[level](message);
  }
}

async function within(ms: number, listed: Promise<readonly ProgramModel[]>): Promise<readonly ProgramModel[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([listed, late]);
  } finally {
    clearTimeout(timer);
  }
}
