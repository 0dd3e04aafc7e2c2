/** What servers refuse in the schema of a tool. */

import { eachTool, first, type Rule } from './chat-body.ts';

type Schema = Readonly<Record<string, unknown>>;

const ALTERNATIVES = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'] as const;

/** An object with properties, no alternatives at its top, and lists that say of what. */
export const openAiSchemas: Rule = eachTool(({ name, parameters = {} }) => {
  const refused = `Invalid schema for function '${name}'`;
  if (parameters.type !== 'object') return `${refused}: schema must be a JSON Schema of 'type: "object"'`;
  if (!isSchema(parameters.properties)) return `${refused}: In context=(), object schema missing properties.`;
  const top = ALTERNATIVES.find((keyword) => keyword in parameters);
  if (top !== undefined) return `${refused}: schema must not have '${top}' at the top level.`;
  return inEach(parameters, (schema) => {
    const isList = schema.type === 'array' && !isSchema(schema.items) && !Array.isArray(schema.items);
    return isList && !('prefixItems' in schema) ? `${refused}: array schema missing items.` : undefined;
  });
});

/** "Moonshot flavored": types stand in alternatives and not beside them, references alone, lists have one kind of item. */
export const moonshotSchemas: Rule = eachTool(({ parameters = {} }) => {
  if (parameters.type !== 'object') return 'tools.function.parameters.type is required and must be "object"';
  const refused = 'tools.function.parameters is not a valid moonshot flavored json schema, details:';
  return inEach(parameters, (schema) => {
    if ('anyOf' in schema && 'type' in schema)
      return `${refused} <when using anyOf, type should be defined in anyOf items>`;
    const beside = Object.keys(schema).filter((keyword) => !['$ref', 'description', 'title'].includes(keyword));
    if ('$ref' in schema && beside.length > 0)
      return `${refused} <when using $ref, ${beside[0]} should not be defined>`;
    return Array.isArray(schema.items) ? `${refused} <items must be an object>` : undefined;
  });
});

/** `pattern`, `format`, and values with a slash in an `enum`. */
export const xaiSchemas: Rule = eachTool(({ name, parameters = {} }) =>
  inEach(parameters, (schema) => {
    const keyword = ['pattern', 'format'].find((each) => each in schema);
    if (keyword !== undefined) return `Invalid schema of ${name}: ${keyword} is not supported`;
    const slashed = Array.isArray(schema.enum) && schema.enum.some((value) => String(value).includes('/'));
    return slashed ? `Invalid schema of ${name}: enum values must not have a slash` : undefined;
  }),
);

const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  'additionalProperties',
]);

function inEach(schema: Schema, wrong: (schema: Schema) => string | undefined): string | undefined {
  return wrong(schema) ?? first(below(schema), (one) => inEach(one, wrong));
}

function below(schema: Schema): readonly Schema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (NAMED.has(keyword) && isSchema(value)) return Object.values(value).filter(isSchema);
    return SCHEMAS.has(keyword) ? [value].flat().filter(isSchema) : [];
  });
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
