import * as vscode from 'vscode';
import * as z from 'zod';
import type { ProviderSettings } from './settings-schema.ts';

export interface FoundModel {
  /** `provider/model`. */
  readonly ref: string;
  readonly label: string;
  readonly detail?: string;
}

/** Milliseconds that a server on this machine gets to say that it is there. */
const localPatience = 400;

interface BuiltIn {
  readonly label: string;
  readonly settings: ProviderSettings;
  /** What is used when nothing was chosen; the picker lists the others. */
  readonly models: readonly string[];
}

/** Providers that work by name alone: `anthropic/…` needs no entry in `midcourse.providers`. */
export const builtInProviders: Readonly<Record<string, BuiltIn>> = {
  vscode: { label: 'VS Code', settings: { api: 'vscode' }, models: [] },
  ollama: { label: 'Ollama', settings: { api: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1' }, models: [] },
  lmstudio: { label: 'LM Studio', settings: { api: 'openai-chat', baseUrl: 'http://127.0.0.1:1234/v1' }, models: [] },
  anthropic: {
    label: 'Anthropic',
    settings: { api: 'anthropic', baseUrl: 'https://api.anthropic.com', apiKeyEnv: 'ANTHROPIC_API_KEY' },
    models: ['claude-sonnet-4-5', 'claude-opus-4-5', 'claude-haiku-4-5'],
  },
  openai: {
    label: 'OpenAI',
    settings: { api: 'openai-chat', baseUrl: 'https://api.openai.com/v1', apiKeyEnv: 'OPENAI_API_KEY' },
    models: ['gpt-5', 'gpt-5-mini'],
  },
  practice: { label: 'Practice', settings: { api: 'practice' }, models: ['rehearsal'] },
};

/** The models that other extensions give to VS Code. */
export async function languageModels(): Promise<readonly FoundModel[]> {
  const models = await vscode.lm.selectChatModels({});
  return models.map((model) => ({
    ref: `vscode/${model.vendor}/${model.id}`,
    label: model.name,
    detail: model.vendor,
  }));
}

const modelList = z.object({ data: z.array(z.object({ id: z.string().min(1) })) });

/**
 * Asks a server for its models; empty when none answers as an OpenAI-like server does.
 * @param patience milliseconds
 */
export async function serverModels(
  provider: string,
  baseUrl: string,
  options: { readonly key?: string; readonly patience?: number } = {},
): Promise<readonly FoundModel[]> {
  try {
    const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/models`, {
      headers: options.key ? { authorization: `Bearer ${options.key}` } : {},
      redirect: 'error',
      signal: AbortSignal.timeout(options.patience ?? localPatience),
    });
    const parsed = modelList.safeParse(await response.json());
    return parsed.success ? parsed.data.data.map(({ id }) => ({ ref: `${provider}/${id}`, label: id })) : [];
  } catch {
    // Nothing listens there, or something else does: it is simply not found.
    return [];
  }
}
