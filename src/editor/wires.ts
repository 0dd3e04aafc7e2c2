import type * as vscode from 'vscode';
import type { Quirks, Route } from '../agent/model/catalogue/index.ts';
import type { ModelWire } from '../agent/model/types.ts';
import type { ProviderSettings } from './settings-schema.ts';

export interface WireNeeds {
  readonly route: Route;
  /** What the settings say of the provider. */
  readonly entry: ProviderSettings | undefined;
  /** Of the settings' model whose own ways count. */
  readonly model: string;
  readonly key: string | undefined;
  readonly promptCaching: '5m' | '1h' | 'off';
  /** Lets a server compact by itself that can. */
  readonly nativeCompaction: boolean;
  /** For the `vscode` wire: the model at the moment of the request, since models come and go with their extensions. */
  languageModel(): Promise<vscode.LanguageModelChat | undefined>;
}

/** Opens the wire of a provider; the code of each is loaded on first use. */
export async function openWire(needs: WireNeeds): Promise<ModelWire> {
  const { route } = needs;
  const options = optionsOf(needs);
  switch (route.api) {
    case 'vscode': {
      const { LanguageModelWire } = await import('./language-models.ts');
      return new LanguageModelWire(needs.languageModel);
    }
    case 'openai-chat': {
      const { createOpenAiChatWire } = await import('../agent/model/index.ts');
      return createOpenAiChatWire(options);
    }
    case 'openai-responses': {
      const { createResponsesWire } = await import('../agent/model/index.ts');
      return createResponsesWire({ ...options, nativeCompaction: { enabled: needs.nativeCompaction } });
    }
    case 'anthropic': {
      const { createAnthropicWire } = await import('../agent/model/index.ts');
      return createAnthropicWire(options);
    }
    case 'gemini': {
      const { createGeminiWire } = await import('../agent/model/index.ts');
      return createGeminiWire(options);
    }
    case 'bedrock':
    case 'codex-app-server':
      throw new Error(`${route.api} is not there yet`);
    case 'practice': {
      const { createPracticeWire } = await import('../agent/model/index.ts');
      return createPracticeWire();
    }
    default:
      return route.api satisfies never;
  }
}

function optionsOf({ route, entry, model, key }: WireNeeds) {
  const seconds = entry?.models?.[model]?.staleTimeout ?? entry?.staleTimeout;
  const ms = seconds === undefined ? undefined : seconds * 1000;
  return {
    provider: route.provider,
    headers: route.headers,
    ways: waysOf(entry),
    ...(route.baseUrl !== undefined && { baseUrl: route.baseUrl }),
    ...(key !== undefined && { apiKey: key }),
    ...(ms !== undefined && { limits: { firstEventMs: ms, silenceMs: ms, localSilenceMs: ms } }),
  };
}

function waysOf(entry: ProviderSettings | undefined): Quirks {
  return {
    ...(entry?.extraBody !== undefined && { extraBody: entry.extraBody }),
    ...(entry?.promptCacheKey === true && { cacheKey: true }),
  };
}
