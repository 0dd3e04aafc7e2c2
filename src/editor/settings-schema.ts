import * as z from 'zod';
import { APIS, EFFORTS } from '../agent/model/catalogue/index.ts';

const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cacheRead: z.number().nonnegative().exactOptional(),
  cacheWrite: z.number().nonnegative().exactOptional(),
});

const effort = z.enum(EFFORTS);
/** Seconds. */
const staleTimeout = z.int().min(10).max(86_400);

const model = z.strictObject({
  contextWindow: z.int().min(1000).exactOptional(),
  maxOutput: z.int().min(1).exactOptional(),
  vision: z.boolean().exactOptional(),
  price: price.exactOptional(),
  promptCaching: z.boolean().exactOptional(),
  reasoning: effort.exactOptional(),
  staleTimeout: staleTimeout.exactOptional(),
});

const url = z.url({ protocol: /^https?$/ });
const variable = z.string().min(1);

const provider = z.strictObject({
  api: z.enum(APIS).exactOptional(),
  baseUrl: url.exactOptional(),
  apiKeyEnv: z.union([variable, z.array(variable).min(1)]).exactOptional(),
  keyStrategy: z.enum(['fill_first', 'round_robin', 'random', 'least_used']).exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  extraBody: z.record(z.string(), z.unknown()).exactOptional(),
  promptCacheKey: z.boolean().exactOptional(),
  staleTimeout: staleTimeout.exactOptional(),
  /** Bedrock. */
  region: z.string().min(1).exactOptional(),
  /** Codex: the program, by name or absolute path. */
  command: z.string().min(1).exactOptional(),
  models: z.record(z.string().min(1), model).exactOptional(),
});

const ref = z.string().regex(/^[^/\s]+\/\S+$/, 'write provider/model, such as openai/gpt-6.2-sol');

const fallback = z.union([
  ref,
  z.strictObject({ model: ref, api: z.enum(APIS).exactOptional(), baseUrl: url.exactOptional() }),
]);

/** People write it in quotes too, and `"off"` is no consent. */
const consent = z.preprocess(
  (value) => (typeof value === 'string' ? /^(true|on|yes)$/i.test(value) : value),
  z.boolean(),
);

/** A switch that people also write in quotes or as a number; what is none of these words is off. */
const switched = z.preprocess(
  (value) => (typeof value === 'string' || typeof value === 'number' ? /^(1|true|on|yes)$/i.test(`${value}`) : value),
  z.boolean(),
);

/** US dollars; 0 for no limit. */
const dollars = z.number().min(0).max(100_000);

export type ProviderSettings = z.infer<typeof provider>;
export type ModelSettings = z.infer<typeof model>;
export type FallbackSetting = z.infer<typeof fallback>;

const providerName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/);

/**
 * Each setting of package.json: how it is read and what stands in for a value that does not fit.
 * The schema in package.json only warns in the settings editor; nothing stops a wrong value from getting here.
 */
export const settingSchemas = {
  model: setting(z.union([z.literal(''), ref]), ''),
  effort: setting(z.union([z.literal(''), effort]), ''),
  providers: setting(z.record(providerName, provider), {}),
  fallback: setting(z.array(fallback).max(20), []),
  promptCaching: setting(z.enum(['5m', '1h', 'off']), '5m'),
  'retry.attempts': setting(z.int().min(1).max(20), 4),
  busyInput: setting(z.enum(['steer', 'queue', 'redirect']), 'steer'),
  'queue.onStop': setting(z.enum(['hold', 'return']), 'hold'),
  resume: setting(z.enum(['offer', 'auto', 'off']), 'offer'),
  'budget.requests': setting(z.int().min(1).max(1000), 90),
  'budget.perTurn': setting(dollars, 0),
  'budget.perSession': setting(dollars, 0),
  'budget.perDay': setting(dollars, 0),
  'agents.max': setting(z.int().min(1).max(16), 3),
  'agents.requests': setting(z.int().min(1).max(1000), 40),
  'compaction.threshold': setting(z.number().min(0).max(100), 80),
  'compaction.enabled': setting(z.boolean(), true),
  'compaction.native': setting(consent, false),
  'review.enabled': setting(z.boolean(), false),
  'review.requests': setting(z.int().min(1).max(50), 4),
  'review.tokens': setting(z.int().min(1000).max(10_000_000), 50_000),
  'liveness.timeout': setting(z.number().min(0).max(86_400), 600),
  'approvals.allowed': setting(z.record(z.string(), z.record(z.string(), z.string())), {}),
  'terminal.timeout': setting(z.int().min(1).max(600), 180),
  'terminal.shell': setting(z.string(), ''),
  'terminal.env': setting(z.array(z.string()).max(200), []),
  'hooks.enabled': setting(z.boolean(), true),
  'hooks.cline': setting(consent, false),
  'plugins.streamReasoning': setting(consent, false),
  'plugins.workspace': setting(switched, true),
  'plugins.memory': setting(z.int().min(32).max(8192), 256),
  'plugins.mayReplaceTools': setting(z.record(z.string(), z.array(z.string())), {}),
  'plugins.models': setting(z.record(z.string(), z.array(z.string())), {}),
  'plugins.config': setting(z.record(z.string(), z.unknown()), {}),
  /** Each entry is read by itself (`readWebhooks`), so that one that does not fit costs no other. */
  /** Read one by one: a server that does not fit is listed with the reason, and the others run. */
  'mcp.servers': setting(z.record(z.string(), z.unknown()), {}),
  'mcp.parallel': setting(z.array(z.string()).max(1000), []),
  webhooks: setting(z.array(z.unknown()).max(50), []),
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
