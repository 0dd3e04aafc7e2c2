/** Tools in the words of the Gemini API, whose schemas know fewer keywords than JSON Schema and refuse all others. */

import type { FunctionDeclaration, Schema, Type } from '@google/genai';
import type { ToolSpec } from '../../types.ts';
import { toolSchema } from '../tool-schema.ts';
import { toolName, uniqueTools } from '../wire-text.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

export function geminiTools(tools: readonly ToolSpec[]): FunctionDeclaration[] {
  return uniqueTools(tools).map(({ name, description, inputSchema }) => {
    const parameters = schemaOf(toolSchema(inputSchema), new Cleaning(inputSchema));
    // An object without properties is refused: a tool that takes nothing has no parameters.
    return { name: geminiName(name), description, ...(parameters.properties !== undefined && { parameters }) };
  });
}

/** A name in the letters that functions may have: the first one is no digit and no dash. */
export function geminiName(name: string): string {
  const plain = toolName(name);
  return /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`.slice(0, 64);
}

/** What is known above a place in a schema. */
class Cleaning {
  readonly #root: JsonSchema;
  readonly #followed: readonly string[];

  constructor(root: JsonSchema, followed: readonly string[] = []) {
    this.#root = root;
    this.#followed = followed;
  }

  /** What a `$ref` inside the document stands for; nothing for one that leads back to itself, or elsewhere. */
  follow(ref: string): readonly [JsonSchema, Cleaning] | undefined {
    if (this.#followed.includes(ref) || !ref.startsWith('#')) return undefined;
    let at: unknown = this.#root;
    for (const step of ref.split('/').slice(1)) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }
    return isObject(at) ? [at, new Cleaning(this.#root, [...this.#followed, ref])] : undefined;
  }
}

const STRING_FORMATS = new Set(['enum', 'date-time']);
const NUMBER_FORMATS = new Set(['int32', 'int64', 'float', 'double']);
/** Taken as they are. */
const PLAIN_KEYS = ['title', 'description', 'pattern'] as const;
const NUMBER_KEYS = ['minimum', 'maximum'] as const;
/** The API counts in 64 bits, which JSON has as text; it takes numbers too. */
const COUNT_KEYS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'] as const;

function schemaOf(given: JsonSchema, cleaning: Cleaning): Schema {
  if (typeof given.$ref === 'string') {
    const { $ref, ...beside } = given;
    const [target, below] = cleaning.follow($ref) ?? [{ type: 'object' }, cleaning];
    return schemaOf({ ...target, ...beside }, below);
  }
  const json = allOf(given);
  const alternatives = listOf(json.anyOf ?? json.oneOf);
  const wanted = alternatives.filter((each) => each.type !== 'null');
  const nullable = json.nullable === true || wanted.length < alternatives.length || listTypes(json).includes('null');
  const schema = { ...described(json), ...(nullable && { nullable: true }) };
  const [only] = wanted;
  if (wanted.length === 1 && only !== undefined) return { ...schemaOf(only, cleaning), ...schema };
  if (wanted.length > 1) return { ...schema, anyOf: wanted.map((each) => schemaOf(each, cleaning)) };
  const types = listTypes(json).filter((type) => type !== 'null');
  if (types.length > 1) return { ...schema, anyOf: types.map((type) => typed({ ...json, type }, type, cleaning)) };
  return { ...schema, ...typed(json, types[0] ?? impliedType(json), cleaning) };
}

function described(json: JsonSchema): Schema {
  return Object.fromEntries(
    PLAIN_KEYS.flatMap((key) => (typeof json[key] === 'string' ? [[key, json[key]] as const] : [])),
  );
}

function typed(json: JsonSchema, type: string, cleaning: Cleaning): Schema {
  const schema: Schema = { type: type.toUpperCase() as Type };
  for (const key of COUNT_KEYS) if (Number.isInteger(json[key])) Object.assign(schema, { [key]: json[key] });
  switch (type) {
    case 'object':
      return { ...schema, ...objectOf(json, cleaning) };
    case 'array': {
      const items = json.items ?? listOf(json.prefixItems)[0];
      // An array without items is refused.
      return { ...schema, items: schemaOf(isObject(items) ? items : { type: 'string' }, cleaning) };
    }
    case 'number':
    case 'integer':
      return { ...schema, ...boundsOf(json), ...formatOf(json, NUMBER_FORMATS) };
    case 'string':
      return { ...schema, ...enumOf(json), ...formatOf(json, STRING_FORMATS) };
    default:
      return schema;
  }
}

function objectOf(json: JsonSchema, cleaning: Cleaning): Schema {
  const properties = isObject(json.properties) ? Object.entries(json.properties) : [];
  if (properties.length === 0) return {};
  const cleaned = properties.map(([name, value]) => [name, schemaOf(isObject(value) ? value : {}, cleaning)] as const);
  const names = new Set(properties.map(([name]) => name));
  const required = Array.isArray(json.required)
    ? json.required.filter((name): name is string => typeof name === 'string' && names.has(name))
    : [];
  return { properties: Object.fromEntries(cleaned), ...(required.length > 0 && { required }) };
}

/** Exclusive bounds are not known: of whole numbers the next one is the bound, of others the bound itself. */
function boundsOf(json: JsonSchema): Schema {
  const step = json.type === 'integer' ? 1 : 0;
  const bounds: { minimum?: number; maximum?: number } = {};
  const { exclusiveMinimum, exclusiveMaximum } = json;
  if (typeof exclusiveMinimum === 'number') bounds.minimum = exclusiveMinimum + step;
  if (typeof exclusiveMaximum === 'number') bounds.maximum = exclusiveMaximum - step;
  for (const key of NUMBER_KEYS) {
    const bound = json[key];
    if (typeof bound === 'number') bounds[key] ??= bound;
  }
  return bounds;
}

/** Only texts can be enumerated. */
function enumOf(json: JsonSchema): Schema {
  const values = 'const' in json ? [json.const] : json.enum;
  if (!Array.isArray(values)) return {};
  const texts = values.filter((value): value is string => typeof value === 'string' && value !== '');
  return texts.length > 0 ? { enum: texts } : {};
}

function formatOf({ format }: JsonSchema, known: ReadonlySet<string>): Schema {
  return typeof format === 'string' && known.has(format) ? { format } : {};
}

/** What has to fit all of several schemas, as one. */
function allOf({ allOf: parts, ...own }: JsonSchema): JsonSchema {
  const all = [own, ...listOf(parts)];
  if (all.length === 1) return own;
  const properties = Object.assign({}, ...all.map((each) => objectIn(each, 'properties')));
  const required = all.flatMap((each) => arrayIn(each, 'required'));
  const whole = Object.assign({}, ...all.toReversed());
  return { ...whole, ...(Object.keys(properties).length > 0 && { properties, required }) };
}

function listTypes({ type }: JsonSchema): readonly string[] {
  return (Array.isArray(type) ? type : [type]).filter((each): each is string => typeof each === 'string');
}

function impliedType(json: JsonSchema): string {
  if ('properties' in json) return 'object';
  if ('items' in json) return 'array';
  const [value] = [json.const, ...arrayIn(json, 'enum')].filter((each) => each !== undefined && each !== null);
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'string';
}

function listOf(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function objectIn(json: JsonSchema, key: string): JsonSchema {
  const value = json[key];
  return isObject(value) ? value : {};
}

function arrayIn(json: JsonSchema, key: string): readonly unknown[] {
  const value = json[key];
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
