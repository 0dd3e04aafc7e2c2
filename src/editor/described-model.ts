import * as vscode from 'vscode';
import {
  effortFor,
  isLocal,
  type KnownModel,
  knownModel,
  type ModelFacts,
  outputToAskFor,
  priceOf,
  type Route,
  type SaidOfModel,
} from '../agent/model/catalogue/index.ts';
import type { Effort, Price } from '../agent/model/types.ts';
import type { LearnedLimits } from './learned-limits.ts';
import type { ModelLists } from './model-lists.ts';
import type { NamedModel } from './model-providers.ts';
import type { Settings } from './settings.ts';
import type { ModelSettings } from './settings-schema.ts';

/** A model with everything that is known of it, before it is opened. */
export interface DescribedModel {
  readonly label: string;
  readonly known: KnownModel;
  readonly price: Price | undefined;
  readonly effort: Effort | undefined;
  readonly maxOutput: number | undefined;
}

export interface DescriptionParts {
  readonly settings: Settings;
  readonly lists: ModelLists;
  readonly limits: LearnedLimits;
}

/** What is known of a model; asks its server where that could matter. Never rejects. */
export async function describeModel(
  parts: DescriptionParts,
  { ref, model, entry, route }: NamedModel & { readonly route: Route },
  key: string | undefined,
): Promise<DescribedModel> {
  const { settings, lists, limits } = parts;
  const { api, baseUrl = '' } = route;
  const own = entry?.models?.[model];
  if (api === 'vscode') return describeChat(await selectLanguageModel(model), model, own);
  const family = knownModel(model);
  const learned = limits.of(ref);
  const cacheTtl = settings.get('promptCaching');
  const price = priceOf({ api, baseUrl, model, cacheTtl, own: own?.price });
  // A first turn does not wait for what a table already says.
  const wanted = isLocal(baseUrl) || family.windowFrom === 'unknown' || price === undefined;
  const listed = wanted ? await lists.facts(route, key, model) : undefined;
  const said: SaidOfModel = { settings: own && factsOf(own), learned, endpoint: listed };
  const known = knownModel(model, said);
  const wish = own?.reasoning ?? (settings.get('effort') || undefined);
  return {
    label: api === 'practice' ? vscode.l10n.t('Practice (scripted rehearsal)') : model,
    known,
    price: price ?? priceOf({ api, baseUrl, model, cacheTtl, listed: listed?.price }),
    // What the settings say of a model that nobody knows is taken at its word.
    effort: wish && (known.efforts.length > 0 ? effortFor(known.efforts, wish) : own?.reasoning),
    maxOutput: outputToAskFor(model, said, api === 'anthropic' || api === 'bedrock'),
  };
}

/** A model's name at VS Code is `vendor/id`. */
export async function selectLanguageModel(model: string): Promise<vscode.LanguageModelChat | undefined> {
  const slash = model.indexOf('/');
  const selector = slash < 0 ? { id: model } : { vendor: model.slice(0, slash), id: model.slice(slash + 1) };
  return (await vscode.lm.selectChatModels(selector))[0];
}

function describeChat(
  chat: vscode.LanguageModelChat | undefined,
  model: string,
  own: ModelSettings | undefined,
): DescribedModel {
  // VS Code does not say whether a model sees images, but of which family it is.
  const { vision } = knownModel(chat?.family ?? model);
  const endpoint: ModelFacts = {
    contextWindow: chat?.maxInputTokens ?? 128_000,
    efforts: [],
    ...(vision !== undefined && { vision }),
  };
  const known = knownModel(model, { settings: own && factsOf(own), endpoint });
  return { label: chat?.name ?? model, known, price: own?.price, effort: undefined, maxOutput: own?.maxOutput };
}

function factsOf({ contextWindow, maxOutput, vision }: ModelSettings): ModelFacts {
  return {
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(vision !== undefined && { vision }),
  };
}
