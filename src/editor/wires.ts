import type * as vscode from 'vscode';
import type { Quirks, Route } from '../agent/model/catalogue/index.ts';
import type { ModelWire } from '../agent/model/types.ts';
import type { ProviderSettings } from './settings-schema.ts';

export interface WireNeeds {
  readonly route: Route;
  /** What the settings say of the provider. */
  readonly entry: ProviderSettings | undefined;
  /** Of the settings' model whose own limits count. */
  readonly model: string;
  readonly key: string | undefined;
  readonly promptCaching: '5m' | '1h' | 'off';
  /** Lets a server compact by itself that can. */
  readonly nativeCompaction: boolean;
  /** The platform's own by default. */
  readonly fetch?: typeof fetch;
  /** For the log of details. */
  debug(message: string): void;
  /** Where Codex works. */
  folder(): string | undefined;
  /** Environment variables that no program is given. */
  readonly secretEnv: readonly string[];
  /** For the `vscode` wire: the model at the moment of the request, since models come and go with their extensions. */
  languageModel(): Promise<vscode.LanguageModelChat | undefined>;
}

/** Opens the wire of a provider; the code of each is loaded on first use. */
export async function openWire(needs: WireNeeds): Promise<ModelWire> {
  const { route, entry } = needs;
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
    case 'bedrock': {
      const { createBedrockWire } = await import('../agent/model/index.ts');
      return createBedrockWire({ ...options, ...(entry?.region !== undefined && { region: entry.region }) });
    }
    case 'codex-app-server': {
      const { createCodexWire } = await import('../agent/model/index.ts');
      const { folder, secretEnv } = needs;
      return createCodexWire({
        folder,
        env: withoutSecrets(process.env, secretEnv),
        ...(entry?.command !== undefined && { command: entry.command }),
      });
    }
    case 'practice': {
      const { createPracticeWire } = await import('../agent/model/index.ts');
      return createPracticeWire();
    }
    default:
      return route.api satisfies never;
  }
}

function optionsOf({ route, entry, model, key, promptCaching, debug, fetch }: WireNeeds) {
  const seconds = entry?.models?.[model]?.staleTimeout ?? entry?.staleTimeout;
  const ms = seconds === undefined ? undefined : seconds * 1000;
  return {
    provider: route.provider,
    headers: route.headers,
    ways: waysOf(entry),
    promptCaching: (name: string) => entry?.models?.[name]?.promptCaching,
    cacheTtl: promptCaching === 'off' ? (false as const) : promptCaching,
    debug,
    ...(route.baseUrl !== undefined && { baseUrl: route.baseUrl }),
    ...(key !== undefined && { apiKey: key }),
    ...(fetch !== undefined && { fetch }),
    ...(ms !== undefined && { limits: { firstEventMs: ms, silenceMs: ms, localSilenceMs: ms } }),
  };
}

function waysOf(entry: ProviderSettings | undefined): Quirks {
  return {
    ...(entry?.extraBody !== undefined && { extraBody: entry.extraBody }),
    ...(entry?.promptCacheKey === true && { cacheKey: true }),
  };
}

function withoutSecrets(env: NodeJS.ProcessEnv, secret: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.includes(name)));
}
