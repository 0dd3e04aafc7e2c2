import { mayFit, patternOf } from '../kernel/patterns/index.ts';

/**
 * A JSON schema of others without its `pattern`s, which a validator would run as regular expressions without a bound;
 * `patternProblem` judges those of texts instead. A property that is called `pattern` stays.
 */
export function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if ((key === 'pattern' && typeof value === 'string') || key === 'patternProperties') return [];
      if (LITERAL.has(key)) return [[key, value]];
      if (!NAMED.has(key) || !isObject(value)) return [[key, withoutPatterns(value)]];
      return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutPatterns(one)]))]];
    }),
  );
}

/** The first text of an input that does not fit its pattern, in words. One that cannot be judged is for the tool to refuse. */
export function patternProblem(schema: unknown, value: unknown, at = 'input'): string | undefined {
  if (!isObject(schema)) return undefined;
  if (typeof value === 'string' && typeof schema.pattern === 'string') {
    const pattern = patternOf(schema.pattern, 'u');
    const fits = typeof pattern === 'string' || mayFit(pattern.testNow(value));
    return fits ? undefined : `${at} has to match ${schema.pattern}`;
  }
  const parts: readonly (readonly [string, unknown, unknown])[] = Array.isArray(value)
    ? value.map((one, index) => [`${at}[${index}]`, schema.items, one] as const)
    : isObject(value) && isObject(schema.properties)
      ? Object.entries(schema.properties).map(([name, one]) => [`${at}.${name}`, one, value[name]] as const)
      : [];
  for (const [where, of, part] of parts) {
    const problem = patternProblem(of, part, where);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Hold schemas by a name that is the schema's own. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Hold values, no schemas. */
const LITERAL: ReadonlySet<string> = new Set(['default', 'enum', 'const', 'examples', 'required']);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
