import type * as vscode from 'vscode';
import type { ModelWire } from '../agent/model/types.ts';
import type { ProviderSettings } from './settings-schema.ts';

export interface WireNeeds {
  readonly settings: ProviderSettings;
  readonly key: string | undefined;
  /** For the `vscode` wire: the model at the moment of the request, since models come and go with their extensions. */
  languageModel(): Promise<vscode.LanguageModelChat | undefined>;
}

/** Opens the wire of a provider; the code of each is loaded on first use. */
export async function openWire({ settings, key, languageModel }: WireNeeds): Promise<ModelWire> {
  const options = {
    ...(settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl }),
    ...(settings.headers === undefined ? {} : { headers: settings.headers }),
    ...(key === undefined ? {} : { apiKey: key }),
  };
  switch (settings.api) {
    case 'vscode': {
      const { LanguageModelWire } = await import('./language-models.ts');
      return new LanguageModelWire(languageModel);
    }
    case 'openai-chat': {
      const { createOpenAiChatWire } = await import('../agent/model/index.ts');
      return createOpenAiChatWire(options);
    }
    case 'anthropic': {
      const { createAnthropicWire } = await import('../agent/model/index.ts');
      return createAnthropicWire(options);
    }
    case 'practice': {
      const { createPracticeWire } = await import('../agent/model/index.ts');
      return createPracticeWire();
    }
    default:
      return settings.api satisfies never;
  }
}
