/** What the Messages API takes of a tool's schema. */

type Schema = Readonly<Record<string, unknown>>;

/** Under these a schema has names of its own choice, not keywords. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** Without alternatives at the top, which are refused, and with what may be null as what it is otherwise. */
export function messageSchema(schema: Schema): { type: 'object' } & Record<string, unknown> {
  const { oneOf: _one, allOf: _all, anyOf: _any, ...rest } = schema;
  return { ...collapseKeywords(rest), type: 'object' };
}

function collapse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(collapse);
  return isSchema(value) ? collapseKeywords(value) : value;
}

function collapseKeywords(schema: Schema): Record<string, unknown> {
  const { alternatives, rest } = withoutNull(schema);
  const [only] = alternatives;
  const plain = alternatives.length === 1 && isSchema(only) ? { ...rest, ...only } : schema;
  return Object.fromEntries(
    Object.entries(plain).map(([keyword, value]) => {
      if (keyword === 'type' && Array.isArray(value)) return [keyword, typeWithoutNull(value)];
      // What is allowed as a value is no schema.
      if (keyword === 'enum' || keyword === 'const' || keyword === 'default' || keyword === 'examples')
        return [keyword, value];
      if (!NAMED.has(keyword) || !isSchema(value)) return [keyword, collapse(value)];
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, collapse(each)]))];
    }),
  );
}

/** The alternatives of a schema that also allows null. */
function withoutNull(schema: Schema): { readonly alternatives: readonly unknown[]; readonly rest: Schema } {
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const { [keyword]: all, ...rest } = schema;
    if (!Array.isArray(all)) continue;
    const alternatives = all.filter((each) => !(isSchema(each) && each.type === 'null'));
    if (alternatives.length < all.length) return { alternatives, rest };
  }
  return { alternatives: [], rest: schema };
}

function typeWithoutNull(types: readonly unknown[]): unknown {
  const others = types.filter((type) => type !== 'null');
  return others.length === 1 ? others[0] : types;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
