/** What Ollama and LM Studio tell of one model beside OpenAI's list, which has no window in it. */

import * as z from 'zod';
import type { ModelFacts } from '../catalogue/index.ts';
import { askJson, type ListRequest } from './list-models.ts';
import { openAiModels } from './replies.ts';

export type LocalServer = 'ollama' | 'lmstudio';

/** By the provider's name or the port that the program takes by default. */
export function localServerOf(provider: string, baseUrl: string): LocalServer | undefined {
  const port = URL.canParse(baseUrl) ? new URL(baseUrl).port : '';
  if (provider === 'ollama' || port === '11434') return 'ollama';
  return provider === 'lmstudio' || port === '1234' ? 'lmstudio' : undefined;
}

/** Undefined when the server does not say. Never rejects. */
export function localFacts(
  server: LocalServer,
  request: Omit<ListRequest, 'api'>,
  model: string,
): Promise<ModelFacts | undefined> {
  const origin = new URL(request.baseUrl).origin;
  return server === 'ollama' ? ollamaFacts(request, origin, model) : lmStudioFacts(request, origin, model);
}

const Shown = z.object({
  /** Lines of its model file, such as `num_ctx 32768`. */
  parameters: z.string().optional().catch(undefined),
  capabilities: z.array(z.string()).optional().catch(undefined),
  model_info: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

const Running = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.int().positive().optional().catch(undefined) })),
});

/** What it was loaded with, otherwise what its model file asks for, otherwise what the model could read. */
async function ollamaFacts(
  request: Omit<ListRequest, 'api'>,
  origin: string,
  model: string,
): Promise<ModelFacts | undefined> {
  const [shownAnswer, runningAnswer] = await Promise.all([
    askJson(request, `${origin}/api/show`, { 'content-type': 'application/json' }, { model }),
    askJson(request, `${origin}/api/ps`, {}),
  ]);
  const shown = Shown.safeParse(shownAnswer);
  if (!shown.success) return undefined;
  const running = Running.safeParse(runningAnswer);
  const loaded = running.data?.models.find(({ name }) => name === model || name === `${model}:latest`)?.context_length;
  const { parameters = '', capabilities, model_info = {} } = shown.data;
  const asked = /^num_ctx\s+(\d+)/m.exec(parameters)?.[1];
  const able = Object.entries(model_info).find(([name]) => name.endsWith('.context_length'))?.[1];
  const contextWindow = loaded ?? (asked === undefined ? able : Number(asked));
  return {
    ...(typeof contextWindow === 'number' && { contextWindow }),
    ...(capabilities !== undefined && { vision: capabilities.includes('vision') }),
    ...(capabilities?.includes('thinking') === false && { efforts: [] }),
  };
}

async function lmStudioFacts(
  request: Omit<ListRequest, 'api'>,
  origin: string,
  model: string,
): Promise<ModelFacts | undefined> {
  const models = openAiModels(await askJson(request, `${origin}/api/v0/models`, {}));
  return models?.find(({ id }) => id === model);
}
