import type { Quirks } from '../catalogue/index.ts';

/** A copy of the schema without what the server refuses. */
export function acceptable(schema: Record<string, unknown>, ways: Quirks): Record<string, unknown> {
  const { refusedSchemaKeywords = [], noSlashInEnums = false, bareUnions = false } = ways;
  if (refusedSchemaKeywords.length === 0 && !noSlashInEnums && !bareUnions) return schema;
  return inSchema(schema, { refused: new Set(refusedSchemaKeywords), noSlashInEnums, bareUnions });
}

interface Refused {
  readonly refused: ReadonlySet<string>;
  readonly noSlashInEnums: boolean;
  readonly bareUnions: boolean;
}

/** Under these a schema has names of its own choice, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

function inSchema(given: Record<string, unknown>, rules: Refused): Record<string, unknown> {
  const schema = rules.bareUnions ? bare(given) : given;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (rules.refused.has(keyword)) return [];
      if (keyword === 'enum' && Array.isArray(value)) {
        const kept = rules.noSlashInEnums ? value.filter((one) => !String(one).includes('/')) : value;
        return kept.length === 0 ? [] : [[keyword, kept]];
      }
      if (NAMED.has(keyword) && isObject(value)) return [[keyword, eachSchema(value, rules)]];
      return [[keyword, inside(value, rules)]];
    }),
  );
}

/** The type where the alternatives are, and no keyword beside a reference but what says what it is. */
function bare(schema: Record<string, unknown>): Record<string, unknown> {
  if (typeof schema.$ref === 'string') {
    const { $ref, description, title } = schema;
    return { $ref, ...(description !== undefined && { description }), ...(title !== undefined && { title }) };
  }
  const { type, items, ...rest } = schema;
  if (Array.isArray(rest.anyOf) && type !== undefined) {
    const anyOf = rest.anyOf.map((one) =>
      isObject(one) && !('type' in one) && !('$ref' in one) ? { type, ...one } : one,
    );
    return { ...rest, anyOf };
  }
  return Array.isArray(items) ? { ...rest, ...(type !== undefined && { type }), prefixItems: items } : schema;
}

function eachSchema(schemas: Record<string, unknown>, rules: Refused): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, inside(schema, rules)]));
}

function inside(value: unknown, rules: Refused): unknown {
  if (Array.isArray(value)) return value.map((one) => inside(one, rules));
  return isObject(value) ? inSchema(value, rules) : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
