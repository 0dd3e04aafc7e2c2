import * as vscode from 'vscode';
import {
  FIRST_BY_KEY,
  imageLimits,
  isLocal,
  PRESETS,
  type Route,
  speaksHttp,
  UNKNOWN_WINDOW,
} from '../agent/model/catalogue/index.ts';
import { ModelRoutes } from '../agent/model/index.ts';
import type { Effort, ModelError } from '../agent/model/types.ts';
import type { ModelPort, ResolvedModel } from '../agent/turn/types.ts';
import type { ModelGroup, ModelInUse } from '../protocol/index.ts';
import type { DescribedModel } from './described-model.ts';
import { LearnedLimits } from './learned-limits.ts';
import type { OutputLog } from './log.ts';
import { ModelLists } from './model-lists.ts';
import { ModelOffers } from './model-offers.ts';
import { ModelProviders } from './model-providers.ts';
import { ModelSource } from './model-source.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';

/** The model of a session, as the chat shows it. */
export interface UsedModel extends ModelInUse {
  /** Tokens. */
  readonly contextWindow: number;
}

export interface ModelsParts {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly log: OutputLog;
  /** Where the models that were chosen before are remembered. */
  readonly memory: vscode.Memento;
  /** Where limits that providers named are kept. */
  readonly limitsFile: string;
  /** Absolute path of the workspace's first folder. */
  folder(): string | undefined;
}

/** The models: which is in use, which could be, and the ways to them. */
export class Models implements ModelPort {
  readonly #settings: Settings;
  readonly #source: ModelSource;
  readonly #routes: ModelRoutes;
  readonly #offers: ModelOffers;
  readonly #providers: ModelProviders;
  readonly #lists: ModelLists;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly vscode.Disposable[];
  #default: { readonly ref: Promise<string>; known?: string } | undefined;
  /** The models in use, or which can be chosen, may be others now. */
  readonly onDidChange = this.#changed.event;

