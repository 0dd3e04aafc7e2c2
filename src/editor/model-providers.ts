import { hostName, PRESETS, type Route, routeOf, splitRef } from '../agent/model/catalogue/index.ts';
import type { FallbackSetting, ProviderSettings, SettingName, SettingValue } from './settings-schema.ts';

/** What a `provider/model` reference stands for. */
export interface NamedModel {
  readonly ref: string;
  /** The provider's id, under which its keys are kept. */
  readonly provider: string;
  readonly model: string;
  /** What the settings say of the provider. */
  readonly entry: ProviderSettings | undefined;
  /** Undefined when nobody knows the provider, or no model is named. */
  readonly route: Route | undefined;
  /** Why its entry in the settings does not count. */
  readonly refused?: string;
}

export interface ReadSettings {
  get<Name extends SettingName>(name: Name): SettingValue<Name>;
  /** Why an entry of a map does not count. */
  refused?(name: SettingName, entry: string): string | undefined;
}

/** The providers of the settings and of the table, and the chain of fallback models. */
export class ModelProviders {
  readonly #settings: ReadSettings;

  constructor(settings: ReadSettings) {
    this.#settings = settings;
  }

  /** Those of the settings first. */
  ids(): readonly string[] {
    return [...new Set([...Object.keys(this.#settings.get('providers')), ...Object.keys(PRESETS)])];
  }

  named(ref: string): NamedModel {
    const { provider: alias, model } = splitRef(ref);
    const provider = alias.replace(/@.*$/, '');
    // Its name says that it is elsewhere, whatever the model.
    const fallback =
      alias === provider
        ? undefined
        : this.#settings.get('fallback').find((entry) => refOf(entry).startsWith(`${alias}/`));
    const own = typeof fallback === 'object' && isElsewhere(fallback) ? fallback : undefined;
    const said = this.#entry(provider);
    // What the table knows of the name may be another server than the one that was meant.
    const refused = this.#settings.refused?.('providers', provider);
    if (refused !== undefined) return { ref, provider, model, entry: undefined, route: undefined, refused };
    const entry = own?.baseUrl === undefined ? said : said && elsewhere(said);
    return { ref, provider, model, entry, route: model === '' ? undefined : routeOf(provider, entry, model, own) };
  }

  /** The way to a provider, whatever the model; undefined when nobody knows it. */
  route(provider: string): Route | undefined {
    if (this.#settings.refused?.('providers', provider) !== undefined) return undefined;
    return routeOf(provider, this.#entry(provider), '');
  }

  /** `midcourse.fallback` as references. One with an address of its own has a provider's name with the host in it. */
  fallbacks(): readonly string[] {
    return this.#settings.get('fallback').map(refOf);
  }

  /** What answers a reference: those with the same answer fail together. */
  backendOf(ref: string): string {
    const { route, provider } = this.named(ref);
    return (route?.baseUrl === undefined ? undefined : hostName(route.baseUrl)) ?? provider;
  }

  /** Environment variables that may hold keys, of all providers. */
  keyVariables(): readonly string[] {
    const presets = Object.values(PRESETS).flatMap(({ keyVariables = [] }) => keyVariables);
    const own = Object.values(this.#settings.get('providers')).flatMap(({ apiKeyEnv = [] }) => apiKeyEnv);
    return [...new Set([...presets, ...own])];
  }

  #entry(provider: string): ProviderSettings | undefined {
    const own = this.#settings.get('providers');
    return Object.hasOwn(own, provider) ? own[provider] : undefined;
  }
}

type Elsewhere = Exclude<FallbackSetting, string>;

function refOf(entry: FallbackSetting): string {
  if (typeof entry === 'string') return entry;
  if (!isElsewhere(entry)) return entry.model;
  const { provider, model } = splitRef(entry.model);
  const where = [entry.baseUrl === undefined ? undefined : hostName(entry.baseUrl), entry.api]
    .filter(Boolean)
    .join('@');
  return `${provider}@${where}/${model}`;
}

/** Whether a model is cached is said of one address and does not hold at another that serves the same name. */
function elsewhere(entry: ProviderSettings): ProviderSettings {
  const models = Object.entries(entry.models ?? {}).map(
    ([name, { promptCaching: _, ...model }]) => [name, model] as const,
  );
  return { ...entry, models: Object.fromEntries(models) };
}

function isElsewhere(entry: Elsewhere): boolean {
  return entry.api !== undefined || entry.baseUrl !== undefined;
}
