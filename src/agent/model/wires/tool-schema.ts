/**
 * What a server or an extension declares of its tool, as a schema that each API takes. APIs refuse the whole request for
 * one tool: OpenAI for an object without `properties`, a list without `items` and alternatives at the top, Anthropic and
 * Bedrock for these too.
 */

type Schema = Readonly<Record<string, unknown>>;

interface ObjectSchema extends Record<string, unknown> {
  readonly type: 'object';
}

/** A declaration stays the same object as long as its tool is there, and goes with each request. */
const known = new WeakMap<Schema, ObjectSchema>();

/** The schema of an object, which says of its properties all that can be said without alternatives at its top. */
export function toolSchema(declared: Schema): ObjectSchema {
  const schema = known.get(declared) ?? objectSchema(declared);
  known.set(declared, schema);
  return schema;
}

function objectSchema(declared: Schema): ObjectSchema {
  const { $schema: _, not: _not, enum: _enum, const: _const, ...rest } = withoutAlternatives(declared);
  const properties = isRecord(rest.properties) ? eachIn(rest.properties) : {};
  const required = names(rest.required).filter((name) => Object.hasOwn(properties, name));
  const { required: _required, ...whole } = inside(rest) as Record<string, unknown>;
  return { ...whole, type: 'object', properties, ...(required.length > 0 && { required }) };
}

const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * The properties of all alternatives, of which only those are required that each alternative requires. What `allOf` asks
 * for is asked for as it is. It allows more than the declaration; the server that runs the tool checks the rest.
 */
function withoutAlternatives(schema: Schema, depth = 0): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...schema };
  for (const keyword of ALTERNATIVES) {
    const { [keyword]: declared } = schema;
    delete merged[keyword];
    if (!Array.isArray(declared) || depth > DEEPEST) continue;
    const each = declared.filter(isRecord).map((one) => withoutAlternatives(resolved(one, schema), depth + 1));
    const properties = Object.assign({}, ...each.map((one) => (isRecord(one.properties) ? one.properties : {})));
    const lists = each.map((one) => names(one.required));
    const [first = []] = lists;
    const asked =
      keyword === 'allOf' ? lists.flat() : first.filter((name) => lists.every((list) => list.includes(name)));
    merged.properties = { ...properties, ...(isRecord(merged.properties) && merged.properties) };
    merged.required = [...new Set([...names(merged.required), ...asked])];
  }
  return merged;
}

/** Alternatives inside each other that are followed. */
const DEEPEST = 8;

/** A `$ref` into the same document, one step far. */
function resolved(schema: Schema, root: Schema): Schema {
  const [, keyword, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String(schema.$ref ?? '')) ?? [];
  const named = keyword === undefined ? undefined : root[keyword];
  const target = isRecord(named) && name !== undefined ? named[name] : undefined;
  return isRecord(target) ? { ...target, ...schema } : schema;
}

/** Under these a schema has names of its own choice, not keywords. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** These hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([keyword, held]): [string, unknown] => {
    if (VALUES.has(keyword)) return [keyword, held];
    return [keyword, NAMED.has(keyword) && isRecord(held) ? eachIn(held) : inside(held)];
  });
  const schema = Object.fromEntries(entries);
  const isList = schema.type === 'array' || (Array.isArray(schema.type) && schema.type.includes('array'));
  if (!isList || isRecord(schema.items) || Array.isArray(schema.items) || 'prefixItems' in schema) return schema;
  return { ...schema, items: {} };
}

/** `true` and `false` are schemas too, which no API takes. */
function eachIn(schemas: Schema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isRecord(schema) ? inside(schema) : {}]),
  );
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function names(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}