  constructor({ settings, secrets, log, memory, limitsFile, folder }: ModelsParts) {
    this.#settings = settings;
    this.#providers = new ModelProviders(settings);
    this.#lists = new ModelLists(Date.now);
    const limits = new LearnedLimits(limitsFile, (error) => log.failed('Learned limits could not be kept', error));
    this.#source = new ModelSource({
      settings,
      secrets,
      log,
      limits,
      providers: this.#providers,
      lists: this.#lists,
      folder,
      chosen: () => this.defaultRef(),
    });
    this.#routes = new ModelRoutes(this.#source);
    this.#offers = new ModelOffers({ providers: this.#providers, source: this.#source, lists: this.#lists, memory });
    const forget = () => {
      this.#default = undefined;
      this.#source.forget();
      this.#routes.forget();
      this.#changed.fire();
    };
    this.#subscriptions = [
      settings.onDidChange(forget),
      secrets.onDidChange(forget),
      vscode.lm.onDidChangeChatModels(forget),
    ];
  }

  resolve(ref: string | undefined): Promise<ResolvedModel | { readonly error: ModelError }> {
    return this.#routes.resolve(ref);
  }

  rotate(model: ResolvedModel, error: ModelError, reread: boolean): Promise<ResolvedModel | undefined> {
    return this.#routes.rotate(model, error, reread);
  }

  fallback(tried: readonly ResolvedModel[], error: ModelError): Promise<ResolvedModel | undefined> {
    return this.#routes.fallback(tried, error);
  }

  learn(ref: string, limits: { readonly contextWindow?: number; readonly maxOutput?: number }): void {
    this.#routes.learn(ref, limits);
    this.#changed.fire();
  }

  worked(model: ResolvedModel): void {
    this.#routes.worked(model);
  }

  /** The chosen model, otherwise the first that is found; the practice model always is. */
  defaultRef(): Promise<string> {
    const chosen = this.#settings.get('model');
    if (chosen) return Promise.resolve(chosen);
    if (this.#default) return this.#default.ref;
    const found: { readonly ref: Promise<string>; known?: string } = { ref: this.#firstFound() };
    this.#default = found;
    return found.ref.then((ref) => {
      found.known = ref;
      return ref;
    });
  }

  chosenRef(): string | undefined {
    return this.#settings.get('model') || this.#default?.known;
  }

  async inUse(ref: string | undefined): Promise<UsedModel> {
    const wanted = ref || (await this.defaultRef());
    const named = this.#providers.named(wanted);
    const described = await this.described(wanted);
    if (!described)
      return { ref: wanted, label: named.model || wanted, practice: false, contextWindow: UNKNOWN_WINDOW };
    const { label, known, price, effort, route } = described;
    return {
      ref: wanted,
      label,
      practice: route.api === 'practice',
      contextWindow: known.contextWindow,
      images: imageLimits(named.model),
      efforts: known.efforts,
      ...(known.vision !== undefined && { vision: known.vision }),
      ...(effort !== undefined && { effort }),
      ...(price?.included === true && { included: true }),
    };
  }

  /** Everything that can be chosen, by provider, the models chosen before first; asks the servers that have a list. */
  groups(): Promise<readonly ModelGroup[]> {
    return this.#offers.groups();
  }

  /** Makes a model the chosen one, where the setting already has a value or else for the user. */
  async choose(ref: string): Promise<void> {
    this.#routes.forget();
    await this.#offers.remember(ref);
    await update('model', ref);
  }

  /** Empty for the provider's default. */
  async chooseEffort(effort: Effort | ''): Promise<void> {
    await update('effort', effort);
  }

  /** What is known of a model and the way to it, for the test of its connection; undefined when nobody knows it. */
  async described(ref: string): Promise<(DescribedModel & { readonly route: Route }) | undefined> {
    const named = this.#providers.named(ref);
    const { route } = named;
    if (!route) return undefined;
    const [key] = await this.#source.keys(named.provider, false);
    return { ...(await this.#source.describe({ ...named, route }, key)), route };
  }

  /** Environment variables that may hold keys. */
  keyVariables(): readonly string[] {
    return this.#providers.keyVariables();
  }

  /** The providers that take a key: with their name, and where people get one. */
  keyedProviders(): readonly { readonly id: string; readonly label: string; readonly keysAt?: string }[] {
    return this.#providers.ids().flatMap((id) => {
      const route = this.#providers.route(id);
      if (!route || !(speaksHttp(route.api) || route.api === 'bedrock')) return [];
      return [{ id, label: route.label, ...(route.keysAt !== undefined && { keysAt: route.keysAt }) }];
    });
  }

  /** Ends what the ways to models own: connections and programs. Never rejects. */
  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
    await this.#source.close();
  }

  async #firstFound(): Promise<string> {
    const [chat, ...local] = await Promise.all([
      vscode.lm.selectChatModels({}),
      ...['ollama', 'lmstudio'].map((id) => this.#firstAt(id)),
    ]);
    const first = chat[0];
    if (first) return `vscode/${first.vendor}/${first.id}`;
    const found = local.find((ref) => ref !== undefined);
    if (found) return found;
    for (const id of FIRST_BY_KEY) {
      const [model] = PRESETS[id]?.models ?? [];
      if (model && (await this.#source.keys(id, false)).length > 0) return `${id}/${model}`;
    }
    return 'practice/rehearsal';
  }

  async #firstAt(provider: string): Promise<string | undefined> {
    const route = this.#providers.route(provider);
    // Only what runs on this machine is found by itself; a server elsewhere is chosen.
    if (route?.baseUrl === undefined || !isLocal(route.baseUrl)) return undefined;
    const [model] = (await this.#lists.list(route, undefined, true)) ?? [];
    return model && `${provider}/${model.id}`;
  }
}

async function update(setting: 'model' | 'effort', value: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('midcourse');
  const inWorkspace = configuration.inspect<string>(setting)?.workspaceValue !== undefined;
  const { ConfigurationTarget } = vscode;
  await configuration.update(
    setting,
    value || undefined,
    inWorkspace ? ConfigurationTarget.Workspace : ConfigurationTarget.Global,
  );
}
