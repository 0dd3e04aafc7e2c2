import * as vscode from 'vscode';
import type { ModelError, ModelWire } from '../agent/model/types.ts';
import type { ModelPort, ResolvedModel } from '../agent/turn/types.ts';
import type { ModelGroup, ModelInUse } from '../protocol/index.ts';
import { builtInProviders, type FoundModel, languageModels, serverModels } from './discovery.ts';
import type { OutputLog } from './log.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';
import type { ModelSettings, ProviderSettings } from './settings-schema.ts';
import { openWire } from './wires.ts';

/** The model of a session, as the chat shows it. */
export interface UsedModel extends ModelInUse {
  /** Tokens. */
  readonly contextWindow: number;
}

/** Finds the model of a `provider/model` reference, and all that can be chosen. */
export class Models implements ModelPort, vscode.Disposable {
  readonly #settings: Settings;
  readonly #secrets: Secrets;
  readonly #log: OutputLog;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: readonly vscode.Disposable[];
  readonly #wires = new Map<string, Promise<ModelWire>>();
  readonly #keys = new Map<string, Promise<string | undefined>>();
  #default: Promise<string> | undefined;
  /** The models in use, or which can be chosen, may be others now. */
  readonly onDidChange = this.#changed.event;

  constructor(settings: Settings, secrets: Secrets, log: OutputLog) {
    this.#settings = settings;
    this.#secrets = secrets;
    this.#log = log;
    const forget = () => {
      this.#default = undefined;
      this.#wires.clear();
      this.#keys.clear();
      this.#changed.fire();
    };
    this.#subscriptions = [
      settings.onDidChange(forget),
      secrets.onDidChange(forget),
      vscode.lm.onDidChangeChatModels(forget),
    ];
  }

  async resolve(ref: string | undefined): Promise<ResolvedModel | { readonly error: ModelError }> {
    try {
      return await this.#resolve(ref || (await this.defaultRef()));
    } catch (error) {
      this.#log.failed(`The model ${ref ?? ''} could not be opened`, error);
      const detail = error instanceof Error ? error.message : String(error);
      return {
        error: modelError(
          'unknown',
          vscode.l10n.t(
            'The model could not be opened: {0}. Nothing you typed is lost. The log has the details.',
            detail,
          ),
          'midcourse.showLog',
        ),
      };
    }
  }

  /** The chosen model, otherwise the first that is found; the practice model always is. */
  defaultRef(): Promise<string> {
    const chosen = this.#settings.get('model');
    if (chosen) return Promise.resolve(chosen);
    this.#default ??= this.#firstFound();
    return this.#default;
  }

  async inUse(ref: string | undefined): Promise<UsedModel> {
    const wanted = ref || (await this.defaultRef());
    const { provider, model } = split(wanted);
    const settings = this.#provider(provider);
    const practice = settings?.api === 'practice';
    const chat = settings?.api === 'vscode' ? await selectLanguageModel(model) : undefined;
    return {
      ref: wanted,
      label: practice ? vscode.l10n.t('Practice (scripted rehearsal)') : (chat?.name ?? model),
      practice,
      contextWindow: chat?.maxInputTokens ?? contextWindow(settings, settings?.models?.[model]),
    };
  }

  /** Everything that can be chosen, by provider; asks local servers and those with a key. */
  async groups(): Promise<readonly ModelGroup[]> {
    const ids = [...new Set([...Object.keys(this.#settings.get('providers')), ...Object.keys(builtInProviders)])];
    const groups = await Promise.all(
      ids.map(async (id) => ({ label: builtInProviders[id]?.label ?? id, models: [...(await this.#modelsOf(id))] })),
    );
    return groups.filter((group) => group.models.length > 0);
  }

  /** Makes a model the chosen one, where the setting already has a value or else for the user. */
  async choose(ref: string): Promise<void> {
    const configuration = vscode.workspace.getConfiguration('midcourse');
    const inWorkspace = configuration.inspect<string>('model')?.workspaceValue !== undefined;
    const { ConfigurationTarget } = vscode;
    await configuration.update('model', ref, inWorkspace ? ConfigurationTarget.Workspace : ConfigurationTarget.Global);
  }

  /** Names of the providers that take a key. */
  keyedProviders(): readonly string[] {
    const all = { ...builtInSettings(), ...this.#settings.get('providers') };
    return Object.entries(all).flatMap(([id, { api }]) => (api === 'openai-chat' || api === 'anthropic' ? [id] : []));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  async #resolve(ref: string): Promise<ResolvedModel | { readonly error: ModelError }> {
    const { provider, model } = split(ref);
    const settings = this.#provider(provider);
    if (!settings || model === '') return { error: unknownModel(ref) };
    const own = settings.models?.[model];
    const common = { ref, model, vision: own?.vision ?? false, ...optional(own) };
    if (settings.api === 'vscode') {
      const chat = await selectLanguageModel(model);
      const wire = await this.#wire(provider, settings, undefined, model);
      return { ...common, label: chat?.name ?? model, wire, contextWindow: chat?.maxInputTokens ?? 128_000 };
    }
    const key = await this.#key(provider, settings.apiKeyEnv);
    if (needsKey(settings) && !key) return { error: noKey(provider, settings.apiKeyEnv) };
    const wire = await this.#wire(provider, settings, key, model);
    const label = settings.api === 'practice' ? vscode.l10n.t('Practice (scripted rehearsal)') : model;
    return { ...common, label, wire, contextWindow: contextWindow(settings, own) };
  }

  /** Kept until secrets or settings change: the secret storage is a round trip to the window, for every turn. */
  #key(provider: string, apiKeyEnv: string | undefined): Promise<string | undefined> {
    const known = this.#keys.get(provider);
    if (known) return known;
    const key = this.#secrets.key(provider, apiKeyEnv);
    this.#keys.set(provider, key);
    key.catch(() => this.#keys.delete(provider));
    return key;
  }

  #provider(id: string): ProviderSettings | undefined {
    const own = this.#settings.get('providers');
    if (Object.hasOwn(own, id)) return own[id];
    return Object.hasOwn(builtInProviders, id) ? builtInProviders[id]?.settings : undefined;
  }

  #wire(provider: string, settings: ProviderSettings, key: string | undefined, model: string): Promise<ModelWire> {
    const slot = settings.api === 'vscode' ? `${provider}/${model}` : provider;
    const known = this.#wires.get(slot);
    if (known) return known;
    const opened = openWire({ settings, key, languageModel: () => selectLanguageModel(model) });
    opened.catch(() => this.#wires.delete(slot));
    this.#wires.set(slot, opened);
    return opened;
  }

  async #firstFound(): Promise<string> {
    const [vscodeModels, ollama, lmstudio] = await Promise.all([
      languageModels(),
      this.#localModels('ollama'),
      this.#localModels('lmstudio'),
    ]);
    const found = vscodeModels[0] ?? ollama[0] ?? lmstudio[0];
    if (found) return found.ref;
    for (const id of ['anthropic', 'openai']) {
      const provider = builtInProviders[id];
      const first = provider?.models[0];
      if (first && (await this.#secrets.key(id, provider.settings.apiKeyEnv))) return `${id}/${first}`;
    }
    return 'practice/rehearsal';
  }

  #localModels(id: 'ollama' | 'lmstudio'): Promise<readonly FoundModel[]> {
    const baseUrl = this.#provider(id)?.baseUrl;
    return baseUrl ? serverModels(id, baseUrl) : Promise.resolve([]);
  }

  async #modelsOf(id: string): Promise<readonly FoundModel[]> {
    const settings = this.#provider(id);
    if (!settings) return [];
    const named = Object.keys(settings.models ?? {}).map((model) => ({ ref: `${id}/${model}`, label: model }));
    switch (settings.api) {
      case 'vscode':
        return id === 'vscode' ? languageModels() : named;
      case 'practice':
        return [{ ref: `${id}/rehearsal`, label: vscode.l10n.t('Practice (scripted rehearsal)') }];
      case 'openai-chat':
      case 'anthropic': {
        const key = await this.#secrets.key(id, settings.apiKeyEnv);
        const listed = settings.baseUrl && settings.api === 'openai-chat' ? await this.#listed(id, settings, key) : [];
        const builtIn = key ? (builtInProviders[id]?.models ?? []) : [];
        return unique([...named, ...builtIn.map((model) => ({ ref: `${id}/${model}`, label: model })), ...listed]);
      }
      default:
        return settings.api satisfies never;
    }
  }

  #listed(id: string, settings: ProviderSettings, key: string | undefined): Promise<readonly FoundModel[]> {
    const { baseUrl = '' } = settings;
    const local = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(baseUrl);
    if (local) return serverModels(id, baseUrl, key ? { key } : {});
    return key ? serverModels(id, baseUrl, { key, patience: 3000 }) : Promise.resolve([]);
  }
}

/** A model's name at VS Code is `vendor/id`. */
async function selectLanguageModel(model: string): Promise<vscode.LanguageModelChat | undefined> {
  const slash = model.indexOf('/');
  const selector = slash < 0 ? { id: model } : { vendor: model.slice(0, slash), id: model.slice(slash + 1) };
  return (await vscode.lm.selectChatModels(selector))[0];
}

function split(ref: string): { readonly provider: string; readonly model: string } {
  const slash = ref.indexOf('/');
  return slash < 0 ? { provider: ref, model: '' } : { provider: ref.slice(0, slash), model: ref.slice(slash + 1) };
}

function contextWindow(settings: ProviderSettings | undefined, own: ModelSettings | undefined): number {
  return own?.contextWindow ?? (settings?.api === 'anthropic' ? 200_000 : 128_000);
}

function optional(own: ModelSettings | undefined): Pick<ResolvedModel, 'maxOutput' | 'price'> {
  return {
    ...(own?.maxOutput === undefined ? {} : { maxOutput: own.maxOutput }),
    ...(own?.price === undefined ? {} : { price: own.price }),
  };
}

function builtInSettings(): Record<string, ProviderSettings> {
  return Object.fromEntries(Object.entries(builtInProviders).map(([id, { settings }]) => [id, settings]));
}

function unique(models: readonly FoundModel[]): readonly FoundModel[] {
  return [...new Map(models.map((model) => [model.ref, model])).values()];
}

/** The public APIs refuse every request without one; other servers may want none, or take it in a header. */
function needsKey({ api, baseUrl, headers }: ProviderSettings): boolean {
  if (api !== 'openai-chat' && api !== 'anthropic') return false;
  const own = Object.keys(headers ?? {}).some((name) => /^(authorization|x-api-key)$/i.test(name));
  return !own && (baseUrl === undefined || /^https:\/\/api\.(openai|anthropic)\.com\b/.test(baseUrl));
}

function noKey(provider: string, apiKeyEnv: string | undefined): ModelError {
  const message = apiKeyEnv
    ? vscode.l10n.t(
        'There is no API key for {0}. Your message is kept. Set one, or start VS Code with {1}.',
        provider,
        apiKeyEnv,
      )
    : vscode.l10n.t('There is no API key for {0}. Your message is kept. Set one and send again.', provider);
  return modelError('auth', message, 'midcourse.setApiKey');
}

function unknownModel(ref: string): ModelError {
  return modelError(
    'model_not_found',
    vscode.l10n.t(
      '{0} names no provider that Midcourse knows. Your message is kept. Select a model, or add the provider to midcourse.providers.',
      ref,
    ),
    'midcourse.selectModel',
  );
}

function modelError(kind: ModelError['kind'], message: string, action: string): ModelError {
  return { kind, message, detail: message, retryable: false, action };
}
