import * as z from 'zod';

const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().exactOptional(),
  cacheWrite: z.number().nonnegative().exactOptional(),
});

const model = z.strictObject({
  contextWindow: z.int().min(1000).exactOptional(),
  maxOutput: z.int().min(1).exactOptional(),
  vision: z.boolean().exactOptional(),
  price: price.exactOptional(),
});

const provider = z.strictObject({
  api: z.enum(['openai-chat', 'anthropic', 'vscode', 'practice']),
  baseUrl: z.url({ protocol: /^https?$/ }).exactOptional(),
  apiKeyEnv: z.string().min(1).exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  models: z.record(z.string().min(1), model).exactOptional(),
});

export type ProviderSettings = z.infer<typeof provider>;
export type ModelSettings = z.infer<typeof model>;

const providerName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/);

/**
 * Each setting of package.json: how it is read and what stands in for a value that does not fit.
 * The schema in package.json only warns in the settings editor; nothing stops a wrong value from getting here.
 */
export const settingSchemas = {
  model: setting(z.string().regex(/^$|^[^/\s]+\/\S+$/, 'write provider/model, such as openai/gpt-5'), ''),
  providers: setting(z.record(providerName, provider), {}),
  'retry.attempts': setting(z.int().min(1).max(20), 4),
  busyInput: setting(z.enum(['steer', 'queue', 'redirect']), 'steer'),
  'queue.onStop': setting(z.enum(['hold', 'return']), 'hold'),
  resume: setting(z.enum(['offer', 'auto', 'off']), 'offer'),
  'budget.requests': setting(z.int().min(1).max(1000), 90),
  'agents.max': setting(z.int().min(1).max(16), 3),
  'agents.requests': setting(z.int().min(1).max(1000), 40),
  'compaction.threshold': setting(z.number().min(0).max(100), 80),
  'review.enabled': setting(z.boolean(), false),
  'review.requests': setting(z.int().min(1).max(50), 4),
  'review.tokens': setting(z.int().min(1000).max(10_000_000), 50_000),
  'liveness.timeout': setting(z.number().min(0).max(86_400), 600),
  'approvals.allowed': setting(z.record(z.string(), z.record(z.string(), z.string())), {}),
  'terminal.timeout': setting(z.int().min(1).max(600), 180),
  'terminal.shell': setting(z.string(), ''),
};

export type SettingName = keyof typeof settingSchemas;
export type SettingValue<Name extends SettingName> = z.infer<(typeof settingSchemas)[Name]['schema']>;

export interface Setting<Value> {
  readonly schema: z.ZodType<Value>;
  readonly fallback: Value;
}

function setting<Value>(schema: z.ZodType<Value>, fallback: NoInfer<Value>): Setting<Value> {
  return { schema, fallback };
}
