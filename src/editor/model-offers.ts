import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import * as vscode from 'vscode';
import { isLocal, type KnownModel, knownModel, PRESETS, priceOf, type Route } from '../agent/model/catalogue/index.ts';
import type { ListedModel } from '../agent/model/listing/index.ts';
import type { ModelGroup } from '../protocol/index.ts';
import type { ModelLists } from './model-lists.ts';
import type { ModelProviders, NamedModel } from './model-providers.ts';
import type { ModelSource } from './model-source.ts';
import { recentFirst } from './recent-first.ts';

/** In global memory: the references that were chosen, the newest first. */
const RECENT = 'midcourse.recentModels';
const MOST_RECENT = 5;

type Offer = ModelGroup['models'][number];

export interface OffersParts {
  readonly providers: ModelProviders;
  readonly source: ModelSource;
  readonly lists: ModelLists;
  readonly memory: vscode.Memento;
}

/** The models that can be chosen. */
export class ModelOffers {
  readonly #parts: OffersParts;

  constructor(parts: OffersParts) {
    this.#parts = parts;
  }

  async groups(): Promise<readonly ModelGroup[]> {
    const { providers } = this.#parts;
    const groups = await Promise.all(
      providers
        .ids()
        .map(async (id) => ({ label: providers.route(id)?.label ?? id, models: [...(await this.#of(id))] })),
    );
    return recentFirst(groups, this.#recent(), vscode.l10n.t('Recently used'));
  }

  async remember(ref: string): Promise<void> {
    const refs = [ref, ...this.#recent().filter((other) => other !== ref)];
    await this.#parts.memory.update(RECENT, refs.slice(0, MOST_RECENT));
  }

  #recent(): readonly string[] {
    const kept: unknown = this.#parts.memory.get(RECENT);
    return Array.isArray(kept) ? kept.filter((ref) => typeof ref === 'string') : [];
  }

  /** Those that the settings name, those that everybody asks for, and those that the server lists. */
  async #of(id: string): Promise<readonly Offer[]> {
    const { providers, source, lists } = this.#parts;
    const route = providers.route(id);
    if (!route || route.wantsAddress !== undefined) return [];
    if (route.api === 'practice')
      return [{ ref: `${id}/rehearsal`, label: vscode.l10n.t('Practice (scripted rehearsal)') }];
    const { entry } = providers.named(`${id}/any`);
    const own = Object.keys(entry?.models ?? {});
    if (route.api === 'vscode') return [...own.map((model) => this.#offer(id, model)), ...(await languageModels(id))];
    if (route.api === 'codex-app-server') return this.#ofProgram(id, route, own);
    const [key] = await source.keys(id, false);
    const usable = key !== undefined || entry !== undefined || (route.baseUrl !== undefined && isLocal(route.baseUrl));
    if (!usable || (route.needsKey && key === undefined)) return own.map((model) => this.#offer(id, model));
    const listed = (await lists.list(route, key, entry === undefined)) ?? [];
    const preset = Object.hasOwn(PRESETS, id) ? (PRESETS[id]?.models ?? []) : [];
    const said = new Map(listed.map((model) => [model.id, model]));
    const names = new Set([
      ...own,
      ...preset.filter((model) => listed.length === 0 || said.has(model)),
      ...said.keys(),
    ]);
    return [...names].map((model) => this.#offer(id, model, said.get(model)));
  }

  /** Codex: offered where it is installed, and where it is set up with the models of the user's account. */
  async #ofProgram(id: string, route: Route, own: readonly string[]): Promise<readonly Offer[]> {
    const named = this.#parts.providers.named(`${id}/default`);
    if (named.entry === undefined && !isInstalled('codex')) return [];
    // To look at a list of models starts no program that nobody has asked for.
    const listed = named.entry === undefined ? [] : await this.#parts.source.listedByProgram({ ...named, route });
    const labels = new Map([
      ['default', vscode.l10n.t('As Codex is set')],
      ...own.map((model) => [model, model] as const),
      ...listed.map(({ id: model, label }) => [model, label] as const),
    ]);
    return [...labels].map(([model, label]) => ({ ...this.#offer(id, model), label }));
  }

  #offer(provider: string, model: string, listed?: ListedModel): Offer {
    const ref = `${provider}/${model}`;
    const { entry, route }: NamedModel = this.#parts.providers.named(ref);
    const settings = entry?.models?.[model];
    const known = knownModel(model, { settings, endpoint: listed });
    return {
      ref,
      label: listed?.label ?? model,
      ...factsOf(known),
      ...costOf(model, route, settings?.price ?? listed?.price),
    };
  }
}

function isInstalled(program: string): boolean {
  const names = process.platform === 'win32' ? [`${program}.cmd`, `${program}.exe`] : [program];
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))));
}

function factsOf({ contextWindow, windowFrom, vision, efforts }: KnownModel): Partial<Offer> {
  return {
    ...(windowFrom !== 'unknown' && { contextWindow }),
    ...(vision !== undefined && { vision }),
    ...(efforts.length > 0 && { efforts }),
  };
}

function costOf(model: string, route: Route | undefined, said: Offer['price']): Partial<Offer> {
  if (!route) return {};
  const price = priceOf({
    api: route.api,
    baseUrl: route.baseUrl ?? '',
    model,
    ...(said !== undefined && { own: said }),
  });
  if (price === undefined) return {};
  return price.included === true ? { included: true } : { price: { input: price.input, output: price.output } };
}

/** The models that other extensions give to VS Code. */
async function languageModels(provider: string): Promise<readonly Offer[]> {
  const models = await vscode.lm.selectChatModels({});
  return models.map((model) => ({
    ref: `${provider}/${model.vendor}/${model.id}`,
    label: model.name,
    detail: model.vendor,
    contextWindow: model.maxInputTokens,
  }));
}
