import * as z from 'zod';
import { mayFit, patternOf } from '../kernel/patterns/index.ts';

/**
 * The values that a plugin asks of its user: a JSON schema of an object whose properties are strings, numbers, booleans,
 * choices or lists of strings. What else JSON schema knows has no form, so it is refused.
 */
const common = { title: z.string().exactOptional(), description: z.string().exactOptional() };

const text = z.looseObject({
  type: z.literal('string'),
  ...common,
  enum: z.array(z.string()).min(1).exactOptional(),
  default: z.string().exactOptional(),
  minLength: z.int().nonnegative().exactOptional(),
  maxLength: z.int().nonnegative().exactOptional(),
  pattern: z.string().refine(isRegex, 'is no regular expression').exactOptional(),
});
const number = z.looseObject({
  type: z.enum(['number', 'integer']),
  ...common,
  default: z.number().exactOptional(),
  minimum: z.number().exactOptional(),
  maximum: z.number().exactOptional(),
});
const truth = z.looseObject({ type: z.literal('boolean'), ...common, default: z.boolean().exactOptional() });
const list = z.looseObject({
  type: z.literal('array'),
  ...common,
  items: z.looseObject({ type: z.literal('string'), enum: z.array(z.string()).min(1).exactOptional() }),
  default: z.array(z.string()).exactOptional(),
  minItems: z.int().nonnegative().exactOptional(),
  maxItems: z.int().nonnegative().exactOptional(),
});

export const configProperty = z.discriminatedUnion('type', [text, number, truth, list]);

export const configSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, 'is no name for a value'), configProperty),
  required: z.array(z.string()).exactOptional(),
});

export type ConfigSchema = z.infer<typeof configSchema>;
export type ConfigProperty = z.infer<typeof configProperty>;

export interface ConfigValues {
  /** Defaults filled in; a value that does not fit is left out for its default. */
  readonly values: Readonly<Record<string, unknown>>;
  /** For people, one for each value that does not fit or is missing. */
  readonly problems: readonly string[];
}

/** @param given what the user's settings hold for the plugin; anything */
export function configValues(schema: ConfigSchema | undefined, given: unknown): ConfigValues {
  if (!schema) return { values: {}, problems: [] };
  const settings: Readonly<Record<string, unknown>> =
    typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = settings[name];
    const problem = value === undefined ? undefined : configProblem(property, value);
    if (problem) problems.push(`${name}: ${problem}`);
    const used = value === undefined || problem ? property.default : value;
    if (used !== undefined) values[name] = used;
    else if (schema.required?.includes(name)) problems.push(`${name}: a value is needed`);
  }
  for (const name of Object.keys(settings)) {
    if (!(name in schema.properties)) problems.push(`${name}: the plugin knows no such value`);
  }
  return { values, problems };
}

/** Why a value does not fit its property, in words; undefined when it does. */
export function configProblem(property: ConfigProperty, value: unknown): string | undefined {
  switch (property.type) {
    case 'string':
      return textProblem(property, value);
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'a number is needed';
      if (property.type === 'integer' && !Number.isInteger(value)) return 'a whole number is needed';
      if (property.minimum !== undefined && value < property.minimum) return `at least ${property.minimum}`;
      if (property.maximum !== undefined && value > property.maximum) return `at most ${property.maximum}`;
      return undefined;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false is needed';
    case 'array':
      return listProblem(property, value);
    default:
      return property satisfies never;
  }
}

function textProblem(property: z.infer<typeof text>, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'text is needed';
  if (property.enum && !property.enum.includes(value)) return `one of: ${property.enum.join(', ')}`;
  if (value.length < (property.minLength ?? 0)) return `at least ${property.minLength} characters`;
  if (value.length > (property.maxLength ?? Infinity)) return `at most ${property.maxLength} characters`;
  if (property.pattern && !hasPattern(property.pattern, value)) return `it has to match ${property.pattern}`;
  return undefined;
}

function listProblem(property: z.infer<typeof list>, value: unknown): string | undefined {
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string')) return 'a list of texts is needed';
  const allowed = property.items.enum;
  if (allowed && !value.every((entry) => allowed.includes(entry))) return `each one of: ${allowed.join(', ')}`;
  if (value.length < (property.minItems ?? 0)) return `at least ${property.minItems} entries`;
  if (value.length > (property.maxItems ?? Infinity)) return `at most ${property.maxItems} entries`;
  return undefined;
}

function isRegex(source: string): boolean {
  return typeof patternOf(source, 'u') !== 'string';
}

/** A value whose pattern cannot be judged at once is taken: the plugin reads it, and nothing is allowed by it. */
function hasPattern(source: string, value: string): boolean {
  const pattern = patternOf(source, 'u');
  return typeof pattern === 'string' || mayFit(pattern.testNow(value));
}
