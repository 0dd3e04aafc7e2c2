/** What servers answer when they are asked for their models. Each names things in its own way, and most leave some out. */

import * as z from 'zod';
import type { ModelFacts } from '../catalogue/index.ts';
import type { Price } from '../types.ts';

export interface ListedModel extends ModelFacts {
  readonly id: string;
  /** For people, where it is another than the id. */
  readonly label?: string;
  readonly price?: Price;
}

const Tokens = z.int().positive().optional().catch(undefined);
const Flag = z.boolean().optional().catch(undefined);
const Text = z.string().min(1).optional().catch(undefined);
const Words = z.array(z.string()).optional().catch(undefined);
/** OpenRouter writes prices for one token, as text. Below zero it stands for a price that varies. */
const PerToken = z.coerce.number().nonnegative().optional().catch(undefined);

/** OpenAI's own has nothing but ids; the other names are those of OpenRouter, vLLM, Groq, Mistral, Moonshot and Copilot. */
const OpenAiModel = z.object({
  id: z.string().min(1),
  name: Text,
  context_length: Tokens,
  context_window: Tokens,
  max_model_len: Tokens,
  max_context_length: Tokens,
  loaded_context_length: Tokens,
  max_completion_tokens: Tokens,
  type: Text,
  supports_image_in: Flag,
  architecture: z.object({ input_modalities: Words }).optional().catch(undefined),
  top_provider: z.object({ max_completion_tokens: Tokens }).optional().catch(undefined),
  capabilities: z
    .object({
      vision: Flag,
      limits: z.object({ max_context_window_tokens: Tokens, max_output_tokens: Tokens }).optional().catch(undefined),
      supports: z.object({ vision: Flag }).optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  pricing: z
    .object({ prompt: PerToken, completion: PerToken, input_cache_read: PerToken, input_cache_write: PerToken })
    .optional()
    .catch(undefined),
});

export function openAiModels(answer: unknown): readonly ListedModel[] | undefined {
  return entries(
    z.object({ data: z.array(z.unknown()) }),
    answer,
    ({ data }) => data,
    OpenAiModel,
    (model) => {
      const { capabilities, top_provider, architecture } = model;
      return listed(model.id, {
        label: model.name,
        // A loaded model reads what it was loaded with, whatever it could.
        contextWindow:
          model.loaded_context_length ??
          model.context_length ??
          model.context_window ??
          model.max_model_len ??
          model.max_context_length ??
          capabilities?.limits?.max_context_window_tokens,
        maxOutput:
          top_provider?.max_completion_tokens ?? model.max_completion_tokens ?? capabilities?.limits?.max_output_tokens,
        vision:
          architecture?.input_modalities?.includes('image') ??
          model.supports_image_in ??
          capabilities?.vision ??
          capabilities?.supports?.vision ??
          (model.type === 'vlm' ? true : undefined),
        price: priceOf(model.pricing),
      });
    },
  );
}

const AnthropicModel = z.object({
  id: z.string().min(1),
  display_name: Text,
  max_input_tokens: Tokens,
  max_tokens: Tokens,
});

export function anthropicModels(answer: unknown): readonly ListedModel[] | undefined {
  return entries(
    z.object({ data: z.array(z.unknown()) }),
    answer,
    ({ data }) => data,
    AnthropicModel,
    (model) =>
      listed(model.id, {
        label: model.display_name,
        contextWindow: model.max_input_tokens,
        maxOutput: model.max_tokens,
      }),
  );
}

const GeminiModel = z.object({
  name: z.string().min(1),
  displayName: Text,
  inputTokenLimit: Tokens,
  outputTokenLimit: Tokens,
  supportedGenerationMethods: Words,
});

export function geminiModels(answer: unknown): readonly ListedModel[] | undefined {
  return entries(
    z.object({ models: z.array(z.unknown()) }),
    answer,
    ({ models }) => models,
    GeminiModel,
    (model) => {
      if (model.supportedGenerationMethods?.includes('generateContent') === false) return undefined;
      return listed(model.name.replace(/^models\//, ''), {
        label: model.displayName,
        contextWindow: model.inputTokenLimit,
        maxOutput: model.outputTokenLimit,
      });
    },
  );
}

/** Reads entry by entry: one that does not fit takes only itself away. Undefined when it is no such list. */
function entries<List, Entry>(
  outer: z.ZodType<List>,
  answer: unknown,
  of: (list: List) => readonly unknown[],
  entry: z.ZodType<Entry>,
  read: (entry: Entry) => ListedModel | undefined,
): readonly ListedModel[] | undefined {
  const list = outer.safeParse(answer);
  if (!list.success) return undefined;
  return of(list.data).flatMap((one) => {
    const parsed = entry.safeParse(one);
    const model = parsed.success ? read(parsed.data) : undefined;
    return model === undefined || !isForChat(model.id) ? [] : [model];
  });
}

/** Servers list everything that they run; none of these answers in words to words. */
function isForChat(id: string): boolean {
  return !/embed|rerank|whisper|transcribe|tts|moderation|dall-e|realtime|-image|imagen|audio|sora|\bveo\b/i.test(id);
}

type Optional<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

function listed(
  id: string,
  { label, contextWindow, maxOutput, vision, price }: Optional<Omit<ListedModel, 'id'>>,
): ListedModel {
  return {
    id,
    ...(label !== undefined && label !== id && { label }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(vision !== undefined && { vision }),
    ...(price !== undefined && { price }),
  };
}

function priceOf(pricing: z.infer<typeof OpenAiModel>['pricing']): Price | undefined {
  if (pricing?.prompt === undefined || pricing.completion === undefined) return undefined;
  const { prompt, completion, input_cache_read: read, input_cache_write: write } = pricing;
  return {
    input: perMillion(prompt),
    output: perMillion(completion),
    ...(read !== undefined && { cacheRead: perMillion(read) }),
    ...(write !== undefined && { cacheWrite: perMillion(write) }),
  };
}

/** Without the dust of binary fractions. */
function perMillion(perToken: number): number {
  return Number((perToken * 1_000_000).toPrecision(12));
}
